/* records.h: the records that the I/O recorder writes: CHARISMA's, on this machine, whose structs in memory are those of the
 * profile "lp64"; padding is written as zeros. A stream is a file of them without a header; "quipu record" makes one trace of all streams. */
#ifndef QUIPU_RECORD_IO_RECORDS_H
#define QUIPU_RECORD_IO_RECORDS_H

#include "formats/charisma/layout.h"

#include <assert.h>
#include <stdint.h>

/* What a process notes about itself by an empty file of that suffix, and what is said when the trace is made; figure is the number's name in
 * reports. */
#define RECORDER_NOTES(NOTE)                                                                                   \
    NOTE(URING, ".uring", "processes_with_io_uring", "processes that used io_uring",                           \
         "requests that they put into its rings are not recorded")                                             \
    NOTE(SECCOMP, ".seccomp", "processes_with_seccomp", "processes that had system calls refused (seccomp)",   \
         "what they did after that is not recorded")                                                           \
    NOTE(STOPPED, ".stopped", "processes_that_stopped", NULL, NULL /* each has said it itself */)

enum recorder_note {
#define NOTE(name, suffix, figure, who, what) RECORDER_NOTE_##name,
    RECORDER_NOTES(NOTE)
#undef NOTE
        RECORDER_NOTE_COUNT
};

/* Programs that did not load the recorder are noted by files that hold their names; without one they are numbers, as the notes are (record/notes.h). */
#define RECORDER_NOTE_PROGRAM RECORDER_NOTE_COUNT
#define RECORDER_PROGRAM_SUFFIX ".program"

enum { NAME_BYTES = 64, PATH_BYTES = 256 };

enum record_type {
    RECORD_APP_LOAD = 1,
    RECORD_APP_EXIT = 2,
    RECORD_CLIENT_JOIN = 3,
    RECORD_CLIENT_LEAVE = 4,
    RECORD_APP_OPEN = 5,
    RECORD_APP_CLOSE = 7,
    RECORD_RW = 9,
    RECORD_EXTEND = 10,
    RECORD_TRUNCATE = 11,
    RECORD_LINK = 12,
    RECORD_UNLINK = 13,
    RECORD_ASYNCH_END = 14,
    RECORD_FCNTL = 15,
    RECORD_CHARACTERS = 64 /* the recorder's own: it is said when the trace is made, and not in the trace */
};

struct app_load {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    char name[NAME_BYTES], path[PATH_BYTES];
    uint32_t user, padding_of_user;
    uint64_t load_size;
    int32_t app;
    uint16_t client_count, padding_of_count;
    int32_t client, padding;
};

struct app_exit {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    int32_t app, padding;
};

struct client_change {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    int32_t app, client;
};

struct app_open {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    int32_t app;
    char name[NAME_BYTES], path[PATH_BYTES];
    uint32_t padding_of_path;
    uint64_t file;
    int32_t descriptor, padding_of_descriptor;
    int64_t size;
    int64_t created;
    uint8_t flags, padding[7];
};

struct app_close {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    int32_t app, descriptor;
    int64_t size;
};

struct request {
    uint16_t type, padding_of_type[3];
    uint64_t begin, end;
    int32_t descriptor;
    uint8_t operation, padding_of_operation[3];
    int64_t async;
    int32_t app;
    uint16_t client_count, padding_of_count;
    int64_t offset;
    uint64_t memory;
    int64_t size;
    int32_t client, padding;
};

struct size_change {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    int32_t client, padding_of_client;
    uint64_t file;
    int64_t before, after;
};

struct link_change {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    int32_t client, padding_of_client;
    uint64_t file;
    uint16_t count, padding[3];
};

struct async_end {
    uint16_t type, padding_of_type[3];
    uint64_t call, end;
    int64_t async;
    int32_t client, app;
};

struct control {
    uint16_t type, padding_of_type[3];
    uint64_t time;
    int32_t client, padding_of_client;
    uint64_t descriptor;
    int32_t request, argument;
};

/* Bytes of a stream of the C library that single characters have moved since the last such record of it. */
struct characters {
    uint16_t type, are_written, padding_of_type[2];
    uint64_t time;
    int64_t bytes;
};

static_assert(sizeof(struct app_load) == 368 && sizeof(struct app_exit) == 24 &&
                  sizeof(struct client_change) == 24 && sizeof(struct app_open) == 384 &&
                  sizeof(struct app_close) == 32 && sizeof(struct request) == 80 &&
                  sizeof(struct size_change) == 48 && sizeof(struct link_change) == 40 &&
                  sizeof(struct async_end) == 40 && sizeof(struct control) == 40,
              "the sizes of the profile lp64");

/* Requests of FCNTL records for calls that have no record of their own. Others are the system's own. */
enum control_request { CONTROL_FSYNC = 1001, CONTROL_FDATASYNC = 1002, CONTROL_MMAP = 1003 };

#endif

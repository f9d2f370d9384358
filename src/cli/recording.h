/* recording.h: running a program with a recorder loaded ahead of it, and collecting what the recorder has left.
 *
 *     find → make_folder → run → collect → (the trace is copied or converted) → remove
 */
#ifndef QUIPU_CLI_RECORDING_H
#define QUIPU_CLI_RECORDING_H

#include "command.h"

#include <quipu/quipu.h>

#define RECORDING_PATH_BYTES 4096

/* A recorder of the project: the library that is loaded into programs, and the program that makes a trace of its files. */
struct recorder {
    const char *library, *collector;
    const char *large_library; /* of an MPI that has calls with large counts; NULL: the same */
    const char *trace;         /* what the collector makes */
    const char *suffix;        /* of the recorder's files */
    const char *missing;       /* why it may not be there, and what to do */
};
extern const struct recorder recording_of_io, recording_of_mpi;

/* The recorder whose files a folder has; NULL: it has none. */
const struct recorder *recording_recorder_of(const char *folder);

/* Whether a word is the name of a program that starts those of MPI. */
bool recording_is_launcher(const char *word);

/* Finds a program as a shell does. */
bool recording_find_program(const char *word, char path[RECORDING_PATH_BYTES]);

/* Whether a program can be run: 0, or the exit code of one that cannot, which is said. */
int recording_check_program(const char *word);

struct recording {
    const struct recorder *recorder;
    char library[RECORDING_PATH_BYTES], collector[RECORDING_PATH_BYTES];
    char folder[RECORDING_PATH_BYTES]; /* of the recorder's files */
    char trace[RECORDING_PATH_BYTES];  /* that they become */
    char figures[1024];                /* what the collector has printed */
    bool is_own_folder;                /* made by this run */
    const char *
        processes; /* where the collector of MPI calls lists processes, and the other finds the launcher; NULL: nowhere */
    bool has_call_sites;  /* the trace can hold where calls were made */
    bool is_sound;        /* the collector has found no damage */
    const char *program;  /* the file of what was executed; NULL: not known */
    char *const *folders; /* of the recorder's files, where they are not in that of this run */
    int folder_count;
};

/* Where the recorder and its collector are: beside the command, as it was built or as it was installed. */
enum exit_code recording_find(struct recording *recording, const struct recorder *recorder);

/* The folder OUTPUT.recording for the recorder's files. */
enum exit_code recording_make_folder(struct recording *recording, const char *output);

/* The folder of an earlier run. */
enum exit_code recording_use_folder(struct recording *recording, const char *folder);

/* Runs a program with the recorder, and with that of another recording into the same folder, or NULL; where it has failed, waits some
 * seconds for processes with MPI that it has left behind. Returns its exit code: 128 and the number of the signal for one that was
 * killed, 127 or 126 for one that cannot be run. */
int recording_run(const struct recording *recording, const struct recording *beside, char **command);

/* Makes the trace of the recorder's files: of each world of processes one. */
enum exit_code recording_collect(struct recording *recording);

/* A figure of the collector's: NAME=NUMBER; 0 when there is none. */
unsigned long long recording_figure(const struct recording *recording, const char *name);

/* Those of what could not be recorded: unrecorded.NAME=NUMBER. */
#define RECORDING_UNRECORDED_MOST 16
struct recording_unrecorded {
    struct quipu_unrecorded items[RECORDING_UNRECORDED_MOST];
    char names[RECORDING_UNRECORDED_MOST][48];
    size_t count;
};
void recording_list_unrecorded(const struct recording *recording, struct recording_unrecorded *out);

/* Calls write for each world, with its trace and with the arguments as if they had named its output: OUTPUT, OUTPUT-world1 … */
typedef enum exit_code recording_write(const struct arguments *arguments, const char *trace, const char *output,
                                       const void *context);
enum exit_code recording_each_world(const struct recording *recording, const struct arguments *arguments,
                                    const char *output, recording_write *write, const void *context);

/* The recorder's files, and the folder if it is that of this run. */
void recording_remove(const struct recording *recording);

#endif

/* every_record: a client of OTF's library that knows all record types, from the rows of calls.h and calls.def.
 *
 *     every_record write STUB FORMAT LEVEL   one record of each type, with and without key-values
 *     every_record read STUB [OPTION ...]    prints every call of a handler with all arguments
 *     every_record copy FROM TO              by the copy handlers
 *     every_record cases NAME FOLDER ...     reads the trace t of each folder in a process of its own
 *
 * The options of reading are NAME=NUMBER, or unsorted; they are rows of a table below. In each folder of cases the file
 * "options" has them, and NAME becomes what was printed, with the way the process ended in the last line.
 *
 * It is compiled against this library's headers and, where they are installed, against those of another one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <OTF_CopyHandler.h>
#include <OTF_Errno.h>
#include <otf.h>

#include "../../../compat/otf/calls.h"

/* ---- Values: a number that is different in each argument ---- */

static uint32_t next_number = 7;

static uint64_t number(void) {
    return next_number = next_number * 5 + 3;
}

static uint32_t small(void) {
    return (uint32_t)number() % 100000 + 1;
}

static const char *text(void) {
    static char texts[4][40];
    static unsigned next_text;
    char *text_of = texts[next_text++ % 4];
    snprintf(text_of, sizeof texts[0], "text %u", small());
    return text_of;
}

static uint32_t list[5];
static uint32_t *fill(void) {
    for (unsigned i = 0; i < 5; i++)
        list[i] = small();
    return list;
}

#define VALUE_TIME , time
#define VALUE_PROCESS , process
#define VALUE_U8(f) , (uint8_t)small()
#define VALUE_U32(f) , small()
#define VALUE_U64(f) , number() << 20
#define VALUE_ENUM(type, f) , (type)(small() % 3)
#define VALUE_TEXT(f) , text()
#define VALUE_LIST(type, count, f) , 5, (type *)fill()

/* ---- Writing ---- */

static OTF_KeyValueList *values;

/* From none up to four pairs, of changing types; arrays of several pieces among them. */
static OTF_KeyValueList *some_values(void) {
    static unsigned next_text;
    uint8_t bytes[250];
    next_text++;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 3 + next_text);
    if (next_text % 2 == 0)
        OTF_KeyValueList_appendInt32(values, 1, -(int32_t)next_text);
    if (next_text % 3 == 0)
        OTF_KeyValueList_appendByteArray(values, 2, bytes, next_text % 250 + 1);
    switch (next_text % 11) {
    case 0:
        OTF_KeyValueList_appendChar(values, 3,
                                    (char)(next_text % 64 + 64)); /* the original misreads one digit */
        break;
    case 1:
        OTF_KeyValueList_appendInt8(values, 3, (int8_t)-next_text);
        break;
    case 2:
        OTF_KeyValueList_appendUint8(values, 3, (uint8_t)(next_text + 200));
        break;
    case 3:
        OTF_KeyValueList_appendInt16(values, 3, (int16_t)(-300 - (int)next_text));
        break;
    case 4:
        OTF_KeyValueList_appendUint16(values, 3, 65535);
        break;
    case 5:
        OTF_KeyValueList_appendUint32(values, 3, UINT32_MAX);
        break;
    case 6:
        OTF_KeyValueList_appendInt64(values, 3, INT64_MIN);
        break;
    case 7:
        OTF_KeyValueList_appendUint64(values, 3, UINT64_MAX);
        break;
    case 8:
        OTF_KeyValueList_appendFloat(values, 3, 1.5f);
        break;
    case 9:
        OTF_KeyValueList_appendDouble(values, 3, -2.25);
        break;
    default:
        break;
    }
    return values;
}

#define TEXT_DEFINITION , 0
#define TEXT_DEFINITION_EARLY , 0
#define TEXT_DEFINITION_MARKER , 0
#define TEXT_MARKER
#define TEXT_TIMED
#define PLAIN_BOTH(record, kind) OTF_Writer_write##record(writer TEXT_##kind CALL_##record(VALUE));
#define PLAIN_ONE(record, kind)
#define PLAIN_KV(record, kind)
#define LISTED_BOTH(record, kind)                                                                              \
    OTF_Writer_write##record##KV(writer TEXT_##kind CALL_##record(VALUE), some_values());
#define LISTED_ONE(record, kind)                                                                               \
    OTF_Writer_write##record(writer TEXT_##kind CALL_##record(VALUE), some_values());
#define LISTED_KV(record, kind) LISTED_BOTH(record, kind)

static int write_all(const char *stub, uint32_t format, uint32_t level) {
    OTF_FileManager *manager = OTF_FileManager_open(4);
    OTF_Writer *writer = OTF_Writer_open(stub, 3, manager);
    OTF_Writer_setFormat(writer, format);
    OTF_Writer_setCompression(writer, level);
    values = OTF_KeyValueList_new();
    uint64_t time = 5;
    for (uint32_t process = 1; process <= 5; process++) {
        time += 1000 * (process % 2);
#define OTF_CALL(record, kind, names)                                                                          \
    PLAIN_##names(record, kind) LISTED_##names(record, kind) time += small() % 2;
#include "../../../compat/otf/calls.def"
#undef OTF_CALL
        OTF_Writer_writeLeave(writer, time, 0, process, 0);
        OTF_Writer_writeLeave(writer, time, 0, process, 9);
        OTF_Writer_writeEnter(writer, time, 0, process, 0);
        OTF_Writer_writeDefProcess(writer, 0, process, NULL, 0);
        OTF_Writer_writeEventComment(writer, time, process, NULL);
    }
    OTF_KeyValueList_close(values);
    const int fine = OTF_Writer_close(writer);
    OTF_FileManager_close(manager);
    return fine && otf_errno == OTF_NO_ERROR ? 0 : 1;
}

/* ---- Reading ---- */

/* How to read. */
static struct options {
    uint64_t min, max; /* interval of time */
    uint64_t limit;    /* of records in a call, 0 for none: calls are repeated until nothing comes */
    uint64_t stop;     /* the handler's call that breaks off, counted from 1 */
    uint64_t off;      /* a process that is switched off */
    uint64_t buffer;   /* bytes of read buffers */
    uint64_t unsorted;
    uint64_t deaf;  /* unknown records have no handler */
    uint64_t again; /* everything is read a second time */
    uint64_t progress;
    uint64_t bytes; /* progress in bytes, too: not before reading has begun */
} options = {.max = UINT64_MAX, .off = UINT64_MAX};

static const struct {
    const char *name;
    uint64_t *value;
} option_names[] = {
    {"min", &options.min},           {"max", &options.max},     {"limit", &options.limit},
    {"stop", &options.stop},         {"off", &options.off},     {"buffer", &options.buffer},
    {"unsorted", &options.unsorted}, {"deaf", &options.deaf},   {"again", &options.again},
    {"progress", &options.progress}, {"bytes", &options.bytes},
};

static void take_option(const char *word) {
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        if (strlen(option_names[i].name) == length && strncmp(option_names[i].name, word, length) == 0)
            *option_names[i].value = word[length] ? strtoull(word + length + 1, NULL, 10) : 1;
    }
}

static uint64_t calls;

static int answer(void) {
    return ++calls == options.stop ? OTF_RETURN_ABORT : OTF_RETURN_OK;
}

static void print_pair(const OTF_KeyValuePair *pair, OTF_KeyValueList *from) {
    uint8_t bytes[1000];
    uint32_t size = sizeof bytes;
    printf(" %" PRIu32 ":%d=", pair->key, (int)pair->type);
    if (pair->type == OTF_BYTE_ARRAY) {
        const int status = OTF_KeyValueList_getByteArray(from, pair->key, bytes, &size);
        printf(status ? "(%d)" : "", status);
        for (uint32_t i = 0; i < size; i++)
            printf("%02x", bytes[i]);
        return;
    }
    static const unsigned sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    uint64_t bits = 0;
    memcpy(&bits, &pair->value, sizes[pair->type]);
    printf("%" PRIx64, bits);
}

static int end_line(OTF_KeyValueList *from) {
    for (uint32_t i = 0; i < OTF_KeyValueList_getCount(from); i++) {
        OTF_KeyValuePair *pair;
        if (OTF_KeyValueList_getPairByIndex(from, i, &pair) == 0)
            print_pair(pair, from);
    }
    printf("\n");
    return answer();
}

#define PRINT_TIME printf(" time %" PRIu64, time);
#define PRINT_PROCESS printf(" process %" PRIu32, process);
#define PRINT_U8(f) printf(" " #f " %u", f);
#define PRINT_U32(f) printf(" " #f " %" PRIu32, f);
#define PRINT_U64(f) printf(" " #f " %" PRIu64, f);
#define PRINT_ENUM(type, f) printf(" " #f " %d", (int)f);
#define PRINT_TEXT(f) printf(" " #f " '%s'", f ? f : "(null)");
#define PRINT_LIST(type, count, f)                                                                             \
    for (uint32_t i = 0; i < count; i++)                                                                       \
        printf(" %" PRIu32, (uint32_t)f[i]);
#define SAY_DEFINITION printf(" stream %" PRIu32, stream);
#define SAY_DEFINITION_EARLY SAY_DEFINITION
#define SAY_DEFINITION_MARKER SAY_DEFINITION
#define SAY_MARKER
#define SAY_TIMED

#define OTF_CALL(record, kind, names)                                                                          \
    static int show_##record(void *data WHERE_##kind CALL_##record(PARAMETER), OTF_KeyValueList *from) {       \
        (void)data;                                                                                            \
        printf(#record);                                                                                       \
        SAY_##kind CALL_##record(PRINT) return end_line(from);                                                 \
    }
#include "../../../compat/otf/calls.def"
OTF_CALL(DefVersion, DEFINITION, ONE)
#undef OTF_CALL

static int show_unknown(void *data, uint64_t time, uint32_t process, const char *record) {
    (void)data;
    printf("Unknown time %" PRIu64 " process %" PRIu32 " '%s'\n", time, process, record);
    return answer();
}

/* OTF's numbers of the types, by name. */
static const struct {
    const char *name;
    uint32_t id;
} ids[] = {
#define RECORD_ROW(name, id, ...) {#name, id},
#include "../../../src/formats/otf/records.def"
};

static void handle(OTF_HandlerArray *handlers, const char *name, void (*function)(void)) {
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (strcmp(ids[i].name, name) == 0)
            OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)function, ids[i].id);
    }
}

typedef uint64_t read_function(OTF_Reader *reader, OTF_HandlerArray *handlers);

static void show(const char *what, OTF_Reader *reader, OTF_HandlerArray *handlers, read_function *read) {
    uint64_t result, total = 0;
    do {
        result = read(reader, handlers);
        total = result == OTF_READ_ERROR ? result : total + result;
    } while (options.limit && result > 0 && result != OTF_READ_ERROR);
    printf("%s: %" PRIu64 "\n", what, total);
}

static void show_progress(OTF_Reader *reader) {
    uint64_t first = 0, now = 0, last = 0;
    const int known = OTF_Reader_eventTimeProgress(reader, &first, &now, &last);
    printf("progress %d: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", known, first, now, last);
    if (!options.bytes)
        return;
    OTF_Reader_eventBytesProgress(reader, &first, &now, &last);
    printf("bytes: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", first, now, last);
}

static void read_kinds(OTF_Reader *reader, OTF_HandlerArray *handlers) {
    show("definitions", reader, handlers, OTF_Reader_readDefinitions);
    show("events", reader, handlers, options.unsorted ? OTF_Reader_readEventsUnsorted : OTF_Reader_readEvents);
    if (options.progress)
        show_progress(reader);
    show("statistics", reader, handlers, OTF_Reader_readStatistics);
    show("snapshots", reader, handlers, OTF_Reader_readSnapshots);
    show("markers", reader, handlers, OTF_Reader_readMarkers);
}

static void apply_options(OTF_Reader *reader) {
    if (options.buffer)
        OTF_Reader_setBufferSizes(reader, (uint32_t)options.buffer);
    if (options.min > 0 || options.max != UINT64_MAX)
        OTF_Reader_setTimeInterval(reader, options.min, options.max);
    if (options.off != UINT64_MAX)
        OTF_Reader_setProcessStatus(reader, (uint32_t)options.off, 0);
    if (options.limit)
        OTF_Reader_setRecordLimit(reader, options.limit);
}

/* Progress before any record: a limit of 0 begins the reading. */
static void begin_only(OTF_Reader *reader, OTF_HandlerArray *handlers) {
    const uint64_t limit = OTF_Reader_getRecordLimit(reader);
    OTF_Reader_setRecordLimit(reader, 0);
    OTF_Reader_readEvents(reader, handlers);
    show_progress(reader);
    OTF_Reader_setRecordLimit(reader, limit);
}

static int read_all(const char *stub) {
    OTF_FileManager *manager = OTF_FileManager_open(2);
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    OTF_Reader *reader = OTF_Reader_open(stub, manager);
    if (!reader)
        return 1;
#define OTF_CALL(record, kind, names) handle(handlers, #record, (void (*)(void))show_##record);
#include "../../../compat/otf/calls.def"
    OTF_CALL(DefVersion, DEFINITION, ONE)
#undef OTF_CALL
    if (!options.deaf)
        handle(handlers, "UnknownRecord", (void (*)(void))show_unknown);
    apply_options(reader);
    if (options.progress)
        begin_only(reader, handlers);
    for (uint64_t next_text = 0; next_text <= options.again; next_text++)
        read_kinds(reader, handlers);
    OTF_Reader_close(reader);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
    return 0;
}

/* ---- Many traces ---- */

/* In the child: never returns. */
static void read_case(const char *name, const char *folder) {
    char word[64];
    FILE *words = chdir(folder) == 0 ? fopen("options", "r") : NULL;
    if (!words || !freopen(name, "w", stdout))
        _exit(3);
    while (fscanf(words, "%63s", word) == 1)
        take_option(word);
    alarm(2);
    const int result = read_all("t");
    fflush(stdout);
    _exit(result);
}

/* A child that breaks down takes what it has printed with it. */
static int read_cases(const char *name, char **folders) {
    for (; *folders; folders++) {
        char path[1024];
        int status = 0;
        const pid_t child = fork();
        if (child == 0)
            read_case(name, *folders);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 1;
        snprintf(path, sizeof path, "%s/%s", *folders, name);
        FILE *output = fopen(path, "a");
        if (!output)
            return 1;
        fprintf(output, WIFEXITED(status) ? "exit %d\n" : "signal\n", WEXITSTATUS(status));
        fclose(output);
    }
    return 0;
}

/* ---- Copying ---- */

static int copy_all(const char *from, const char *to) {
    OTF_FileManager *manager = OTF_FileManager_open(2);
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    OTF_Reader *reader = OTF_Reader_open(from, manager);
    OTF_Writer *writer = OTF_Writer_open(to, 3, manager);
    OTF_HandlerArray_getCopyHandler(handlers, writer);
    OTF_Reader_readDefinitions(reader, handlers);
    OTF_Reader_readEvents(reader, handlers);
    OTF_Reader_readStatistics(reader, handlers);
    OTF_Reader_readSnapshots(reader, handlers);
    OTF_Reader_readMarkers(reader, handlers);
    const int fine = OTF_Writer_close(writer);
    OTF_Reader_close(reader);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
    return fine ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "write") == 0)
        return write_all(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    if (argc >= 3 && strcmp(argv[1], "read") == 0) {
        for (int i = 3; i < argc; i++)
            take_option(argv[i]);
        return read_all(argv[2]);
    }
    if (argc >= 3 && strcmp(argv[1], "cases") == 0)
        return read_cases(argv[2], argv + 3);
    if (argc == 4 && strcmp(argv[1], "copy") == 0)
        return copy_all(argv[2], argv[3]);
    return 2;
}

/* trace.c: the buffer of a node, what goes into it, and the calls that control tracing.
 *
 * A record is counted with the bytes that PICL needs for it: three words of four bytes, and one for each integer; a record of the user
 * has four more, and its data. That is what the buffer's size, what is left of it and the volume of event -901 mean.
 */
#include "library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, RECORD_WORDS = 3, USER_WORDS = 4, LEAST_WORDS = 60, MESSAGE_BYTES = 80 };
enum full { FULL_STOPS, FULL_WRITES_OUT, FULL_OVERWRITES };

static struct {
    bool is_on, has_records; /* has_records: there is something to write in the end */
    enum full when_full;
    bool is_full, has_overwritten;
    bool leaves_out_blocks;
    bool has_refused; /* data that PICL has no text for */
    int levels[3];    /* of categories */
    int saved[3];     /* while recording of details has ended, since the buffer is full */

    /* the records: first, and so many behind it, in a ring */
    struct picl_record *records;
    size_t capacity, first, count;
    uint8_t *data; /* of the users, in a ring that is twice as large as all of them */
    size_t data_next;
    size_t bytes, used; /* as PICL counts them */
    int64_t volume;     /* of everything that was recorded */

    int watched;       /* events of the user that statistics are saved inside of */
    unsigned left_out; /* statistics that are not written */
} trace = {.left_out = 0x18};

enum category { PICL_CALLS, USER_EVENTS, TRACING };

static enum category category_of(int event) {
    if (event >= 0)
        return USER_EVENTS;
    return event <= EVENT_TRACING ? TRACING : PICL_CALLS;
}

static bool has_details(int event) {
    return event == EVENT_TRACING || trace.levels[category_of(event)] > 0;
}

/* ---- The buffer ---- */

static size_t data_bytes(const struct picl_record *record) {
    if (record->form == PICL_FORM_CHARACTERS)
        return record->count;
    static const size_t sizes[] = {sizeof(char), 0, sizeof(int), sizeof(long), sizeof(float), sizeof(double)};
    const char *string = record->data;
    size_t bytes = record->count * sizes[record->descriptor];
    for (uint32_t i = 0; record->descriptor == 1 && i < record->count; i++) {
        bytes += strlen(string) + 1;
        string += strlen(string) + 1;
    }
    return bytes;
}

static size_t size_of(const struct picl_record *record) {
    if (record->form == PICL_FORM_INTEGERS)
        return WORD * (RECORD_WORDS + (size_t)record->count);
    return WORD * (RECORD_WORDS + USER_WORDS) + (data_bytes(record) + WORD - 1) / WORD * WORD;
}

static void put_out(void) {
    for (; trace.count > 0; trace.count--, trace.first = (trace.first + 1) % trace.capacity)
        picl_output_record(&trace.records[trace.first]);
    trace.used = 0;
}

static void drop_oldest(size_t size) {
    while (trace.count > 0 && trace.used + size > trace.bytes) {
        trace.used -= size_of(&trace.records[trace.first]);
        trace.first = (trace.first + 1) % trace.capacity;
        trace.count--;
        trace.has_overwritten = true;
    }
}

static void store(const struct picl_record *record) {
    struct picl_record *saved = &trace.records[(trace.first + trace.count) % trace.capacity];
    const size_t bytes = record->form == PICL_FORM_INTEGERS ? 0 : data_bytes(record);
    if (trace.data_next + bytes > 2 * trace.bytes)
        trace.data_next = 0;
    *saved = *record;
    if (bytes > 0) {
        saved->data = memcpy(trace.data + trace.data_next, record->data, bytes);
        trace.data_next += bytes;
    }
    trace.count++;
    trace.used += size_of(record);
    trace.volume += (int64_t)size_of(record);
}

/* cause: the record that had no room, which was made before; NULL: none. */
static void flush_buffer(const struct picl_record *cause) {
    const struct picl_record entry = {.now = picl_now(), .record_type = -3, .event = EVENT_TRACEFLUSH};
    const size_t written = trace.used;
    put_out();
    picl_output_to_temporary();
    if (cause)
        store(cause);
    struct picl_record exit = {
        .now = picl_now(), .record_type = -4, .event = EVENT_TRACEFLUSH, .count = 1, .values = {(int)written}};
    picl_statistics_entry(EVENT_TRACEFLUSH, picl_nanoseconds(entry.now), -1);
    picl_statistics_exit(EVENT_TRACEFLUSH, picl_nanoseconds(exit.now), (int64_t)written);
    if (!has_details(EVENT_TRACEFLUSH))
        return;
    store(&entry);
    store(&exit);
}

/* Details end; statistics go on. */
static void stop_details(uint64_t now) {
    const struct picl_record full = {.now = now, .record_type = -2, .event = EVENT_FULL};
    trace.is_full = true;
    picl_statistics_mark(EVENT_FULL);
    store(&full);
    memcpy(trace.saved, trace.levels, sizeof trace.levels);
    memset(trace.levels, 0, sizeof trace.levels);
}

/* Stores a record if there is room or room can be made. The mark that ends details, those of writing out and the last record of all always
 * have room. */
static void record(const struct picl_record *record) {
    const size_t size = size_of(record), reserve = WORD * (2 * RECORD_WORDS + 1);
    if (trace.used + size + reserve <= trace.bytes) {
        store(record);
    } else if (trace.is_full || size + reserve > trace.bytes) {
        return;
    } else if (trace.when_full == FULL_STOPS) {
        stop_details(record->now);
    } else if (trace.when_full == FULL_WRITES_OUT) {
        flush_buffer(record);
    } else {
        drop_oldest(size + reserve);
        store(record);
    }
}

static void record_event(int record_type, int event, uint64_t now, struct picl_data data) {
    struct picl_record made = {
        .now = now, .record_type = record_type, .event = event, .count = (uint32_t)data.count};
    memcpy(made.values, data.values, sizeof made.values);
    if (has_details(event))
        record(&made);
}

void picl_entry(int event, uint64_t now, struct picl_data data, int64_t volume) {
    if (!trace.is_on)
        return;
    picl_statistics_entry(event, picl_nanoseconds(now), volume);
    record_event(-3, event, now, data);
}

void picl_exit(int event, uint64_t now, struct picl_data data, int64_t volume) {
    if (!trace.is_on)
        return;
    picl_statistics_exit(event, picl_nanoseconds(now), volume);
    record_event(-4, event, now, data);
}

void picl_mark(int event, uint64_t now, struct picl_data data) {
    if (!trace.is_on)
        return;
    picl_statistics_mark(event);
    record_event(-2, event, now, data);
}

void picl_count(int event, uint64_t from, uint64_t to) {
    if (!trace.is_on)
        return;
    picl_statistics_entry(event, picl_nanoseconds(from), -1);
    picl_statistics_exit(event, picl_nanoseconds(to), -1);
}

/* ---- Beginning and end ---- */

static bool make_buffer(size_t bytes) {
    const size_t capacity = bytes / (WORD * RECORD_WORDS) + 1;
    free(trace.records);
    free(trace.data);
    trace.records = calloc(capacity, sizeof *trace.records);
    trace.data = malloc(2 * bytes);
    trace.bytes = bytes;
    trace.capacity = capacity;
    trace.first = trace.count = trace.used = trace.data_next = 0;
    return trace.records && trace.data;
}

void tracenode(int bytes, int flush, int sync) {
    const size_t wanted = bytes > LEAST_WORDS * WORD ? (size_t)bytes : LEAST_WORDS * WORD;
    if (bytes < LEAST_WORDS * WORD)
        printf("tracenode: the buffer has %d bytes\n", LEAST_WORDS * WORD);
    if (sync)
        clocksync0();
    if (!make_buffer(wanted)) {
        printf("tracenode: no memory for %zu bytes; nothing is traced\n", wanted);
        trace.is_on = false;
        return;
    }
    trace.when_full = FULL_STOPS;
    if (flush == 1 || flush == 2)
        trace.when_full = flush == 1 ? FULL_WRITES_OUT : FULL_OVERWRITES;
    trace.is_full = trace.has_overwritten = false;
    trace.volume = 0;
    picl_statistics_begin(trace.watched);
    trace.is_on = trace.has_records = true;
    picl_entry(EVENT_TRACING, picl_now(), PICL_NO_DATA, -1);
}

void tracehost(int bytes, int flush, int sync) {
    (void)bytes;
    (void)flush;
    (void)sync;
}

void traceexit(void) {
    const uint64_t now = picl_now();
    if (!trace.is_on)
        return;
    const struct picl_record last = {.now = now, .record_type = -4, .event = EVENT_TRACING};
    store(&last);
    picl_statistics_exit(EVENT_TRACING, picl_nanoseconds(now), trace.volume);
    if (trace.has_overwritten) {
        const struct picl_record mark = {
            .now = trace.records[trace.first].now, .record_type = -2, .event = EVENT_OVERWRITE};
        picl_statistics_mark(EVENT_OVERWRITE);
        picl_output_record(&mark);
    }
    put_out();
    picl_output_statistics(picl_nanoseconds(now), trace.left_out);
    trace.is_on = false;
}

void picl_finish_trace(void) {
    if (trace.is_on)
        traceexit();
    picl_gather();
    free(trace.records);
    free(trace.data);
    trace.records = NULL;
    trace.data = NULL;
    trace.has_records = false;
}

void picl_save_trace(void) {
    if (trace.is_on)
        traceexit();
    if (trace.has_records)
        picl_output_to_permanent();
    trace.has_records = false;
}

/* ---- Control ---- */

void tracelevel(int picl, int user, int trace_level) {
    const uint64_t now = picl_now();
    const int levels[3] = {picl, user, trace_level};
    memcpy(trace.is_full ? trace.saved : trace.levels, levels, sizeof levels);
    picl_mark(EVENT_TRACELEVEL, now, (struct picl_data){3, {picl, user, trace_level}});
}

/* Records that there is room for; -1 when nothing is traced. */
static int remaining_records(void) {
    const size_t largest = WORD * (RECORD_WORDS + 3), left = trace.bytes - trace.used;
    if (!trace.is_on)
        return -1;
    return trace.is_full ? 0 : (int)(left / largest);
}

void traceinfo(int *remaining, int *picl, int *user, int *trace_level) {
    const uint64_t now = picl_now();
    if (remaining)
        *remaining = remaining_records();
    if (picl)
        *picl = trace.levels[PICL_CALLS];
    if (user)
        *user = trace.levels[USER_EVENTS];
    if (trace_level)
        *trace_level = trace.levels[TRACING];
    picl_count(EVENT_TRACEINFO, now, picl_now());
}

void traceevents(int nevents, int times, int counts, int volumes, int user_times, int user_counts) {
    const int switches[] = {times, counts, volumes, user_times, user_counts};
    const uint64_t now = picl_now();
    picl_entry(EVENT_TRACEEVENTS, now, (struct picl_data){1, {nevents}}, -1);
    trace.left_out = 0;
    for (unsigned i = 0; i < sizeof switches / sizeof *switches; i++)
        trace.left_out |= switches[i] ? 0 : 1U << i;
    trace.watched = nevents;
    picl_statistics_begin(nevents);
    picl_exit(EVENT_TRACEEVENTS, picl_now(), PICL_NO_DATA, -1);
}

void tracefiles(char *temp, char *perm, int verbose) {
    const uint64_t now = picl_now();
    (void)verbose;
    picl_start();
    picl_entry(EVENT_TRACEFILES, now, PICL_NO_DATA, -1);
    if (!picl_output_files(temp, perm))
        picl_fail("tracefiles: no memory");
    picl_exit(EVENT_TRACEFILES, picl_now(), PICL_NO_DATA, -1);
}

void traceflush(void) {
    if (!trace.is_on)
        return;
    if (trace.is_full)
        memcpy(trace.levels, trace.saved, sizeof trace.levels);
    trace.is_full = false;
    flush_buffer(NULL);
}

/* ---- The user's ---- */

void tracemark(int event) {
    picl_mark(event, picl_now(), PICL_NO_DATA);
}

void traceblock(int on) {
    trace.leaves_out_blocks = !on;
}

void traceblockbegin(int event, int location, int parameter) {
    if (!trace.leaves_out_blocks)
        picl_entry(event, picl_now(), (struct picl_data){2, {location, parameter}}, -1);
}

void traceblockend(int event, int location, int parameter) {
    if (!trace.leaves_out_blocks)
        picl_exit(event, picl_now(), (struct picl_data){2, {location, parameter}}, -1);
}

static void record_data(int event, int record_type, int descriptor, int count, const void *data) {
    const struct picl_record made = {.now = picl_now(),
                                     .record_type = record_type,
                                     .event = event,
                                     .form = descriptor == 0 ? PICL_FORM_CHARACTERS : PICL_FORM_USER,
                                     .count = (uint32_t)count,
                                     .descriptor = descriptor,
                                     .data = data};
    if (trace.is_on && trace.levels[USER_EVENTS] > 0 && count >= 0)
        record(&made);
}

/* The first one is told, in the trace too. */
static void refuse_data(int event, const char *why) {
    char text[MESSAGE_BYTES];
    snprintf(text, sizeof text, "tracedata: data of event %d are left out: %s", event, why);
    if (!trace.is_on || trace.levels[USER_EVENTS] == 0)
        return; /* as other data are then */
    if (!trace.has_refused) {
        printf("%s\n", text);
        picl_message(text);
    }
    trace.has_refused = true;
}

/* PICL's texts of numbers have no infinity. */
static bool are_finite(int descriptor, int count, const void *data) {
    const float *floats = data;
    const double *doubles = data;
    for (int i = 0; i < count; i++)
        if ((descriptor == 4 && !isfinite(floats[i])) || (descriptor == 5 && !isfinite(doubles[i])))
            return false;
    return true;
}

void tracemarks(int *array, int size) {
    record_data(-1, 0, 2, size, array);
}

/* Strings one behind the other, as the buffer has them. */
static void record_strings(int event, int record_type, int count, char *const *strings) {
    size_t bytes = 1, offset = 0;
    for (int i = 0; i < count; i++) {
        const size_t len = strlen(strings[i]);
        if (len == 0 || strcspn(strings[i], " \t\n\v\f\r") < len) {
            refuse_data(event, "a string is empty or has blanks");
            return;
        }
        bytes += len + 1;
    }
    char *joined = malloc(bytes);
    if (!joined)
        return;
    for (int i = 0; i < count; i++) {
        memcpy(joined + offset, strings[i], strlen(strings[i]) + 1);
        offset += strlen(strings[i]) + 1;
    }
    record_data(event, record_type, 1, count, joined);
    free(joined);
}

void tracedata(int event, int recordtype, char *type, int count, void *data) {
    static const char *const types[] = {"char", "string", "int", "long", "float", "double"};
    for (int i = 0; i < (int)(sizeof types / sizeof *types); i++) {
        if (strcmp(type, types[i]) != 0)
            continue;
        if (i == 1)
            record_strings(event, recordtype, count, data);
        else if (are_finite(i, count, data))
            record_data(event, recordtype, i, count, data);
        else
            refuse_data(event, "a number is not finite");
        return;
    }
    picl_start();
    picl_fail("tracedata: data of type \"%s\", expected char, string, int, long, float or double", type);
}

/* A message is written at once, so that it survives what comes. */
void picl_message(const char *text) {
    const size_t len = strlen(text) < MESSAGE_BYTES ? strlen(text) : MESSAGE_BYTES - 1;
    const struct picl_record message = {.now = picl_now(),
                                        .record_type = -7,
                                        .event = EVENT_TRACEMSG,
                                        .form = PICL_FORM_CHARACTERS,
                                        .count = (uint32_t)len,
                                        .data = text};
    if (!trace.is_on)
        return;
    picl_output_message(&message);
}

void tracemsg(char *text) {
    const size_t len = strlen(text) < MESSAGE_BYTES ? strlen(text) : MESSAGE_BYTES - 1;
    picl_entry(EVENT_TRACEMSG, picl_now(), (struct picl_data){1, {(int)len}}, (int64_t)len);
    picl_message(text);
    picl_exit(EVENT_TRACEMSG, picl_now(), PICL_NO_DATA, -1);
}

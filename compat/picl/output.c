/* output.c: records as text of the format, the statistics of a node, and its files. The format's own encoder and statistics do the work. */
#include "library.h"

#include "formats/picl/from_model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 10, MESSAGE_BYTES = 80, MESSAGES_MOST = 16384 };
/* Of times of records and of statistics. */
static const struct quipu__picl_rate microseconds = {.ticks_per_second = 1000000, .per_seconds = 1};
static const struct quipu__picl_rate nanoseconds = {.ticks_per_second = 1000000000, .per_seconds = 1};

/* A message that is saved; more than MESSAGES_MOST are only written at once. */
struct message {
    uint64_t now;
    uint32_t len;
    char text[MESSAGE_BYTES];
};

static struct {
    bool is_ready, has_statistics, has_failed;
    struct quipu__memory memory;
    struct quipu__picl_output encoder;
    struct quipu__picl_target target; /* the node, and its statistics */
    QUIPU__VEC(struct message) messages;
    struct quipu__buffer early; /* the lines that they have been written as */
    char *permanent;
    int temporary; /* already removed from its folder; -1: none */
} output = {.temporary = -1};

static void make_ready(void) {
    if (output.is_ready)
        return;
    quipu__memory_init(&output.memory, NULL, SIZE_MAX);
    quipu__buffer_init(&output.encoder.text, &output.memory, 0);
    quipu__buffer_init(&output.early, &output.memory, 0);
    output.encoder.decimals = QUIPU__PICL_DEFAULT_DECIMALS;
    output.is_ready = true;
}

/* ---- Records ---- */

/* Data lies in the trace one behind the other, wherever that is. */
static uint32_t take_data(const struct picl_record *record, struct quipu_value *values) {
    const char *string = record->data;
    for (uint32_t i = 0; i < record->count; i++) {
        int number;
        long wide;
        float real;
        double exact;
        switch (record->descriptor) {
        case 1:
            values[i] = (struct quipu_value){
                .type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(string), .data = string};
            string += strlen(string) + 1;
            break;
        case 2:
            memcpy(&number, string + i * sizeof number, sizeof number);
            values[i] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = number};
            break;
        case 3:
            memcpy(&wide, string + i * sizeof wide, sizeof wide);
            values[i] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = wide};
            break;
        case 4:
            memcpy(&real, string + i * sizeof real, sizeof real);
            values[i] = (struct quipu_value){.type = QUIPU_VALUE_F64, .f = (double)real};
            break;
        default:
            memcpy(&exact, string + i * sizeof exact, sizeof exact);
            values[i] = (struct quipu_value){.type = QUIPU_VALUE_F64, .f = exact};
        }
    }
    return record->count;
}

static void encode(const struct picl_record *record, struct quipu__picl_record *out) {
    struct quipu_value text = {.type = QUIPU_VALUE_STRING, .size = record->count, .data = record->data};
    struct quipu_value *values = NULL;
    const size_t bytes = ((size_t)record->count + 1) * sizeof *values;
    if (record->form == PICL_FORM_INTEGERS) {
        out->is_fast = true;
        for (uint32_t i = 0; i < record->count; i++)
            out->integers[i] = record->values[i];
        out->value_count = record->count;
    } else if (record->form == PICL_FORM_CHARACTERS) {
        out->values = &text;
        out->value_count = 1;
    } else {
        values = quipu__alloc(&output.memory, bytes);
        out->values = values;
        out->value_count = values ? take_data(record, values) : 0;
    }
    quipu__picl_encode_record(&output.encoder, out);
    if (values)
        quipu__release(&output.memory, values, bytes);
}

void picl_output_record(const struct picl_record *record) {
    make_ready();
    struct quipu__picl_record out = {
        .record_type = record->record_type,
        .event_type = record->event,
        .processor = picl_session.me,
        .count = record->count,
        .time =
            quipu__picl_seconds_of(picl_microseconds(record->now), &microseconds, QUIPU__PICL_DEFAULT_DECIMALS),
        .descriptor = {.type = QUIPU_VALUE_I64, .i = record->descriptor}};
    encode(record, &out);
}

/* ---- Statistics ---- */

static struct quipu__picl_statistics *statistics(void) {
    make_ready();
    if (!output.has_statistics)
        quipu__picl_statistics_init(&output.target.statistics, &output.memory);
    output.has_statistics = true;
    return &output.target.statistics;
}

void picl_statistics_begin(int watched) {
    for (int event = 0; event < watched && event < QUIPU__PICL_WATCHED_MOST; event++)
        quipu__picl_watch(statistics(), event);
}

void picl_statistics_entry(int event, int64_t time, int64_t volume) {
    quipu__picl_count_entry(statistics(), event, time, volume, 0, 0);
}

void picl_statistics_exit(int event, int64_t time, int64_t volume) {
    quipu__picl_count_exit(statistics(), event, time, volume);
}

void picl_statistics_mark(int event) {
    quipu__picl_count_mark(statistics(), event, -1);
}

void picl_statistics_shift(int64_t ns) {
    struct quipu__picl_statistics *all = statistics();
    for (size_t i = 0; i < all->events.count; i++) {
        struct quipu__picl_occurrence *event = &all->events.items[i];
        event->all.since += ns;
        for (uint32_t watched = 0; event->inside && watched < all->watched_count; watched++)
            event->inside[watched].since += ns;
    }
}

void picl_output_statistics(int64_t time, unsigned left_out) {
    struct quipu__picl_from_model from = {.out = &output.encoder,
                                          .memory = &output.memory,
                                          .rate = nanoseconds,
                                          .time = time,
                                          .targets = &output.target,
                                          .target_count = 1,
                                          .statistics_left_out = left_out};
    statistics();
    output.target.processor = picl_session.me;
    quipu__picl_put_statistics(&from, 0);
    quipu__picl_statistics_release(&output.target.statistics);
    output.has_statistics = false;
}

/* ---- Files ---- */

static void complain(const char *path) {
    if (!output.has_failed)
        fprintf(stderr, "picl: node %d: %s: %s; its trace is incomplete\n", picl_session.me, path,
                strerror(errno));
    output.has_failed = true;
}

static bool write_all(int file, const uint8_t *data, size_t size) {
    while (size > 0) {
        const ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

static int open_temporary(const char *path) {
    char name[4096];
    snprintf(name, sizeof name, "%s%06d", path, picl_session.me);
    const int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        complain(name);
    else
        unlink(name);
    return file;
}

/* Messages stay where they are in the file so far. */
bool picl_output_files(const char *temporary, const char *permanent) {
    make_ready();
    output.messages.count = 0;
    output.early.len = 0;
    free(output.permanent);
    output.permanent = permanent && *permanent ? strdup(permanent) : NULL;
    if (output.temporary >= 0)
        close(output.temporary);
    output.temporary = temporary && *temporary ? open_temporary(temporary) : -1;
    return output.permanent || !permanent || !*permanent;
}

static int open_permanent(void) {
    const struct timespec pause = {0, 1000000};
    for (int i = 0; i < ATTEMPTS; i++) {
        const int file = open(output.permanent, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (file >= 0)
            return file;
        nanosleep(&pause, NULL);
    }
    complain(output.permanent);
    return -1;
}

static void append(const uint8_t *data, size_t size) {
    const int file = output.permanent && size > 0 ? open_permanent() : -1;
    if (file < 0)
        return;
    if (!write_all(file, data, size))
        complain(output.permanent);
    close(file);
}

static void empty_text(void) {
    append(output.encoder.text.data, output.encoder.text.len);
    output.encoder.text.len = 0;
}

void picl_output_to_temporary(void) {
    struct quipu__buffer *text = &output.encoder.text;
    make_ready();
    if (output.temporary < 0) {
        empty_text();
        return;
    }
    if (!write_all(output.temporary, text->data, text->len))
        complain("the temporary file");
    text->len = 0;
}

/* ---- Messages ---- */

static bool save(const struct picl_record *record) {
    struct message *message =
        output.messages.count < MESSAGES_MOST ? QUIPU__VEC_ADD(&output.memory, &output.messages) : NULL;
    if (!message)
        return false;
    *message = (struct message){.now = record->now,
                                .len = record->count < MESSAGE_BYTES ? record->count : MESSAGE_BYTES};
    memcpy(message->text, record->data, message->len);
    return true;
}

void picl_output_message(const struct picl_record *record) {
    struct quipu__buffer saved = output.encoder.text;
    make_ready();
    const bool is_saved = save(record);
    if (!output.permanent)
        return;
    quipu__buffer_init(&output.encoder.text, &output.memory, 0);
    picl_output_record(record);
    if (is_saved)
        quipu__put(&output.early, output.encoder.text.data, output.encoder.text.len);
    empty_text();
    quipu__buffer_release(&output.encoder.text);
    output.encoder.text = saved;
}

/* In memory that free() releases. */
static char *copy_of(const struct quipu__buffer *text, size_t *size) {
    char *copy = malloc(text->len + 1);
    *size = copy ? text->len : 0;
    if (*size > 0)
        memcpy(copy, text->data, text->len);
    return copy;
}

char *picl_output_insert_messages(size_t *size) {
    make_ready();
    char *early = copy_of(&output.early, size);
    for (size_t i = 0; early && i < output.messages.count; i++) {
        const struct message *message = &output.messages.items[i];
        picl_output_record(&(struct picl_record){.now = message->now,
                                                 .record_type = -7,
                                                 .event = EVENT_TRACEMSG,
                                                 .form = PICL_FORM_CHARACTERS,
                                                 .count = message->len,
                                                 .data = message->text});
    }
    QUIPU__VEC_RELEASE(&output.memory, &output.messages);
    quipu__buffer_release(&output.early);
    quipu__buffer_init(&output.early, &output.memory, 0);
    return early;
}

/* The text of a file, NULL when it cannot be read. */
static char *read_file(int file, size_t size) {
    char *text = malloc(size + 1);
    size_t done = 0;
    while (text && done < size) {
        const ssize_t got = pread(file, text + done, size - done, (off_t)done);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            free(text);
            return NULL;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return text;
}

static void remove_from(int file, const char *lines, size_t size) {
    struct stat status;
    char *text = fstat(file, &status) == 0 ? read_file(file, (size_t)status.st_size) : NULL;
    size_t first = 0;
    const size_t left = text ? picl_lines_remove(text, (size_t)status.st_size, lines, size, &first) : 0;
    const bool is_fine = text && lseek(file, (off_t)first, SEEK_SET) == (off_t)first &&
                         write_all(file, (const uint8_t *)text + first, left - first) &&
                         ftruncate(file, (off_t)left) == 0;
    if (!is_fine)
        complain(output.permanent);
    free(text);
}

void picl_output_remove(const char *lines, size_t size) {
    const int file = output.permanent && size > 0 ? open(output.permanent, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    remove_from(file, lines, size);
    close(file);
}

/* ---- The whole ---- */

/* What the temporary file holds comes before what is in memory. */
static bool take_temporary(void) {
    uint8_t block[1 << 16];
    struct quipu__buffer later = output.encoder.text;
    ssize_t got = 0;
    if (output.temporary < 0)
        return true;
    quipu__buffer_init(&output.encoder.text, &output.memory, 0);
    lseek(output.temporary, 0, SEEK_SET);
    while ((got = read(output.temporary, block, sizeof block)) > 0)
        quipu__put(&output.encoder.text, block, (size_t)got);
    quipu__put(&output.encoder.text, later.data, later.len);
    quipu__buffer_release(&later);
    close(output.temporary);
    output.temporary = -1;
    return got == 0 && !output.encoder.text.failed;
}

static void release_text(void) {
    quipu__buffer_release(&output.encoder.text);
    quipu__buffer_init(&output.encoder.text, &output.memory, 0);
}

const char *picl_output_path(void) {
    return output.permanent;
}

char *picl_output_take(size_t *size) {
    make_ready();
    if (!take_temporary())
        complain("the temporary file");
    *size = output.encoder.text.len;
    char *text = malloc(*size + 1);
    if (!text)
        picl_fail("no memory for %zu bytes of the trace", *size);
    if (*size > 0)
        memcpy(text, output.encoder.text.data, *size);
    release_text();
    return text;
}

void picl_output_append(const char *text, size_t size) {
    append((const uint8_t *)text, size);
}

void picl_output_to_permanent(void) {
    make_ready();
    if (!take_temporary())
        complain("the temporary file");
    empty_text();
    release_text();
}

/* ovnidump.c: prints the events of all streams in the order of their clocks: clock, event, stream, and what the event says, or
 * its payload as hexadecimal numbers. */
#include "command.h"
#include "formats/ovni/merge.h"
#include "formats/ovni/sentence.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)
#define LINE_MOST ((size_t)1200) /* of a sentence, and of what is put at once */

struct dump {
    struct command command;
    struct quipu__ovni_merge merge;
    struct quipu__ovni_dictionary dictionary;
    bool is_hex;
    char *buffer;
    size_t len;
    uint64_t unknown; /* events */
};

static bool flush(struct dump *dump) {
    const bool done = fwrite(dump->buffer, 1, dump->len, stdout) == dump->len;
    dump->len = 0;
    return done;
}

/* Where so many bytes can be written, at most LINE_MOST. */
static char *room_for(struct dump *dump, size_t size) {
    if (dump->len + size > BUFFER_BYTES)
        flush(dump);
    return dump->buffer + dump->len;
}

static void put_long(struct dump *dump, const char *bytes, size_t size) {
    for (size_t size_here; size > 0; bytes += size_here, size -= size_here) {
        size_here = size < LINE_MOST ? size : LINE_MOST;
        memcpy(room_for(dump, size_here), bytes, size_here);
        dump->len += size_here;
    }
}

QUIPU__INLINE void put(struct dump *dump, const char *bytes, size_t size) {
    if (QUIPU__UNLIKELY(size > BUFFER_BYTES - dump->len)) {
        put_long(dump, bytes, size);
        return;
    }
    memcpy(dump->buffer + dump->len, bytes, size);
    dump->len += size;
}

/* ---- Parts of a line ---- */

#define CLOCK_WIDTH 10

/* The clock and the event's three characters. */
static void put_head(struct dump *dump, const struct quipu__ovni_event *event) {
    char *at = room_for(dump, LINE_MOST), digits[24 + QUIPU__DIGITS_SLACK];
    const size_t len = (size_t)(quipu__put_signed_digits(digits, (int64_t)event->clock) - digits);
    const size_t blanks = len < CLOCK_WIDTH ? CLOCK_WIDTH - len : 0;
    const char code[] = {' ', ' ', (char)event->model, (char)event->category, (char)event->value, ' ', ' '};
    memset(at, ' ', CLOCK_WIDTH);
    memcpy(at + blanks, digits, 24);
    memcpy(at + blanks + len, code, sizeof code);
    dump->len += blanks + len + sizeof code;
}

static void put_hex(struct dump *dump, const uint8_t *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0, upto; i < count;) {
        upto = count - i < LINE_MOST / 3 ? count : i + LINE_MOST / 3;
        char *at = room_for(dump, LINE_MOST);
        for (; i < upto; i++, at += 3) {
            at[0] = ':';
            at[1] = digits[bytes[i] >> 4];
            at[2] = digits[bytes[i] & 15];
        }
        dump->len = (size_t)(at - dump->buffer);
    }
}

static void put_payload(struct dump *dump, const struct quipu__ovni_event *event) {
    if (event->is_jumbo) /* its size lies in front of it */
        put_hex(dump, event->payload - QUIPU__OVNI_JUMBO_SIZE_BYTES, QUIPU__OVNI_JUMBO_SIZE_BYTES);
    put_hex(dump, event->payload, event->len);
}

static void put_sentence(struct dump *dump, const struct quipu__ovni_event *event, bool is_big) {
    const struct quipu__ovni_event_row *row =
        quipu__ovni_find_row(&dump->dictionary, event->model, event->category, event->value);
    if (!row)
        dump->unknown++;
    const size_t len = row ? quipu__ovni_sentence(row, event, is_big, room_for(dump, LINE_MOST), LINE_MOST) : 0;
    dump->len += len;
    if (len == 0)
        put(dump, "UNKNOWN", 7);
}

static void put_line(struct dump *dump) {
    const struct quipu__ovni_merge_stream *stream = &dump->merge.streams[dump->merge.stream];
    const struct quipu__ovni_event *event = &stream->event;
    const char *name = dump->command.files.streams.items[dump->merge.stream].name;
    put_head(dump, event);
    put(dump, name, strlen(name));
    put(dump, "  ", 2);
    if (dump->is_hex)
        put_payload(dump, event);
    else
        put_sentence(dump, event, stream->walk.is_big);
    put(dump, "\n", 1);
}

/* ---- The run ---- */

static int print_events(struct dump *dump) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum quipu_status status = quipu__ovni_merge_open(&dump->merge, &dump->command.files, &err);
    while (status == QUIPU_OK && (status = quipu__ovni_merge_next(&dump->merge, &err)) == QUIPU_OK)
        put_line(dump);
    const bool is_written = flush(dump) && fflush(stdout) == 0;
    const bool is_damaged = dump->merge.errors > 0;
    command_tell(&dump->command);
    quipu__ovni_merge_close(&dump->merge);
    if (status != QUIPU_END)
        return command_fail(&dump->command, &err);
    if (!is_written)
        command_say(&dump->command, "ERROR", "standard output cannot be written");
    if (dump->unknown > 0)
        command_say(&dump->command, "ERROR", "%llu unknown events", (unsigned long long)dump->unknown);
    return is_written && !is_damaged ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
    static const char usage[] = "[-x] DIR\n  -x  print payloads as they are, in hexadecimal\n  -h  print this";
    static struct dump dump;
    for (int letter; (letter = getopt(argc, argv, "xh")) != -1;) {
        if (letter != 'x')
            return command_usage("ovnidump", usage);
        dump.is_hex = true;
    }
    if (optind >= argc)
        return command_usage("ovnidump", usage);
    if (!command_open(&dump.command, "ovnidump", argv[optind]))
        return EXIT_FAILURE;
    quipu__ovni_dictionary_init(&dump.dictionary);
    dump.buffer = malloc(BUFFER_BYTES);
    const bool can_run = dump.buffer && command_is_sound(&dump.command);
    const int code = can_run ? print_events(&dump) : EXIT_FAILURE;
    free(dump.buffer);
    command_close(&dump.command);
    return code;
}

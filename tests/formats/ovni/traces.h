/* traces.h: ovni traces that tests write down as text, and what the emulation shows of them.
 *
 *     1 OHx i0 i-1 q0; 2 VYc + i1 swork; 9 OHe        clock, event, arguments; +: a jumbo event
 *
 * Arguments are i (32 bits), q (64 bits), s (a text with its NUL) and x (bytes in hexadecimal). */
#ifndef QUIPU_TESTS_OVNI_TRACES_H
#define QUIPU_TESTS_OVNI_TRACES_H

#include "formats/model_text.h"

#include "formats/ovni/format.h"
#include "formats/ovni/views.h"

#include <sys/stat.h>

/* ---- Events ---- */

enum { MADE_MOST = 1 << 16 };

/* A stream that is being made. */
struct made_bytes {
    uint8_t at[MADE_MOST];
    size_t len;
};

static inline void made_add(struct made_bytes *made, const void *data, size_t size) {
    assert_true(made->len + size <= MADE_MOST);
    memcpy(made->at + made->len, data, size);
    made->len += size;
}

static inline void made_argument(struct made_bytes *made, const char *word) {
    const long long number = strtoll(word + 1, NULL, 10);
    const int32_t narrow = (int32_t)number;
    switch (word[0]) {
    case 'i':
        made_add(made, &narrow, 4);
        break;
    case 'q':
        made_add(made, &number, 8);
        break;
    case 's':
        made_add(made, word + 1, strlen(word));
        break;
    case 'x':
        for (const char *at = word + 1; *at; at += 2) {
            const char digits[3] = {at[0], at[1], 0};
            const uint8_t byte = (uint8_t)strtoul(digits, NULL, 16);
            made_add(made, &byte, 1);
        }
        break;
    default:
        fail_msg("no argument: %s", word);
    }
}

static inline void made_event(struct made_bytes *made, char *text) {
    static struct made_bytes payload;
    char *next, *clock_text = strtok_r(text, " ", &next), *code = strtok_r(NULL, " ", &next);
    const uint64_t clock = strtoull(clock_text, NULL, 10);
    bool is_jumbo = false;
    payload.len = 0;
    for (char *word; (word = strtok_r(NULL, " ", &next));)
        if (strcmp(word, "+") == 0)
            is_jumbo = true;
        else
            made_argument(&payload, word);
    const uint32_t size = (uint32_t)payload.len;
    const uint8_t flags = is_jumbo ? 0x13 : (uint8_t)(size > 0 ? size - 1 : 0);
    assert_true(is_jumbo || (size <= 16 && size != 1));
    made_add(made, &flags, 1);
    made_add(made, code, 3);
    made_add(made, &clock, 8);
    if (is_jumbo)
        made_add(made, &size, 4);
    made_add(made, payload.at, size);
}

/* A stream with its header. */
static inline void made_stream(struct made_bytes *made, const char *text) {
    char *next, *copy = harness_text("%s", text);
    made->len = 0;
    made_add(made, "ovni\1\0\0\0", 8);
    for (char *line = strtok_r(copy, ";", &next); line; line = strtok_r(NULL, ";", &next))
        made_event(made, line);
}

/* The events of a stream's file as such text, payloads as bytes. */
static inline const char *text_of_stream(const char *path) {
    const char *text = "";
    size_t size;
    const uint8_t *at = (const uint8_t *)harness_read(path, &size), *end = at + size;
    assert_memory_equal(at, "ovni\1\0\0\0", 8);
    for (at += 8; at < end;) {
        uint64_t clock;
        uint32_t len = (at[0] & 15) ? (at[0] & 15) + 1U : 0, skipped = 12;
        memcpy(&clock, at + 4, 8);
        if (at[0] & 0x10) {
            memcpy(&len, at + 12, 4);
            skipped = 16;
        }
        assert_true(at + skipped + len <= end);
        text = harness_text("%s%s%llu %.3s%s", text, *text ? "; " : "", (unsigned long long)clock,
                            (const char *)at + 1, skipped == 16 ? " +" : "");
        for (uint32_t i = 0; i < len; i++)
            text = harness_text("%s%s%02x", text, i == 0 ? " x" : "", at[skipped + i]);
        at += skipped + len;
    }
    return text;
}

/* ---- Traces ---- */

/* What is left out is process 10 of the loom "node.0" with one CPU. */
struct made_thread {
    int tid, pid;
    const char *loom;
    int cpus;           /* -1: none are said */
    const char *models; /* characters of those that are required beside ovni */
    const char *more;   /* members of "ovni", each with a comma in front */
    const char *top;    /* members beside "ovni", so too */
    const char *events;
};

static inline const char *made_metadata(const struct made_thread *thread) {
    const char *require = "\"ovni\": \"1.1.0\"", *cpus = "";
    for (const char *model = thread->models ? thread->models : ""; *model; model++) {
        const struct quipu__ovni_model_row *row = &quipu__ovni_models[quipu__ovni_model_of((uint8_t)*model)];
        require = harness_text("%s, \"%s\": \"%s\"", require, row->name, row->version);
    }
    for (int i = 0; i < (thread->cpus ? thread->cpus : 1); i++)
        cpus = harness_text("%s%s{\"index\": %d, \"phyid\": %d}", cpus, i > 0 ? ", " : "", i, i);
    if (thread->cpus >= 0)
        cpus = harness_text(", \"loom_cpus\": [%s]", cpus);
    return harness_text(
        "{\"version\": 3, \"ovni\": {\"lib\": {\"version\": \"1.14.0\", \"commit\": \"unknown\"}, "
        "\"part\": \"thread\", \"tid\": %d, \"pid\": %d, \"loom\": \"%s\", \"app_id\": 1, "
        "\"require\": {%s}%s, \"finished\": 1%s}%s}",
        thread->tid, thread->pid ? thread->pid : 10, thread->loom ? thread->loom : "node.0", require, cpus,
        thread->more ? thread->more : "", thread->top ? thread->top : "");
}

static inline const char *made_folder(const char *parent, const char *name) {
    const char *path = harness_text("%s/%s", parent, name);
    mkdir(path, 0755);
    return path;
}

/* The file of a thread's events. */
static inline const char *made_file(const char *root, int tid) {
    return harness_text("%s/loom.made/thread.%d/stream.obs", root, tid);
}

/* The folder of a trace of these threads. */
static inline const char *made_trace(const struct made_thread *threads, size_t count) {
    static struct made_bytes made;
    const char *root = made_folder(harness_folder(), "made.ovni");
    made_folder(root, "loom.made");
    for (size_t i = 0; i < count; i++) {
        const char *folder = made_folder(root, harness_text("loom.made/thread.%d", threads[i].tid));
        const char *metadata = made_metadata(&threads[i]);
        made_stream(&made, threads[i].events);
        harness_write(made_file(root, threads[i].tid), made.at, made.len);
        harness_write(harness_text("%s/stream.json", folder), metadata, strlen(metadata));
    }
    return root;
}
#define MADE_TRACE(...)                                                                                        \
    made_trace((const struct made_thread[]){__VA_ARGS__},                                                      \
               sizeof((const struct made_thread[]){__VA_ARGS__}) / sizeof(struct made_thread))

/* A trace of an older layout (QUIPU__OVNI_LAYOUT_2, _1, _RAW) with the thread 8 of the process 7; without_suffix: as 1.0.0 named it. */
static inline const char *made_old(enum quipu__ovni_layout layout, bool without_suffix, const char *events) {
    static struct made_bytes made;
    const char *root = made_folder(harness_folder(), "old.ovni");
    const char *process = made_folder(made_folder(root, "loom.n.1"), "proc.7");
    const bool is_raw = layout == QUIPU__OVNI_LAYOUT_RAW;
    const char *metadata = harness_text(
        "{\"version\": %d, \"app_id\": 1, \"cpus\": [{\"index\": 0, \"phyid\": 4}]}", is_raw ? 1 : (int)layout);
    made_stream(&made, events);
    harness_write(harness_text("%s/thread.8%s", process, is_raw || without_suffix ? "" : ".obs"),
                  made.at + (is_raw ? 8 : 0), made.len - (is_raw ? 8 : 0));
    harness_write(harness_text("%s/metadata.json", process), metadata, strlen(metadata));
    metadata = "{\"version\": 2, \"ovni\": {\"lib\": {\"version\": \"1.9.0\", \"commit\": \"c\"}, "
               "\"require\": {\"ovni\": \"1.0.0\"}, \"finished\": 1}}";
    if (layout == QUIPU__OVNI_LAYOUT_2)
        harness_write(harness_text("%s/thread.8.json", process), metadata, strlen(metadata));
    return root;
}

/* ---- Emulation ---- */

/* What the emulation finds: rules that are broken, with blanks between them; and of each view the lines, without what stands in
 * front of their rows, names of types and values, and names of rows. NULL: there is no such view. */
struct shown {
    const char *rules;
    const char *lines[QUIPU__OVNI_VIEWS], *names[QUIPU__OVNI_VIEWS], *rows[QUIPU__OVNI_VIEWS];
    uint64_t events;
    int64_t time;
};

static inline enum quipu_status shown_lines(void *context, const void *data, size_t size,
                                            struct quipu_error *err) {
    (void)err;
    quipu__put(context, data, size);
    return QUIPU_OK;
}

static inline const char *shown_text(const struct quipu__buffer *buffer) {
    return harness_text("%.*s", (int)buffer->len, buffer->len ? (const char *)buffer->data : "");
}

/* Lines after the head, each without "2:0:1:1:". */
static inline const char *shown_rows(const struct quipu__buffer *buffer) {
    const char *text = "";
    char *next, *copy = harness_text("%s", shown_text(buffer));
    for (char *line = strtok_r(strchr(copy, '\n'), "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        assert_memory_equal(line, "2:0:1:1:", 8);
        text = harness_text("%s%s%s", text, *text ? " " : "", line + 8);
    }
    return text;
}

static inline void show_emulation(struct shown *shown, struct quipu__ovni_emulation *emulation,
                                  struct quipu__memory *memory) {
    static struct quipu__prv prv[QUIPU__OVNI_VIEWS];
    struct quipu__buffer out[QUIPU__OVNI_VIEWS], text;
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum quipu_status status = QUIPU_OK;
    for (unsigned i = 0; i < QUIPU__OVNI_VIEWS; i++) {
        quipu__buffer_init(&out[i], memory, 0);
        if (!quipu__ovni_has_view(emulation, (enum quipu__ovni_view)i))
            continue;
        emulation->lines[i] = &prv[i];
        assert_int_equal(quipu__prv_begin(&prv[i], memory, 1, (struct quipu_sink){shown_lines, &out[i]}, &err),
                         QUIPU_OK);
    }
    while (status == QUIPU_OK)
        status = quipu__ovni_emulate(emulation, 1, &err);
    assert_int_equal(status, QUIPU_END);
    if (emulation->errors == 0)
        quipu__ovni_emulation_end(emulation, true);
    quipu__buffer_init(&text, memory, 0);
    for (unsigned i = 0; i < QUIPU__OVNI_VIEWS; i++) {
        if (emulation->lines[i]) {
            assert_int_equal(quipu__prv_flush(&prv[i]), QUIPU_OK);
            shown->lines[i] = shown_rows(&out[i]);
            quipu__prv_release(&prv[i], memory);
            text.len = 0;
            quipu__ovni_put_pcf(emulation, (enum quipu__ovni_view)i, emulation->errors == 0, &text);
            shown->names[i] = shown_text(&text);
            text.len = 0;
            quipu__ovni_put_row(emulation, (enum quipu__ovni_view)i, &text);
            shown->rows[i] = shown_text(&text);
        }
        quipu__buffer_release(&out[i]);
    }
    quipu__buffer_release(&text);
    shown->events = emulation->events;
    shown->time = emulation->time;
}

/* Emulates a trace as ovniemu -l does: stops at the first error. */
static inline struct shown show_with(const char *path, bool breaks_down,
                                     const struct quipu__ovni_listener *listener) {
    static struct quipu__ovni_emulation emulation;
    const struct quipu__ovni_emulation_options options = {
        .stops = true, .breaks_down = breaks_down, .shows_as_then = true, .listener = listener};
    const struct quipu__ovni_system_options system_options = {.breaks_down = breaks_down};
    struct shown shown = {.rules = ""};
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__memory memory;
    struct quipu__files pool;
    struct quipu__ovni_files files;
    struct quipu__ovni_system system;
    struct quipu_findings *findings;
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&pool, &memory, 0);
    assert_int_equal(quipu__findings_new(&memory, &findings, &err), QUIPU_OK);
    assert_int_equal(quipu__ovni_files_open_folder(&files, &memory, &pool, findings, path, &err), QUIPU_OK);
    assert_int_equal(quipu__ovni_system_open(&system, &files, &system_options, &err), QUIPU_OK);
    if (!system.is_broken && system.errors == 0) {
        assert_int_equal(quipu__ovni_emulation_open(&emulation, &system, &options, &err), QUIPU_OK);
        show_emulation(&shown, &emulation, &memory);
        quipu__ovni_emulation_close(&emulation);
    }
    shown.rules = rules_found(findings);
    quipu__ovni_system_close(&system);
    quipu__ovni_files_close(&files);
    quipu__findings_free(findings);
    quipu__files_release(&pool);
    assert_int_equal(memory.used, 0);
    return shown;
}
static inline struct shown show(const char *path) {
    return show_with(path, false, NULL);
}

/* The values of a type in a view: row@time=value, with blanks between them. */
static inline const char *values_shown(const struct shown *shown, enum quipu__ovni_view view, int type) {
    const char *text = "";
    char *next, *copy = harness_text("%s", shown->lines[view]);
    for (char *line = strtok_r(copy, " ", &next); line; line = strtok_r(NULL, " ", &next)) {
        long long row, time, of, value;
        assert_int_equal(sscanf(line, "%lld:%lld:%lld:%lld", &row, &time, &of, &value), 4);
        if (of == type)
            text = harness_text("%s%s%lld@%lld=%lld", text, *text ? " " : "", row, time, value);
    }
    return text;
}

/* One thread that runs on CPU 0 from time 0 on, with these events; and what breaks rules in them. */
static inline struct shown show_events(const char *models, const char *events) {
    return show(
        MADE_TRACE({.tid = 11, .models = models, .events = harness_text("0 OHx i0 i-1 q0; %s", events)}));
}
static inline void assert_rules(const char *models, const char *events, const char *rules) {
    const struct shown shown = show_events(models, events);
    if (strcmp(shown.rules, rules) != 0)
        fail_msg("%s: %s, not %s", events, shown.rules, rules);
}

#endif

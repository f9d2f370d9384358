/* misuse.c CASE: a program that is wrong in one way. Its exit code is 7 when it gets to its end. Without an argument it prints
 * all cases with the function that must be named. */
#include "common.h"

#include <math.h>

static void begin_process(void) {
    ovni_proc_init(1, "misuse.0", 90);
}

static void begin(void) {
    begin_process();
    ovni_thread_init(90);
    ovni_add_cpu(0, 0);
    execute(0, -1, 0);
}

static char *text_of(size_t len) {
    static char text[2097137];
    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

static void emit_jumbo(uint32_t size, bool has_payload) {
    struct ovni_ev ev = {0};
    ovni_ev_set_mcv(&ev, "OUj");
    if (has_payload)
        ovni_payload_add(&ev, (const uint8_t *)"ab", 2);
    ovni_ev_jumbo_emit(&ev, (const uint8_t *)text_of(size), size);
}

static void add_payload(int first, int second, bool is_jumbo) {
    struct ovni_ev ev = {0};
    if (is_jumbo)
        ev.header.flags = OVNI_EV_JUMBO;
    else
        ovni_payload_add(&ev, (const uint8_t *)"0123456789abcdef", first);
    ovni_payload_add(&ev, (const uint8_t *)"0123456789abcdef", second);
}

static void in_child(void (*act)(void)) {
    if (fork() == 0) {
        act();
        _exit(7);
    }
    wait(NULL);
}

static void emit_burst(void) {
    emit("OB.");
}

static void *emit_in_thread(void *argument) {
    (void)argument;
    emit("OB.");
    return NULL;
}

static void run_in_thread(void) {
    pthread_t other;
    pthread_create(&other, NULL, emit_in_thread, NULL);
    pthread_join(other, NULL);
}

/* CASE(name, function that is named in the report, what is done) */
#define CASES                                                                                                  \
    CASE(version_null, ovni_version_check_str, ovni_version_check_str(NULL))                                   \
    CASE(version_malformed, ovni_version_check_str, ovni_version_check_str("1.2"))                             \
    CASE(version_major, ovni_version_check_str, ovni_version_check_str("2.0.0"))                               \
    CASE(version_minor, ovni_version_check_str, ovni_version_check_str("1.99.0"))                              \
    CASE(process_twice, ovni_proc_init, (begin_process(), begin_process()))                                    \
    CASE(process_after_fini, ovni_proc_init, (begin_process(), ovni_proc_fini(), begin_process()))             \
    CASE(process_in_child, ovni_proc_init, (begin(), in_child(begin_process)))                                 \
    CASE(loom_too_long, ovni_proc_init, ovni_proc_init(1, text_of(512), 90))                                   \
    CASE(loom_null, ovni_proc_init, ovni_proc_init(1, NULL, 90))                                               \
    CASE(fini_before_init, ovni_proc_fini, ovni_proc_fini())                                                   \
    CASE(fini_twice, ovni_proc_fini, (begin_process(), ovni_proc_fini(), ovni_proc_fini()))                    \
    CASE(rank_before_process, ovni_proc_set_rank, ovni_proc_set_rank(0, 1))                                    \
    CASE(rank_before_thread, ovni_proc_set_rank, (begin_process(), ovni_proc_set_rank(0, 1)))                  \
    CASE(thread_before_process, ovni_thread_init, ovni_thread_init(90))                                        \
    CASE(thread_zero, ovni_thread_init, (begin_process(), ovni_thread_init(0)))                                \
    CASE(thread_again, ovni_thread_init, (begin(), ovni_thread_free(), ovni_thread_init(90)))                  \
    CASE(thread_after_fini, ovni_thread_init, (begin_process(), ovni_proc_fini(), ovni_thread_init(90)))       \
    CASE(free_before_init, ovni_thread_free, (begin_process(), ovni_thread_free()))                            \
    CASE(free_twice, ovni_thread_free, (begin(), ovni_thread_free(), ovni_thread_free()))                      \
    CASE(require_before_thread, ovni_thread_require, (begin_process(), ovni_thread_require("nosv", "2.0.0")))  \
    CASE(require_null, ovni_thread_require, (begin(), ovni_thread_require(NULL, "1.0.0")))                     \
    CASE(require_space, ovni_thread_require, (begin(), ovni_thread_require("no sv", "1.0.0")))                 \
    CASE(require_dot, ovni_thread_require, (begin(), ovni_thread_require("no.sv", "1.0.0")))                   \
    CASE(require_short, ovni_thread_require, (begin(), ovni_thread_require("n", "1.0.0")))                     \
    CASE(require_long, ovni_thread_require, (begin(), ovni_thread_require(text_of(115), "1.0.0")))             \
    CASE(require_version, ovni_thread_require, (begin(), ovni_thread_require("nosv", "1.x.0")))                \
    CASE(cpu_before_thread, ovni_add_cpu, (begin_process(), ovni_add_cpu(0, 0)))                               \
    CASE(cpu_index, ovni_add_cpu, (begin(), ovni_add_cpu(-1, 0)))                                              \
    CASE(cpu_number, ovni_add_cpu, (begin(), ovni_add_cpu(0, -1)))                                             \
    CASE(emit_before_process, ovni_ev_emit, emit("OB."))                                                       \
    CASE(emit_before_thread, ovni_ev_emit, (begin_process(), emit("OB.")))                                     \
    CASE(emit_after_free, ovni_ev_emit, (begin(), ovni_thread_free(), emit("OB.")))                            \
    CASE(emit_in_other_thread, ovni_ev_emit, (begin(), run_in_thread()))                                       \
    CASE(emit_in_child, ovni_ev_emit, (begin(), in_child(emit_burst)))                                         \
    CASE(payload_one_byte, ovni_payload_add, (begin(), add_payload(2, 1, false)))                              \
    CASE(payload_negative, ovni_payload_add, (begin(), add_payload(2, -1, false)))                             \
    CASE(payload_too_long, ovni_payload_add, (begin(), add_payload(12, 5, false)))                             \
    CASE(payload_of_jumbo, ovni_payload_add, (begin(), add_payload(0, 4, true)))                               \
    CASE(jumbo_before_thread, ovni_ev_jumbo_emit, (begin_process(), emit_jumbo(4, false)))                     \
    CASE(jumbo_with_payload, ovni_ev_jumbo_emit, (begin(), emit_jumbo(4, true)))                               \
    CASE(jumbo_too_long, ovni_ev_jumbo_emit, (begin(), emit_jumbo(2097136, false)))                            \
    CASE(flush_before_thread, ovni_flush, (begin_process(), ovni_flush()))                                     \
    CASE(flush_after_fini, ovni_flush, (begin(), ovni_proc_fini(), ovni_flush()))                              \
    CASE(mark_type_before_thread, ovni_mark_type, (begin_process(), ovni_mark_type(1, 0, "a")))                \
    CASE(mark_type_number, ovni_mark_type, (begin(), ovni_mark_type(100, 0, "a")))                             \
    CASE(mark_type_negative, ovni_mark_type, (begin(), ovni_mark_type(-1, 0, "a")))                            \
    CASE(mark_type_empty, ovni_mark_type, (begin(), ovni_mark_type(1, 0, "")))                                 \
    CASE(mark_type_null, ovni_mark_type, (begin(), ovni_mark_type(1, 0, NULL)))                                \
    CASE(mark_type_twice, ovni_mark_type, (begin(), ovni_mark_type(1, 0, "a"), ovni_mark_type(1, 0, "a")))     \
    CASE(label_without_type, ovni_mark_label, (begin(), ovni_mark_label(1, 1, "a")))                           \
    CASE(label_of_zero, ovni_mark_label, (begin(), ovni_mark_type(1, 0, "a"), ovni_mark_label(1, 0, "a")))     \
    CASE(label_empty, ovni_mark_label, (begin(), ovni_mark_type(1, 0, "a"), ovni_mark_label(1, 1, "")))        \
    CASE(label_twice, ovni_mark_label,                                                                         \
         (begin(), ovni_mark_type(1, 0, "a"), ovni_mark_label(1, 1, "a"), ovni_mark_label(1, 1, "a")))         \
    CASE(mark_zero, ovni_mark_push, (begin(), ovni_mark_push(1, 0)))                                           \
    CASE(mark_pop_zero, ovni_mark_pop, (begin(), ovni_mark_pop(1, 0)))                                         \
    CASE(mark_set_zero, ovni_mark_set, (begin(), ovni_mark_set(1, 0)))                                         \
    CASE(mark_before_thread, ovni_mark_set, (begin_process(), ovni_mark_set(1, 1)))                            \
    CASE(attr_before_thread, ovni_attr_set_double, (begin_process(), ovni_attr_set_double("a", 1)))            \
    CASE(attr_not_finite, ovni_attr_set_double, (begin(), ovni_attr_set_double("a", NAN)))                     \
    CASE(attr_path, ovni_attr_set_str, (begin(), ovni_attr_set_double("a", 1), ovni_attr_set_str("a.b", "c"))) \
    CASE(attr_utf8, ovni_attr_set_str, (begin(), ovni_attr_set_str("a", "\xc3(")))                             \
    CASE(attr_json, ovni_attr_set_json, (begin(), ovni_attr_set_json("a", "{\"b\": }")))                       \
    CASE(attr_missing, ovni_attr_get_double, (begin(), (void)ovni_attr_get_double("a")))                       \
    CASE(attr_other_kind, ovni_attr_get_str,                                                                   \
         (begin(), ovni_attr_set_double("a", 1), (void)ovni_attr_get_str("a")))                                \
    CASE(attr_json_missing, ovni_attr_get_json, (begin(), free(ovni_attr_get_json("a"))))                      \
    CASE(attr_flush_before_thread, ovni_attr_flush, (begin_process(), ovni_attr_flush()))

#define CASE(name, function, action)                                                                           \
    static void do_##name(void) {                                                                              \
        action;                                                                                                \
    }
CASES
#undef CASE

static const struct {
    const char *name, *function;
    void (*act)(void);
} cases[] = {
#define CASE(name, function, action) {#name, #function, do_##name},
    CASES
#undef CASE
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 1)
            printf("%s %s\n", cases[i].name, cases[i].function);
        else if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].act();
    }
    if (argc == 1)
        return 0;
    emit("OB."); /* programs go on */
    ovni_mark_set(1, 1);
    return 7;
}

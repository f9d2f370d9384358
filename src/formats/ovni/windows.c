/* windows.c: configurations of Paraver, one window each, which shows one type of values. */
#include "formats/ovni/views.h"

#include <stdio.h>

enum { OF_CPU = 1, OF_THREAD = 2, OF_BOTH = 3 };

static const struct window {
    const char *folder, *name, *title;
    uint16_t type;
    uint8_t views;
    bool is_gradient; /* shows numbers, not states */
} windows[] = {
    {"kernel", "context-switch", "context switches", 45, OF_BOTH, false},
    {"mpi", "function", "MPI function", 25, OF_BOTH, false},
    {"nanos6", "idle", "Nanos6 idle state", 40, OF_BOTH, false},
    {"nanos6", "mpi-rank", "Nanos6 task MPI rank", 38, OF_BOTH, false},
    {"nanos6", "subsystem", "Nanos6 subsystem", 37, OF_BOTH, false},
    {"nanos6", "task-id", "Nanos6 task ID", 35, OF_BOTH, true},
    {"nanos6", "task-type", "Nanos6 task type", 36, OF_BOTH, false},
    {"nanos6", "thread-type", "Nanos6 thread type", 39, OF_BOTH, false},
    {"nanos6", "breakdown", "Nanos6 breakdown", 41, OF_CPU, false},
    {"openmp", "breakdown", "OpenMP breakdown", 53, OF_CPU, false},
    {"openmp", "label", "OpenMP label", 51, OF_BOTH, false},
    {"openmp", "subsystem", "OpenMP subsystem", 50, OF_BOTH, false},
    {"openmp", "task-id", "OpenMP task ID", 52, OF_BOTH, false},
    {"nosv", "body-id", "nOS-V task body ID", 15, OF_BOTH, true},
    {"nosv", "subsystem", "nOS-V subsystem", 13, OF_BOTH, false},
    {"nosv", "task-appid", "nOS-V task application", 12, OF_BOTH, true},
    {"nosv", "task-id", "nOS-V task ID", 10, OF_BOTH, true},
    {"nosv", "task-rank", "nOS-V task MPI rank", 14, OF_BOTH, true},
    {"nosv", "task-type", "nOS-V task type", 11, OF_BOTH, false},
    {"nosv", "idle", "nOS-V idle state", 16, OF_CPU, false},
    {"nosv", "breakdown", "nOS-V breakdown", 17, OF_CPU, false},
    {"nodes", "subsystem", "NODES subsystem", 30, OF_BOTH, false},
    {"tampi", "subsystem", "TAMPI subsystem", 20, OF_BOTH, false},
    {"ovni", "flushing", "flushing of the buffer", 7, OF_BOTH, false},
    {"ovni", "mark", "marks", 100, OF_BOTH, false},
    {"ovni", "pid", "process", 1, OF_BOTH, false},
    {"ovni", "tid", "thread", 2, OF_BOTH, false},
    {"ovni", "number-running-threads", "running threads", 3, OF_CPU, true},
    {"ovni", "affinity", "CPU affinity", 6, OF_THREAD, false},
    {"ovni", "state", "thread state", 4, OF_THREAD, false},
};

static void put_window(struct quipu__buffer *out, const char *title, unsigned type, bool is_gradient,
                       const char *function) {
    out->len = 0;
    quipu__put_format(out,
                      "#ParaverCFG\nConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n\n"
                      "window_name %s\nwindow_type single\nwindow_id 1\n"
                      "window_position_x 100\nwindow_position_y 100\nwindow_width 600\nwindow_height 150\n"
                      "window_comm_lines_enabled false\nwindow_flags_enabled false\nwindow_noncolor_mode true\n"
                      "window_color_mode %s\nwindow_logical_filtered true\nwindow_physical_filtered false\n"
                      "window_units Microseconds\nwindow_maximum_y 1000.0\nwindow_minimum_y 1.0\n"
                      "window_compute_y_max true\nwindow_level thread\nwindow_scale_relative 1.0\n"
                      "window_end_time_relative 1.0\nwindow_object appl { 1, { All } }\n"
                      "window_begin_time_relative 0.0\nwindow_open true\nwindow_drawmode draw_randnotzero\n"
                      "window_drawmode_rows draw_randnotzero\nwindow_pixel_size 1\n",
                      title, is_gradient ? "window_in_null_gradient_mode" : "window_in_code_mode");
    quipu__put_format(out,
                      "window_selected_functions { 14, { {cpu, Active Thd}, {appl, Adding}, {task, Adding}, "
                      "{thread, %s}, {node, Adding}, {system, Adding}, {workload, Adding}, {from_obj, All}, "
                      "{to_obj, All}, {tag_msg, All}, {size_msg, All}, {bw_msg, All}, {evt_type, =}, "
                      "{evt_value, All} } }\n"
                      "window_compose_functions { 9, { {compose_cpu, As Is}, {compose_appl, As Is}, "
                      "{compose_task, As Is}, {compose_thread, As Is}, {compose_node, As Is}, "
                      "{compose_system, As Is}, {compose_workload, As Is}, {topcompose1, As Is}, "
                      "{topcompose2, As Is} } }\n"
                      "window_filter_module evt_type 1 %u\nwindow_filter_module evt_type_label 1 \"%s\"\n",
                      function, type, title);
}

typedef enum quipu_status put_function(void *context, const char *name, const struct quipu__buffer *text,
                                       struct quipu_error *err);

static enum quipu_status put_of_view(const struct window *window, bool is_cpu, struct quipu__buffer *text,
                                     put_function *put, void *context, struct quipu_error *err) {
    const char *view = is_cpu ? "cpu" : "thread";
    char name[100], title[100];
    if (!(window->views & (is_cpu ? OF_CPU : OF_THREAD)))
        return QUIPU_OK;
    snprintf(name, sizeof name, "%s/%s/%s.cfg", view, window->folder, window->name);
    snprintf(title, sizeof title, "%s: %s", is_cpu ? "CPU" : "Thread", window->title);
    put_window(text, title, window->type, window->is_gradient, "Last Evt Val");
    return put(context, name, text, err);
}

/* A counter has the value that it gets at the end of a period. */
static enum quipu_status put_counter(const struct quipu__ovni_emulation *emulation, uint32_t counter,
                                     bool is_cpu, struct quipu__buffer *text, put_function *put, void *context,
                                     struct quipu_error *err) {
    const char *counter_name = emulation->system->counters[counter];
    char name[QUIPU__OVNI_LABEL_MOST + 64], title[QUIPU__OVNI_LABEL_MOST + 64];
    snprintf(name, sizeof name, "%s/nosv/hwc-%s.cfg", is_cpu ? "cpu" : "thread", counter_name);
    snprintf(title, sizeof title,
             is_cpu ? "CPU: nOS-V %s of the RUNNING thread" : "Thread: nOS-V %s of the ACTIVE thread",
             counter_name);
    for (char *slash = name + (is_cpu ? sizeof "cpu/nosv" : sizeof "thread/nosv"); *slash; slash++)
        if (*slash == '/')
            *slash = '_';
    put_window(text, title, QUIPU__OVNI_TYPE_COUNTERS + counter, true, "Next Evt Val");
    return put(context, name, text, err);
}

enum quipu_status quipu__ovni_each_window(const struct quipu__ovni_emulation *emulation, put_function *put,
                                          void *context, struct quipu_error *err) {
    struct quipu__buffer text;
    enum quipu_status status = QUIPU_OK;
    if (emulation->edition != QUIPU__OVNI_EDITION_today) /* its types differ */
        return QUIPU_OK;
    quipu__buffer_init(&text, emulation->memory, 0);
    for (size_t i = 0; i < sizeof windows / sizeof *windows && status == QUIPU_OK; i++)
        for (int is_cpu = 0; is_cpu < 2 && status == QUIPU_OK; is_cpu++)
            status = put_of_view(&windows[i], is_cpu, &text, put, context, err);
    for (uint32_t i = 0; i < emulation->system->counter_count; i++)
        for (int is_cpu = 0; is_cpu < 2 && status == QUIPU_OK; is_cpu++)
            status = put_counter(emulation, i, is_cpu, &text, put, context, err);
    quipu__buffer_release(&text);
    return status;
}

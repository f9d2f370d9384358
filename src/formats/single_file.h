/* single_file.h: shared by foreign targets that write one file, event by event: the file, the text to write next, the numbers that
 * the ends of messages share, the slices of what is active besides calls, and the numbers of processes. A target puts struct
 * quipu__single_file first in its own struct. */
#ifndef QUIPU_FORMATS_SINGLE_FILE_H
#define QUIPU_FORMATS_SINGLE_FILE_H

#include "state/events.h"
#include "core/memory/vec.h"
#include "core/memory/map.h"
#include "core/memory/buffer.h"
#include "formats/descriptor.h"
#include "state/matcher.h"

/* ---- Slices ---- */

/* What is active besides calls, as slices on separate tracks, for targets that draw. The tracker says when an interval begins and
 * ends; here each interval gets a track of its location and class on which no other one is active, so slices of a track never
 * overlap. Each channel has its own track.
 */

/* Numbers of tracks count from 0, in the order in which they are first needed. */
struct quipu__slice_track {
    uint32_t location;
    uint32_t channel; /* QUIPU_NONE for other classes */
    enum quipu__interval_class interval_class;
    uint32_t next_free; /* next free track of its group, while no slice is active */
};

/* A slice that begins or ends. */
struct quipu__drawn_slice {
    uint32_t track;
    const char *name;
    bool has_own_end; /* at its end: the event ends it, and does not merely replace it */
};

struct quipu__slices {
    struct quipu__memory *memory;
    struct quipu__tracker tracker;
    struct quipu__map free_of; /* location and class or channel: a free track, plus 1; 0 for none */
    QUIPU__VEC(struct quipu__slice_track) tracks;
    struct quipu__buffer name;
    const struct quipu_definitions *definitions;
    bool is_started, failed;
    bool has_drawn;       /* the event that was added last */
    enum quipu_kind kind; /* of that event */

    /* Called for each slice, whose track is known by then. */
    void (*begin)(void *context, const struct quipu__drawn_slice *slice);
    void (*end)(void *context, const struct quipu__drawn_slice *slice);
    void *context;
};

/* The region of the innermost call at a location, for a leave without a region; QUIPU_NONE when there is none. */
uint32_t quipu__slices_innermost(const struct quipu__slices *slices, uint32_t location);

/* The name of a track: its channel, or the class of its intervals. */
const char *quipu__slice_track_name(const struct quipu__slices *slices, uint32_t track);

struct quipu__single_file;

/* What is specific to a target. Output goes to the buffer out. */
struct quipu__single_file_functions {
    size_t size; /* of the target's own struct, which is zeroed */

    /* Puts new definitions; called before each batch and at the end. */
    void (*put_definitions)(struct quipu__single_file *own, const struct quipu_definitions *definitions);

    /* message: the number that a send shares with its receive, 0 for everything else. */
    void (*put_event)(struct quipu__single_file *own, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t message);

    /* Puts what the current event (own->event) begins or ends besides calls. Then put_event is called only for messages. */
    void (*begin_slice)(struct quipu__single_file *own, const struct quipu__drawn_slice *slice);
    void (*end_slice)(struct quipu__single_file *own, const struct quipu__drawn_slice *slice);

    /* Tracks of marks, before the first mark, and marks. */
    void (*put_mark_track)(struct quipu__single_file *own, const struct quipu__mark_track *track,
                           uint32_t number);
    void (*put_mark)(struct quipu__single_file *own, const struct quipu__mark *mark,
                     const struct quipu__mark_track *track);

    /* These may be NULL. */
    void (*init)(struct quipu__single_file *own);
    void (*put_end)(struct quipu__single_file *own);
    void (*release)(struct quipu__single_file *own);
};

struct quipu__single_file {
    const struct quipu__single_file_functions *functions;
    struct quipu__memory *memory;
    struct quipu__file *file;
    struct quipu__buffer out;
    struct quipu__matcher messages;
    uint64_t *dropped; /* per kind: events that are left out */
    struct quipu__slices slices;
    const struct quipu_definitions *definitions;
    const struct quipu_event *event; /* at hand */
    uint32_t left;                   /* for a leave: the region, which the event need not name */
    bool has_snapshots, has_statistics;
    bool has_pids, has_ranks; /* has_pids: the numbering of processes is chosen; has_ranks: by ranks */
    uint32_t first_pid;       /* of processes without a rank */
};

/* Options of all targets: --set snapshots=yes and statistics=yes. */
enum { QUIPU__SINGLE_FILE_OPTIONS = 2 };
extern const struct quipu_option quipu__single_file_options[QUIPU__SINGLE_FILE_OPTIONS];

/* The number of a location's process: its rank if ranks are known and distinct. */
uint32_t quipu__single_file_pid(struct quipu__single_file *own, const struct quipu_definitions *definitions,
                                uint32_t location);

/* Everything: instants have what has no other form as details. */
extern const struct quipu__capabilities quipu__single_file_capabilities;

/* Functions of a target; create calls the first one with its functions. */
enum quipu_status quipu__single_file_create(struct quipu__output_trace *output,
                                            const struct quipu__single_file_functions *functions,
                                            struct quipu_error *err);
enum quipu_order quipu__single_file_order_of(const struct quipu_definitions *definitions);
enum quipu_status quipu__single_file_put_batch(struct quipu__output_trace *output,
                                               const struct quipu_batch *batch, struct quipu_error *err);
enum quipu_status quipu__single_file_put_marks(struct quipu__output_trace *output,
                                               const struct quipu__marks *marks, struct quipu_error *err);
enum quipu_status quipu__single_file_finish(struct quipu__output_trace *output, struct quipu_error *err);

void quipu__single_file_abandon(struct quipu__output_trace *output);

/* The writing struct of a target that only has its own create, and members of its descriptor. */
#define QUIPU__SINGLE_FILE_WRITING(create_function)                                                            \
    {                                                                                                          \
        .order = QUIPU_ORDER_STREAM, .resolution = UINT64_C(1000000000),                                       \
        .order_of = quipu__single_file_order_of, .capabilities = &quipu__single_file_capabilities,             \
        .create = (create_function), .put_batch = quipu__single_file_put_batch,                                \
        .put_marks = quipu__single_file_put_marks, .finish = quipu__single_file_finish,                        \
        .abandon = quipu__single_file_abandon,                                                                 \
    }
#define QUIPU__SINGLE_FILE_INFO                                                                                \
    .abilities = QUIPU_CAN_WRITE | QUIPU_IS_ONE_FILE, .options = quipu__single_file_options,                   \
    .option_count = QUIPU__SINGLE_FILE_OPTIONS

#endif

/* fold.h: what an analysis is: a fold over batches of events that ends in tables.
 *
 *     begin → consume, consume, … → combine with other states → finish → tables → release
 *
 * Most folds need no merged streams: they keep what they know per location. Streams come one after the other, each substream
 * whole and in time order; substreams of a stream have locations of their own. A location that has events in several
 * streams begins again in each, since they may come to different states when threads share the work. combine joins
 * states, is associative and commutative, and finish sorts, so that the answer depends neither on the number of states
 * nor on the order of streams.
 */
#ifndef QUIPU_ANALYSIS_SHARED_FOLD_H
#define QUIPU_ANALYSIS_SHARED_FOLD_H

#include "core/memory/buffer.h"
#include "core/text/setting.h"
#include "core/slice.h"
#include "table/table.h"

#include <quipu/analysis.h>

/* Whether a location has values of counters only: nothing runs there. */
static inline bool quipu__is_meter(const struct quipu_definitions *definitions, size_t location) {
    return location < definitions->locations.count &&
           definitions->locations.items[location].kind == QUIPU_LOCATION_METER;
}

/* A window of time. */
struct quipu__window {
    int64_t from, to; /* from <= time < to; INT64_MAX: no end */
};

static inline bool quipu__window_has(const struct quipu__window *window, int64_t time) {
    return time >= window->from && (time < window->to || window->to == INT64_MAX);
}

/* What is reported of all that is read and matched (settings.h): times in ns, since <= time < until, and locations. */
struct quipu__reported {
    int64_t since, until;
    bool has_times; /* they are given, also as the whole trace */
    bool *marks;    /* by location, of those that are defined at the beginning; NULL: all are reported */
    uint32_t location_count;
};

static inline bool quipu__reports(const struct quipu__reported *reported, uint32_t location) {
    return !reported->marks || (location < reported->location_count && reported->marks[location]);
}

static inline int64_t quipu__reported_from(const struct quipu__reported *reported, int64_t time) {
    return time > reported->since ? time : reported->since;
}

static inline int64_t quipu__reported_to(const struct quipu__reported *reported, int64_t time) {
    return time < reported->until ? time : reported->until;
}

/* What begin is told. Borrowed for the life of the state. */
struct quipu__fold_start {
    const struct quipu_definitions *definitions;
    struct quipu__settings settings;         /* checked */
    const struct quipu_selection *selection; /* what is read; NULL: everything */
    const struct quipu__window
        *window; /* what counts of all that is read, in a fold that cuts calls; NULL: everything */
    const struct quipu__reported *reported; /* NULL: everything */
    const struct quipu_tables *asked;       /* the answer that the fold asks for first; NULL: none */
    struct quipu__together *together;       /* of the one fold that stands for several; else NULL */
    const char *sort; /* column that a user asked for; NULL: none. Tables are sorted by it behind the fold */
    const struct quipu__memory
        *memory;            /* the model of the state's own gate, see quipu__memory_like; may be NULL */
    bool retimes;           /* new times of all events are wanted */
    bool fills_index;       /* no tables are wanted, but what an index is to hold of the whole trace */
    bool fills_picture;     /* no tables are wanted, but the state that they would be made of */
    bool spreads_locations; /* the events of a location may lie in several streams */
};

static inline struct quipu__reported quipu__reported_of(const struct quipu__fold_start *start) {
    return start->reported ? *start->reported : (struct quipu__reported){INT64_MIN, INT64_MAX, false, NULL, 0};
}

/* What an index holds of a whole trace for an analysis: levels of detail, the coarsest first, each in a section of its own, which is named with a
 * version ("timeline 1 80"). */
struct quipu__fold_levels {
    const char *const *sections;
    size_t count;

    /* Whether a level answers with these settings as the trace does: everything, and nothing less. */
    bool (*serves)(const struct quipu__settings *settings, size_t level);

    /* Appends a level of a state that fills an index and has finished; nothing when the trace has none. load begins a state from it that has only to
     * finish. The bytes come from a file and are not trusted: QUIPU_CORRUPT when they cannot be right. */
    enum quipu_status (*save)(void *state, size_t level, struct quipu__buffer *out, struct quipu_error *err);
    enum quipu_status (*load)(const struct quipu__fold_start *start, size_t level, struct quipu__slice bytes,
                              void **state, struct quipu_error *err);
};

struct quipu__stream_range;
struct quipu__unneeded_calls;

struct quipu__fold {
    struct quipu_analysis info;
    quipu_kinds kinds;     /* events that it wants to see */
    bool needs_attributes; /* and whether with their attributes */
    bool
        cuts_calls; /* calls count with their part in the window of the selection: it reads all times, and cuts */
    bool is_selective;   /* it has QUIPU__REPORTED_TIMES and _LOCATIONS among its options */
    bool narrows_events; /* and its option "where" is of events, not of locations */
    const char *until;   /* the option of kind TIME that says where reading ends; may be NULL */
    enum quipu_order
        order; /* TIME: batches are merged, and combine is not needed. WINDOWS: the same, but only the events of each
                             * process need the order of time: where threads or streams share one, they are merged all the same */

    /* Narrows or widens what is read as settings ask for it, such as to events of all streams merged by time: then one thread
     * reads. May be NULL. */
    void (*select)(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                   struct quipu_selection *selection);

    /* The analysis whose answer begin is told, with the setting that it is put into beside the times that are reported. NULL, as the member may
     * be: none. */
    const char *(*asks)(const struct quipu__settings *settings, struct quipu_setting *setting);

    enum quipu_status (*begin)(const struct quipu__fold_start *start, void **state, struct quipu_error *err);
    enum quipu_status (*consume)(void *state, const struct quipu_batch *batch, struct quipu_error *err);

    /* Of order WINDOWS: what the next pass may leave out of its batches, which whoever has read them does, and consuming does not change; NULL, as
     * the member may be: all events are wanted. */
    const struct quipu__unneeded_calls *(*unneeded)(const void *state);

    /* After everything has been read: whether to read it once more, in which order, and what of it. The selection is what was
     * read last. A pass in the order of streams gets the events of each location in the order of time: streams are merged where a location may
     * have events in several. NULL: once is enough. The first of several passes is for one thread. */
    bool (*next_pass)(void *state, struct quipu_selection *selection);

    /* Makes a state that has just begun ready to share a later pass in the order of streams with the first state: from what that has found
     * it may borrow until combine what no thread changes, or only the one that reads a location. Each location comes to one state. NULL:
     * later passes are for one thread. */
    enum quipu_status (*share)(void *state, const void *first, struct quipu_error *err);

    /* Adds what other knows to state; other is then only good for release. After a shared later pass state is the first one. */
    enum quipu_status (*combine)(void *state, void *other, struct quipu_error *err);

    /* States as bytes, for folds in stream order that several processes share: save appends what combine would take from a state, which is then
     * only good for release, and load begins a state that has just that. Bytes are not trusted: load sets failed when they cannot be right,
     * and fails itself only when memory is out. NULL: one process must read everything. */
    enum quipu_status (*save)(void *state, struct quipu__buffer *out, struct quipu_error *err);
    enum quipu_status (*load)(const struct quipu__fold_start *start, struct quipu__slice *from, void **state,
                              struct quipu_error *err);

    /* Adds the tables of the answer. */
    enum quipu_status (*finish)(void *state, struct quipu_tables *tables, struct quipu_error *err);
    void (*release)(void *state);

    /* Relates the answers of count traces, each the tables of one, to each other: adds the tables of that. NULL: they are not
     * related. Options that relate are not told to begin. */
    enum quipu_status (*relate)(const struct quipu_tables *const *answers, const char *const *names,
                                size_t count, const struct quipu__settings *settings,
                                struct quipu_tables *tables, struct quipu_error *err);

    /* After finish, new times for all events, when they were wanted; NULL when there are none. The member is NULL in analyses that
     * give none. */
    const struct quipu__time_shifts *(*shifts)(const void *state);

    /* Checkpoints of a substream at a time, for the index. save_checkpoint appends all that a state knows that has consumed
     * events of one substream only; resume begins a state that continues there, with the settings for which it can. The bytes come from a
     * file and are not trusted: QUIPU_CORRUPT when they cannot be right. section names what save_checkpoint writes, with a version
     * ("profile 2"). All NULL in analyses without checkpoints; those that need attributes have none. */
    const char *section;
    bool (*can_resume)(const struct quipu__settings *settings); /* NULL: with any settings */
    enum quipu_status (*save_checkpoint)(const void *state, struct quipu__buffer *out, struct quipu_error *err);
    enum quipu_status (*resume)(const struct quipu__fold_start *start, struct quipu__slice bytes, void **state,
                                struct quipu_error *err);
    const struct quipu__fold_levels *levels; /* NULL: none */
};

/* Makes a state for begin: a struct whose first member is the memory that everything in it is taken from, and whose others are zero. NULL when memory
 * is out. */
void *quipu__fold_state(const struct quipu__fold_start *start, size_t size, void **state);
void quipu__fold_state_release(void *state, size_t size);

/* A fold by the name of its analysis, or NULL. */
const struct quipu__fold *quipu__fold_find(const char *name);

/* The settings of an analysis, as begin is told them. QUIPU_MISUSE when they are not of its options. */
enum quipu_status quipu__fold_settings(const struct quipu__fold *fold, const struct quipu_setting *items,
                                       size_t count, struct quipu__settings *out, struct quipu_error *err);

/* The caller's options, which may be NULL; members that it does not know yet mean nothing. */
struct quipu_analysis_options quipu__analysis_options_complete(const struct quipu_analysis_options *options);

/* The tables of a state that has consumed everything, sorted by a column, or by the fold's own when that is NULL. The caller frees them. */
enum quipu_status quipu__fold_tables(const struct quipu__fold *fold, void *state,
                                     const struct quipu__memory *memory, const char *column,
                                     struct quipu_tables **out, struct quipu_error *err);

/* What an analysis is run for: tables; new times, too; what an index holds; its state, as a picture needs it. */
enum quipu__analysis_purpose { QUIPU__FOR_TABLES, QUIPU__FOR_TIMES, QUIPU__FOR_INDEX, QUIPU__FOR_PICTURE };

/* An analysis that has been run, as quipu_analysis_run does. release it in any case. asked: the answer that its fold asks for, when the caller has
 * it; else NULL. */
struct quipu__analysis_answer {
    const struct quipu__fold *fold;
    void *state;
    struct quipu_tables *tables; /* the caller frees them */
};
enum quipu_status quipu__analysis_run(struct quipu_reader *reader, const char *name,
                                      const struct quipu_analysis_options *options,
                                      enum quipu__analysis_purpose purpose, const struct quipu_tables *asked,
                                      struct quipu__analysis_answer *out, struct quipu_error *err);
void quipu__analysis_answer_release(struct quipu__analysis_answer *answer);

/* Runs an analysis with several settings, for pictures, in one reading of all events; what an index answers is not read. Each answer is to be
 * released, also after failures. QUIPU_UNSUPPORTED when they do not read the same: then each is to be run by itself. */
enum { QUIPU__TOGETHER_MOST = 16 };
struct quipu__analysis_question {
    const struct quipu_setting *settings;
    size_t setting_count;
    struct quipu__analysis_answer answer;
};
enum quipu_status quipu__analysis_run_together(struct quipu_reader *reader, const char *name,
                                               struct quipu__analysis_question *questions, size_t count,
                                               struct quipu_error *err);

/* The fold of an analysis by its index in the list. */
const struct quipu__fold *quipu__fold_at(size_t index);

/* Reads the selection of the reader into a state, in as many passes as the fold wants, and with as many threads as the reader may use. The caller releases the
 * state, also after failures; there may be none. QUIPU_STOPPED when progress has stopped it. */
enum quipu_status quipu__fold_run(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                  struct quipu_reader *reader, void **state, struct quipu_error *err);

/* Reads a part of the selection into a state that has begun, with as many threads. */
enum quipu_status quipu__fold_read_range(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                         struct quipu_reader *reader, const struct quipu__stream_range *range,
                                         bool *must_repeat, void *state, struct quipu_error *err);

/* Reads the share of this process and gives the state of all. QUIPU_END: another process has it. must_repeat is set when the trace must be read
 * by one process, as in quipu__reader_share. */
enum quipu_status quipu__fold_run_shared(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                         struct quipu_reader *reader, bool *must_repeat, void **state,
                                         struct quipu_error *err);

/* Selects and reads like quipu__fold_run, but from a level of the index, or resumes at a checkpoint of it. QUIPU_OK without a state when
 * there is none that serves: then everything is to be read. */
enum quipu_status quipu__fold_resume(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                     struct quipu_reader *reader, const struct quipu_selection *selection,
                                     void **state, struct quipu_error *err);

#endif

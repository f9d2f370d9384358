/* index.h: the sidecar index of a trace: what is known at some times, its points, so that reading and analyses can resume
 * there and need not read what was before.
 *
 * For the trace as a whole there may be a survey: what its format finds by reading all of it when it is opened (formats/descriptor.h).
 * For each substream and each point there are sections. "resume" is what a pass must know to resume there (pass_save); the
 * others are the checkpoints of analyses ("profile 2": name and version) and say what they know of the substream's
 * events before that time. Sections of unknown names do no harm.
 *
 * An index is made for one state of the trace's files and is not used for another (identity.h). docs/internals/index-format.md
 * describes the file.
 */
#ifndef QUIPU_INDEX_INDEX_H
#define QUIPU_INDEX_INDEX_H

#include "core/bisect.h"
#include "formats/descriptor.h"

#define QUIPU__INDEX_RESUME "resume"      /* name of the section that a pass resumes from */
enum { QUIPU__INDEX_SECTIONS_MOST = 16 }; /* names of sections */

/* Where a section lies in the data. */
struct quipu__index_entry {
    uint32_t offset; /* QUIPU_NONE: there is none */
    uint32_t size;
    bool is_packed; /* by zstd */
};

struct quipu__index {
    struct quipu__memory *memory;
    const char *path;                                      /* of its file */
    struct quipu__slice names[QUIPU__INDEX_SECTIONS_MOST]; /* of sections; borrowed */
    uint32_t section_count;
    QUIPU__VEC(int64_t) times;  /* of the points, ascending */
    bool has_end;               /* the last point is behind all events */
    uint32_t *first_substreams; /* of the streams, and how many there are at last */
    uint32_t stream_count;
    QUIPU__VEC(struct quipu__index_entry) entries; /* by substream, then point, then section */
    struct quipu__buffer bytes;                 /* the sections in the order of entries, but each only once, */
    size_t data;                                /* from here on */
    struct quipu__slice identity, survey, rest; /* of a file that has been loaded: borrowed from its bytes */
    bool is_survey_packed;
};

/* An empty index of a trace, without points and sections. */
void quipu__index_init(struct quipu__index *index, const struct quipu__trace *trace);
void quipu__index_release(struct quipu__index *index);

/* ---- Asking ---- */

/* Number of the latest point at or before a time; QUIPU_NONE when there is none, or no index (NULL). */
static inline uint32_t quipu__index_find(const struct quipu__index *index, int64_t time) {
    size_t low = 0;
    QUIPU__BISECT(low, index ? index->times.count : 0, i, index->times.items[i] <= time);
    return low > 0 ? (uint32_t)(low - 1) : QUIPU_NONE;
}

/* The time of a point: its sections tell what was before. */
static inline int64_t quipu__index_time(const struct quipu__index *index, uint32_t point) {
    return index->times.items[point];
}

/* True when no event of the trace comes at or after that point. */
static inline bool quipu__index_is_end(const struct quipu__index *index, uint32_t point) {
    return index->has_end && point + 1 == index->times.count;
}

/* What a section says of a substream at a point: out->at is NULL when there is none of that name. The bytes are borrowed
 * from the index or from room, which the caller has initialised and may use for the next one; so several threads may ask
 * at the same time. They come from a file and are not trusted. */
enum quipu_status quipu__index_section(const struct quipu__index *index, const char *name, uint32_t stream,
                                       uint32_t substream, uint32_t point, struct quipu__buffer *room,
                                       struct quipu__slice *out, struct quipu_error *err);

/* Lets a pass that has just been opened resume at the latest point that its filter allows. QUIPU_CORRUPT when the index
 * does not serve. */
enum quipu_status quipu__index_resume(const struct quipu__index *index, struct quipu__pass *pass,
                                      struct quipu_error *err);

/* ---- Files ---- */

/* What a file may be to a trace. */
enum quipu__index_answer {
    QUIPU__INDEX_FITS,
    QUIPU__INDEX_MISSING,
    QUIPU__INDEX_FOREIGN, /* not an index at all */
    QUIPU__INDEX_UNREADABLE,
    QUIPU__INDEX_DAMAGED,
    QUIPU__INDEX_CHANGED,   /* that of another state of the trace */
    QUIPU__INDEX_UNCERTAIN, /* maybe */
    QUIPU__INDEX_ANSWERS
};

/* Loads a file into an index that has just been initialised, and compares it with the trace: by its files alone where it is not open yet. Then
 * only the survey may be asked for. When it does not fit, why (may be NULL) says more and the index may only be released. */
enum quipu__index_answer quipu__index_load(struct quipu__index *index, const struct quipu__trace *trace,
                                           const char *path, bool is_open, struct quipu_error *why);

/* Reads the tables of an index that has been loaded, for its trace, which is open. */
enum quipu__index_answer quipu__index_read_tables(struct quipu__index *index, const struct quipu__trace *trace,
                                                  struct quipu_error *why);

/* Both, for a trace that is open. */
static inline enum quipu__index_answer quipu__index_read(struct quipu__index *index,
                                                         const struct quipu__trace *trace, const char *path,
                                                         struct quipu_error *why) {
    const enum quipu__index_answer answer = quipu__index_load(index, trace, path, true, why);
    return answer == QUIPU__INDEX_FITS ? quipu__index_read_tables(index, trace, why) : answer;
}

/* Notes that an index is not used: a finding. */
void quipu__index_report(struct quipu_findings *findings, enum quipu__index_answer answer, const char *path,
                         const char *why);

/* Fails with the reason why an index is not used. */
enum quipu_status quipu__index_refuse(enum quipu__index_answer answer, const char *path,
                                      struct quipu_error *err);

/* Numbers the substreams of a trace that is open. */
enum quipu_status quipu__index_number_substreams(struct quipu__index *index, const struct quipu__trace *trace,
                                                 struct quipu_error *err);

/* Appends what a file of the index holds in front of the sections. */
enum quipu_status quipu__index_write_head(const struct quipu__index *index,
                                          const struct quipu__buffer *identity, struct quipu__buffer *out,
                                          struct quipu_error *err);

#endif

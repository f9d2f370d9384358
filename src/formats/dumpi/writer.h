/* writer.h: a DUMPI trace being written: one file per rank and a metafile. Shared by copying records (writer.c) and
 * rebuilding calls from events (from_model.c). */
#ifndef QUIPU_DUMPI_WRITER_H
#define QUIPU_DUMPI_WRITER_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/descriptor.h"
#include "formats/dumpi/format.h"
#include "formats/dumpi/wall_clock.h"

/* What a repair does. */
enum quipu__dumpi_repair {
#define REPAIR(name, id, severity, text) QUIPU__DUMPI_REPAIR_##name,
#include "formats/dumpi/repairs.def"
#undef REPAIR
    QUIPU__DUMPI_REPAIR_COUNT
};

/* The file of one rank. */
struct quipu__dumpi_out {
    uint32_t rank;
    struct quipu__file *file;
    struct quipu__dumpi_encoder encoder;
    int32_t cpu_bias, wall_bias;
    struct quipu__dumpi_wall_clock wall; /* state of a reader of what was written */
    struct quipu__dumpi_index index;     /* offsets of the sections written so far */
    uint32_t sections;                   /* bit per section that was written */
    struct quipu__dumpi_index before;    /* the index of the file being copied */
    bool has_begin, has_end, has_before, is_complete;
    uint64_t calls_end;                      /* where the end mark ends */
    bool is_rebuilt;                         /* nothing is left of the file being repaired */
    const struct quipu__dumpi_file *damaged; /* the file being repaired, else NULL */
    uint32_t counts[QUIPU__DUMPI_SLOTS];     /* calls written */
    uint32_t ignored[QUIPU__DUMPI_SLOTS];    /* calls that left no record */
    uint32_t counter_count;                  /* number of counters of its records */
    QUIPU__VEC(int32_t) user_sizes;          /* of the user's own datatypes, 0: not known */
};

struct quipu__dumpi_writer {
    struct quipu__output_trace *writing;
    struct quipu__memory *memory;
    struct quipu__arena arena;
    const char *prefix; /* of the files' names, with the folder */
    bool is_single;     /* one file without a metafile: the path is that file's */
    uint32_t version;   /* for what is not copied */
    QUIPU__VEC(struct quipu__dumpi_out *) outs;
    struct quipu__map numbers; /* rank to index of its out */
    struct quipu__dumpi_codecs codecs;
    struct quipu__dumpi_out *current; /* of begin_stream */
    struct quipu__buffer buffer;      /* of one record */
    struct quipu__file *metafile;     /* NULL for a single file */
    const char *host, *user;          /* for the metafile */
    bool has_header;                  /* a written header, of that rank, says what the metafile repeats */
    uint32_t header_rank;
    uint64_t start_time;
    struct quipu__dumpi_rebuilding *rebuilding; /* from_model.c */
};

/* The file of a rank, made when there is none yet. */
enum quipu_status quipu__dumpi_out_at(struct quipu__dumpi_writer *writer, uint32_t rank,
                                      struct quipu__dumpi_out **out, struct quipu_error *err);

/* Writes magic and biases, which come first. */
enum quipu_status quipu__dumpi_out_begin(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                         int32_t cpu_bias, int32_t wall_bias, uint32_t version,
                                         struct quipu_error *err);
/* Whether a reader will get back the times of the next call. */
bool quipu__dumpi_out_times(struct quipu__dumpi_out *out, const struct quipu__dumpi_call *common);
enum quipu_status quipu__dumpi_out_call(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                        uint32_t type, const struct quipu__dumpi_call *common, const void *data,
                                        struct quipu_error *err);
enum quipu_status quipu__dumpi_out_section(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                           uint32_t type, const void *data, struct quipu_error *err);

/* Remembers the size of a datatype for the size section. */
void quipu__dumpi_out_learn(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out, int16_t datatype,
                            int32_t size);

/* Writes the end mark, unless it is there. */
enum quipu_status quipu__dumpi_out_end(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                       struct quipu_error *err);

/* from_model.c */
extern const struct quipu__capabilities quipu__dumpi_capabilities;
enum quipu_status quipu__dumpi_put_batch(struct quipu__output_trace *writing, const struct quipu_batch *batch,
                                         struct quipu_error *err);
enum quipu_status quipu__dumpi_end_events(struct quipu__output_trace *writing, struct quipu_error *err);
void quipu__dumpi_rebuild_free(struct quipu__dumpi_writer *writer);

/* writer.c */
extern const struct quipu__copying quipu__dumpi_copying;
extern const struct quipu__writing quipu__dumpi_writing;

#endif

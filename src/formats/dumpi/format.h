/* format.h: shared by the files of this folder: an open trace, the files of its ranks, and the steps of opening. */
#ifndef QUIPU_DUMPI_FORMAT_H
#define QUIPU_DUMPI_FORMAT_H

#include "formats/dumpi/codec.h"
#include "formats/dumpi/mapping.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/descriptor.h"

/* Ranks that may lack files, besides half of them: of a folder without metafile, and of what is written from other formats. */
#define QUIPU__DUMPI_MISSING_RANKS 64

/* ---- Calls ---- */

/* Which calls can be read directly from the bytes of the file. In most records the numbers have fixed offsets, followed at most
 * by a list of requests and by statuses: events can be made from such a call without a struct of its arguments. */

#define QUIPU__DUMPI_STATUS_BYTES 14

/* An argument as an attribute: everything that is the same in every call is prepared. After the last argument of a call comes
 * one of the last form. */
enum quipu__dumpi_argument_form {
    QUIPU__DUMPI_ARGUMENT_NUMBER,
    QUIPU__DUMPI_ARGUMENT_REQUESTS,
    QUIPU__DUMPI_ARGUMENT_STATUSES,
    QUIPU__DUMPI_ARGUMENTS_END
};
struct quipu__dumpi_fast_argument {
    struct quipu_attribute made; /* without its event and value */
    uint64_t mask, sign;         /* which bits the number has; its sign bit, 0: it has none */
    uint16_t end;                /* of the number, from the beginning of the numbers */
    uint8_t form;                /* enum quipu__dumpi_argument_form */
    uint8_t numbers;             /* consecutive numbers from here on, including this one */
};

struct quipu__dumpi_fast_layout {
    uint32_t need; /* bytes of the head and the numbers; QUIPU_NONE: the call must be decoded */
    uint32_t type;
    const struct quipu__dumpi_call_row *row;
    bool has_requests, has_statuses;          /* they follow in this order */
    uint16_t offsets[QUIPU__DUMPI_USE_COUNT]; /* of the numbers, from their beginning */

    /* In the order of the record's fields: all arguments, and those that the events never carry. */
    const struct quipu__dumpi_fast_argument *arguments, *uncarried;
};

/* The most arguments that a layout has. */
#define QUIPU__DUMPI_ARGUMENTS_MOST 32

/* Makes the layouts of the calls by their number in the file. keys are the attribute keys of the fields of each type, NULL for
 * types without attributes. False when memory is out. */
QUIPU_CHECKED bool quipu__dumpi_fast_layouts_make(
    const struct quipu__binary_codec *codec, uint32_t *const keys[QUIPU__DUMPI_TYPE_COUNT],
    struct quipu__arena *arena, struct quipu__dumpi_fast_layout layouts[QUIPU__DUMPI_ID_LIMIT]);

/* ---- Rules ---- */

enum quipu__dumpi_rule {
#define RULE(name, id, severity, text, advice) QUIPU__DUMPI_RULE_##name,
#include "formats/dumpi/rules.def"
#undef RULE
    QUIPU__DUMPI_RULE_COUNT
};
extern const struct quipu_rule quipu__dumpi_rules[QUIPU__DUMPI_RULE_COUNT];

/* ---- The sections of a file ---- */

/* A section and the word of the index that says where it is. */
struct quipu__dumpi_section {
    uint16_t type; /* enum quipu__dumpi_type */
    uint16_t word; /* offset of the word in struct quipu__dumpi_index */
};
#define QUIPU__DUMPI_SECTION_COUNT 7
extern const struct quipu__dumpi_section quipu__dumpi_sections[QUIPU__DUMPI_SECTION_COUNT];

static inline uint64_t quipu__dumpi_word(const struct quipu__dumpi_index *index, size_t section) {
    return *(const uint64_t *)(const void *)((const uint8_t *)index + quipu__dumpi_sections[section].word);
}
static inline void quipu__dumpi_set_word(struct quipu__dumpi_index *index, size_t section, uint64_t offset) {
    *(uint64_t *)(void *)((uint8_t *)index + quipu__dumpi_sections[section].word) = offset;
}

/* The words of an index in file order, the oldest forms being the shortest. */
static inline size_t quipu__dumpi_index_bytes(const struct quipu__dumpi_index *index) {
    return (size_t)index->words * 8;
}

bool quipu__dumpi_index_decode(const uint8_t *tail, size_t size, struct quipu__dumpi_index *out);
void quipu__dumpi_index_encode(const struct quipu__dumpi_index *index, struct quipu__buffer *out);

/* ---- The file of one rank ---- */

struct quipu__dumpi_change; /* communicators.h */

struct quipu__dumpi_file {
    const char *path;
    uint32_t rank;
    uint32_t location;
    uint64_t size;
    bool is_missing; /* or empty or not a DUMPI file: there is nothing to read */
    bool has_header, has_footer;
    struct quipu__dumpi_index index; /* words 0: there is none; impossible offsets are 0 */
    uint32_t lost;                   /* bit per section that the index names but that is missing */
    const struct quipu__binary_codec *codec;
    const struct quipu__dumpi_fast_layout *layouts; /* of its calls, by number */
    uint32_t version;
    int32_t cpu_bias, wall_bias;
    uint64_t calls_at, calls_end; /* the stream: after the biases, up to the next section */
    const char *host;
    uint64_t start_time;
    const int32_t *sizes; /* of datatypes */
    uint32_t size_count;
    const struct quipu__dumpi_label *labels; /* names of functions */
    uint32_t label_count;
    struct quipu__map regions; /* of functions, by address or key */
    struct quipu__map sources; /* places of calls, likewise */
    uint32_t run_delay;        /* the counter of that name, plus 1; values below 0: none */
    const uint32_t *metrics;   /* of the counters; QUIPU_NONE for the one that says where calls were made */
    uint32_t metric_count;
    uint32_t call_sites; /* number of that one, from 1; 0: there is none */
    uint32_t self;       /* group of MPI_COMM_SELF */
    uint32_t *
        threads; /* locations of the threads that make calls, a substream each; the first is the process itself */
    uint32_t thread_count;
    const uint16_t *substream_of; /* by thread number below the limit; others count as the first */
    uint32_t thread_limit;
    const struct quipu__dumpi_change *changes; /* communicators that are made, in file order */
    uint32_t change_count;
};

/* ---- An open trace ---- */

enum quipu__dumpi_clock { QUIPU__DUMPI_CLOCK_WALL, QUIPU__DUMPI_CLOCK_CPU, QUIPU__DUMPI_CLOCK_NONE };

struct quipu__dumpi_trace {
    struct quipu__trace *trace;
    struct quipu__memory *memory;
    struct quipu__arena arena;                  /* of the files' lists */
    QUIPU__VEC(struct quipu__dumpi_file) files; /* file i is stream i */
    struct quipu__dumpi_codecs codecs;
    uint64_t called[QUIPU__DUMPI_SLOTS]; /* recorded calls according to the footers, of all ranks */
    bool footers_complete;
    enum quipu__dumpi_clock clock;
    int64_t origin_ns;
    uint32_t world;                                   /* group of MPI_COMM_WORLD */
    uint32_t regions[QUIPU__DUMPI_TYPE_COUNT];        /* of the calls, QUIPU_NONE: not used */
    uint32_t later_regions[QUIPU__DUMPI_LATER_CALLS]; /* of the calls without a record, likewise */
    uint32_t *keys[QUIPU__DUMPI_TYPE_COUNT];          /* attribute keys of their fields */
    uint32_t common_keys[QUIPU__DUMPI_call_FIELDS];
    struct quipu__map file_names; /* hash of a name to the number of a file definition */
    bool is_single;               /* opened by the name of one rank's file: the others are unknown */
    uint32_t world_size;          /* ranks, with or without files */
};

static inline struct quipu__dumpi_trace *quipu__dumpi_of(const struct quipu__trace *trace) {
    return trace->own;
}

/* The file of a stream. */
static inline const struct quipu__dumpi_file *quipu__dumpi_file_of(const struct quipu__trace *trace,
                                                                   const struct quipu_stream *stream) {
    return &quipu__dumpi_of(trace)->files.items[stream - trace->streams.items];
}

void quipu__dumpi_find(const struct quipu__dumpi_trace *own, enum quipu__dumpi_rule rule,
                       const struct quipu__where *where, const char *expected, const char *found, ...)
    QUIPU_PRINTF(5, 6);

/* ---- Steps of opening ---- */

/* files.c: adds the files that path stands for. */
enum quipu_status quipu__dumpi_add_files(struct quipu__dumpi_trace *own, struct quipu_error *err);

/* sections.c: reads the sections of one file. Problems in the file are findings; only memory or the system can fail. */
enum quipu_status quipu__dumpi_file_load(struct quipu__dumpi_trace *own, struct quipu__dumpi_file *file,
                                         struct quipu_error *err);

/* Turns the status of reading a file into QUIPU_OK at its end, and when it cannot be read, which is a finding. */
enum quipu_status quipu__dumpi_lose_rest(const struct quipu__dumpi_trace *own,
                                         const struct quipu__dumpi_file *file, enum quipu_status status,
                                         struct quipu_error *err);

/* Decodes the section at an offset, which must end at or before a limit, into the decoder and moves after it. QUIPU_END: it does
 * not. */
enum quipu_status quipu__dumpi_read_section(struct quipu__input *input, struct quipu__dumpi_decoder *decoder,
                                            uint32_t type, uint64_t offset, uint64_t limit,
                                            struct quipu_error *err);

/* recover.c: sections without an index: whether a section can be a header, and where sections are in a file whose index is lost.
 * An index made this way still has 0 words. */
bool quipu__dumpi_is_header(const struct quipu__dumpi_header *header);
enum quipu_status quipu__dumpi_find_sections(struct quipu__dumpi_trace *own, struct quipu__input *input,
                                             struct quipu__dumpi_file *file, struct quipu_error *err);

/* The footer, decoded into decoder->data.footer. QUIPU_END when there is none. */
enum quipu_status quipu__dumpi_file_footer(struct quipu__dumpi_trace *own, const struct quipu__dumpi_file *file,
                                           struct quipu__dumpi_decoder *decoder, struct quipu_error *err);

/* define.c: definitions that follow from sections. */
uint32_t quipu__dumpi_define_file(struct quipu__dumpi_trace *own, const char *name);
uint32_t quipu__dumpi_file_named(const struct quipu__dumpi_trace *own, const char *name);
uint32_t quipu__dumpi_metric(struct quipu__dumpi_trace *own, const char *name, uint32_t native_id);
void quipu__dumpi_define_clock(struct quipu__dumpi_trace *own);
bool quipu__dumpi_is_used(const struct quipu__dumpi_trace *own,
                          uint32_t type); /* calls of the type may occur */
enum quipu_status quipu__dumpi_define(struct quipu__dumpi_trace *own, struct quipu_error *err);

/* reader.c, to_model.c, resume.c, writer.c, check.c, mapping.c: the descriptor's functions. */
enum quipu_status quipu__dumpi_next_record(struct quipu__pass *pass, struct quipu_record *out,
                                           struct quipu_error *err);
enum quipu_status quipu__dumpi_next_batch(struct quipu__pass *pass, struct quipu__batch *batch,
                                          struct quipu_error *err);
enum quipu_status quipu__dumpi_pass_save(const struct quipu__pass *pass, struct quipu__buffer *out,
                                         struct quipu_error *err);
enum quipu_status quipu__dumpi_pass_resume(struct quipu__pass *pass, struct quipu__slice bytes,
                                           struct quipu_error *err);

enum quipu_status quipu__dumpi_check_stream(struct quipu__trace *trace, uint32_t stream,
                                            struct quipu_error *err);

/* scan.c: size of the world according to the first records of the only file, 0 when they do not say. */
enum quipu_status quipu__dumpi_peek_world(struct quipu__dumpi_trace *own, uint32_t *size,
                                          struct quipu_error *err);

/* scan.c: definitions that only records reveal: communicators, files, threads. */
enum quipu_status quipu__dumpi_scan(struct quipu__dumpi_trace *own, struct quipu_error *err);

/* ---- The calls of one file ---- */

/* Iterates over the calls: decodes, refills the window, skips damage. */
struct quipu__dumpi_walk {
    struct quipu__dumpi_trace *own;
    const struct quipu__dumpi_file *file;
    struct quipu__input *input;
    struct quipu__dumpi_decoder decoder;
    const uint8_t *end;  /* of the window, or of the stream when that comes first */
    uint64_t offset;     /* offset of the record delivered last */
    uint64_t index;      /* of the next record among the calls */
    bool ended;          /* the end mark was found, at offset; else the stream is truncated */
    bool silent;         /* damage is not reported: it was before */
    uint16_t mark;       /* the end mark */
    bool stopped;        /* there is nothing more */
    uint64_t skipped;    /* bytes of damage */
    unsigned confirmed;  /* consecutive records after the latest damage: how certain its end is */
    uint8_t common_mask; /* what records of this file look like, to distinguish them from damage */
    int64_t last_wall;
};

enum quipu_status quipu__dumpi_walk_open(struct quipu__dumpi_walk *walk, struct quipu__dumpi_trace *own,
                                         const struct quipu__dumpi_file *file, size_t window,
                                         struct quipu_error *err);
void quipu__dumpi_walk_close(struct quipu__dumpi_walk *walk);

/* Moves to the call at an offset, or to the end of the calls. */
enum quipu_status quipu__dumpi_walk_seek(struct quipu__dumpi_walk *walk, uint64_t offset,
                                         struct quipu_error *err);

/* The slow path: refills the window or skips damage until there is a call. QUIPU_END after the last. */
enum quipu_status quipu__dumpi_walk_further(struct quipu__dumpi_walk *walk, struct quipu_error *err);

/* The next call, in walk->decoder. */
QUIPU__INLINE enum quipu_status quipu__dumpi_walk_next(struct quipu__dumpi_walk *walk,
                                                       struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    const uint8_t *const begin = input->at;
    const uint8_t *next = NULL;
    if (QUIPU__LIKELY(quipu__dumpi_decode(&walk->decoder, begin, walk->end, &next) == QUIPU__DUMPI_OK)) {
        walk->offset = quipu__input_offset(input);
        walk->index++;
        walk->last_wall = walk->decoder.common.wall_stop;
        input->at = next;
        return QUIPU_OK;
    }
    return quipu__dumpi_walk_further(walk, err);
}

#endif

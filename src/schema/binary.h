/* binary.h: records from bytes and back, for formats that store numbers as machines do.
 *
 * The tables do not say what a number looks like in a file. A machine, which is data given at run time, says for each wire type of
 * a format how many bytes it has, how it is aligned, whether it is signed or floating, and the byte order. So one table serves
 * files of any machine and version.
 *
 *     tables + machine ──quipu__binary_codec_new──▶ plans ──decode, encode──▶ records ↔ bytes
 *
 * A plan is a short program of steps in file order: versions are resolved, neighbouring numbers are grouped into runs that need
 * one check of the number of bytes left, and padding is known. Nothing here is specific to a format.
 *
 * quipu_field.wire says how a field lies in a file: a wire type (a number, or the number before a text or list), or one of the
 * forms below; quipu_domain.wire is the wire type of the elements of a list. */
#ifndef QUIPU_SCHEMA_BINARY_H
#define QUIPU_SCHEMA_BINARY_H

#include "core/os.h"
#include "schema/schema.h"

/* ---- Machines ---- */

enum quipu__number_kind { QUIPU__NUMBER_UNSIGNED, QUIPU__NUMBER_SIGNED, QUIPU__NUMBER_FLOAT };

/* The form of numbers of one wire type in a file. */
struct quipu__number_type {
    uint8_t bytes;     /* 1, 2, 4 or 8 */
    uint8_t alignment; /* of its offset in a record; 1 where there is none */
    uint8_t kind;      /* enum quipu__number_kind */
};

/* Wire types of formats whose numbers look the same on every machine and have no padding. */
enum quipu__wire {
    QUIPU__WIRE_NONE, /* not in the file: computed */
    QUIPU__WIRE_I8,
    QUIPU__WIRE_U8,
    QUIPU__WIRE_I16,
    QUIPU__WIRE_U16,
    QUIPU__WIRE_I32,
    QUIPU__WIRE_U32,
    QUIPU__WIRE_64, /* signed or unsigned by the storage */
    QUIPU__WIRE_F64,
    QUIPU__WIRE_STRING16, /* u16 number of bytes, bytes */
    QUIPU__WIRE_STRING32, /* i32 number of bytes, bytes */
    QUIPU__WIRE_COUNT
};
extern const struct quipu__number_type quipu__packed_types[QUIPU__WIRE_COUNT];

/* Bytes of a number of one of these types, as a constant: each pair of types has twice as many as the pair before. 0 for types of
 * variable length. */
#define QUIPU__WIRE_BYTES(wire)                                                                                \
    (((wire) > QUIPU__WIRE_NONE && (wire) <= QUIPU__WIRE_F64)                                                  \
     << (((wire) > QUIPU__WIRE_U8) + ((wire) > QUIPU__WIRE_U16) + ((wire) > QUIPU__WIRE_U32)))

/* What follows a list at the end of a record whose struct is declared with one element. */
enum quipu__binary_tail {
    QUIPU__TAIL_EXACT,  /* nothing */
    QUIPU__TAIL_SIZEOF, /* the bytes of sizeof beyond the end of the last element */
    QUIPU__TAIL_ALIGN   /* as many bytes as the alignment of the struct requires */
};

struct quipu__machine {
    bool is_big_endian;
    const struct quipu__number_type *types; /* by wire type; entries of 0 bytes are unused */
    uint8_t type_count;
    uint8_t count_type;      /* wire type of the number before a list */
    const uint16_t *lengths; /* bytes of character arrays, by the domain's wire */
    uint16_t slots;          /* elements of lists of a fixed number */
    enum quipu__binary_tail tail;
    uint32_t version; /* compared with since and until of fields */

    /* Decoding replaces the value of a list's count field by the number of elements that are stored; a marked list, which
     * may have fewer elements than its field says, leaves it. */
    bool replaces_counts;
};

/* Forms of a field in a file, besides a single number or text. */
enum quipu__binary_form {
    QUIPU__FORM_COMMON = 32, /* read by the format before the record */
    QUIPU__FORM_COUNTED,     /* a number, then that many structs */
    QUIPU__FORM_MARKED,      /* the same, when the record is marked; else the list is NULL */
    QUIPU__FORM_ROWS,        /* the same with the number of its fields before each struct */
    QUIPU__FORM_FROM_FIELD,  /* as many elements as the count field says */
    QUIPU__FORM_ONE,         /* one number, as a list; counted since the field's since */
    QUIPU__FORM_SLOTS,       /* as many numbers as the machine has slots */
    QUIPU__FORM_CHARACTERS,  /* an array of the machine's length, a text up to its first NUL */
    QUIPU__FORM_REST         /* all bytes up to the end */
};

/* ---- Plans ---- */

enum quipu__binary_op {
    QUIPU__OP_END,
    QUIPU__OP_FIXED,  /* bytes are checked; skip steps of numbers follow */
    QUIPU__OP_UNLESS, /* skips steps unless two numbers of the record are equal */
    QUIPU__OP_TEXT,
    QUIPU__OP_NUMBERS,    /* number, numbers */
    QUIPU__OP_TEXTS,      /* number, texts */
    QUIPU__OP_STRUCTS,    /* number, structs */
    QUIPU__OP_MARKED,     /* the same when the record is marked */
    QUIPU__OP_ROWS,       /* number, then for each a number and a struct */
    QUIPU__OP_FROM_FIELD, /* as many elements as the number at left says */
    QUIPU__OP_ONE,
    QUIPU__OP_SLOTS,
    QUIPU__OP_CHARACTERS,
    QUIPU__OP_REST,
    QUIPU__OP_TAIL /* meaningless bytes */
};

/* How a number is loaded from a file: by its bits if it is as wide in memory, else by its type. */
enum quipu__binary_load {
    QUIPU__LOAD_8,
    QUIPU__LOAD_16,
    QUIPU__LOAD_32,
    QUIPU__LOAD_64,
    QUIPU__LOAD_8_TO_16,
    QUIPU__LOAD_I32_TO_64,
    QUIPU__LOAD_NUMBER_64, /* struct quipu_number of as many bits */
    QUIPU__LOAD_ANY
};

struct quipu__binary_step {
    uint8_t op;                     /* enum quipu__binary_op; in a run nothing */
    uint8_t load;                   /* enum quipu__binary_load: of a number, of the elements of a list */
    uint8_t size;                   /* of one number or text pointer in memory */
    uint8_t skip;                   /* FIXED: steps of the run; UNLESS: steps to skip */
    struct quipu__number_type type; /* of the number, of an element, of a text's length */
    uint8_t storage;                /* enum quipu_storage of an element */
    uint16_t bytes;  /* FIXED: of all its numbers and the padding between; number: its offset in the run */
    uint16_t member; /* offset in the struct */
    uint16_t left,
        right; /* UNLESS: offsets of two i32; lists: left is the offset of a count that matters, or NO_COUNT; FIXED: left is the number of padding bytes */
    uint8_t left_storage; /* enum quipu_storage of the count */
    uint8_t alignment;    /* TAIL: up to this alignment; 0: bytes are left out */
    uint16_t element;     /* number of the element's plan */
};
#define QUIPU__BINARY_NO_COUNT UINT16_MAX

struct quipu__binary_plan {
    const struct quipu_record_type *type;
    const struct quipu__binary_step *steps;
    uint16_t bytes;     /* least number of bytes of a record of the type */
    uint16_t stride;    /* bytes from one element to the next in an array of such structs; 0 when they differ */
    uint16_t alignment; /* of the struct */
    bool is_sparse;     /* fields may be missing: the struct is cleared first */
    bool has_only_numbers;
    bool lacks_fields; /* the version lacks some fields */
};

/* The plans of one machine: those of the record types by number, then those of the structs in lists. */
struct quipu__binary_codec {
    struct quipu__memory *memory;
    struct quipu__machine machine;
    struct quipu__number_type count; /* before lists */
    struct quipu__binary_plan *plans;
    size_t type_count, plan_count, plan_room;
    struct quipu__binary_step *steps;
    size_t step_count, step_room;
};

/* Makes the plans of these types. The machine's tables are borrowed. QUIPU_MISUSE when a table needs what the machine does not
 * define. */
enum quipu_status quipu__binary_codec_new(struct quipu__memory *memory, const struct quipu_record_type *types,
                                          size_t type_count, const struct quipu__machine *machine,
                                          struct quipu__binary_codec **out, struct quipu_error *err);
void quipu__binary_codec_free(struct quipu__binary_codec *codec);

/* ---- Decoding ---- */

enum quipu__binary_outcome {
    QUIPU__BINARY_OK,
    QUIPU__BINARY_MORE, /* the window ends inside the record: need is the least number of bytes */
    QUIPU__BINARY_BAD,  /* not a record: fault says why */
    QUIPU__BINARY_NO_MEMORY
};

struct quipu__binary_decoder {
    const struct quipu__binary_codec *codec;
    struct quipu__scratch scratch; /* lists and texts of the record */
    uint64_t limit;                /* no record is longer */
    bool is_marked;                /* the record at hand */
    size_t need;
    const char *fault;
};

void quipu__binary_decoder_init(struct quipu__binary_decoder *decoder, struct quipu__memory *memory,
                                const struct quipu__binary_codec *codec, uint64_t limit);
static inline void quipu__binary_decoder_release(struct quipu__binary_decoder *decoder) {
    quipu__scratch_release(&decoder->scratch);
}

/* Runs the steps of a plan from this one on. record is where the record begins, at is where the step's bytes begin. Returns the
 * byte after them, or NULL with *outcome set. Nothing is reset. */
const uint8_t *quipu__binary_run(struct quipu__binary_decoder *decoder, const struct quipu__binary_step *step,
                                 void *data, const uint8_t *record, const uint8_t *at, const uint8_t *end,
                                 enum quipu__binary_outcome *outcome);

/* The window ends before the byte at that distance from the beginning of the record: BAD when no record is that long. */
enum quipu__binary_outcome quipu__binary_lacks(struct quipu__binary_decoder *decoder, uint64_t need);

/* Decodes the record of a type that begins at a byte; *next is the byte after it. The contents of the previous record are lost. */
enum quipu__binary_outcome quipu__binary_decode(struct quipu__binary_decoder *decoder, uint32_t type,
                                                void *data, const uint8_t *at, const uint8_t *end,
                                                const uint8_t **next);

/* Numbers whose type differs from their member's. */
void quipu__binary_load_other(const struct quipu__binary_step *step, bool is_big_endian, void *member,
                              const uint8_t *at);

/* Loads one number of a run into its member. Formats with a fixed byte order pass it as a constant. */
QUIPU__INLINE void quipu__binary_load(const struct quipu__binary_step *step, bool is_big_endian, uint8_t *data,
                                      const uint8_t *fixed) {
    const uint8_t *at = fixed + step->bytes;
    void *member = data + step->member;
    const uint8_t load = step->load;
    if (load == QUIPU__LOAD_32)
        *(uint32_t *)member = is_big_endian ? quipu__load_be32(at) : quipu__load_le32(at);
    else if (load == QUIPU__LOAD_16)
        *(uint16_t *)member = is_big_endian ? quipu__load_be16(at) : quipu__load_le16(at);
    else if (load == QUIPU__LOAD_64)
        *(uint64_t *)member = is_big_endian ? quipu__load_be64(at) : quipu__load_le64(at);
    else if (load == QUIPU__LOAD_8_TO_16)
        *(uint16_t *)member = *at;
    else if (load == QUIPU__LOAD_8)
        *(uint8_t *)member = *at;
    else if (load == QUIPU__LOAD_I32_TO_64)
        *(int64_t *)member = (int32_t)(is_big_endian ? quipu__load_be32(at) : quipu__load_le32(at));
    else if (load == QUIPU__LOAD_NUMBER_64)
        *(struct quipu_number *)member =
            (struct quipu_number){.i = (int64_t)(is_big_endian ? quipu__load_be64(at) : quipu__load_le64(at)),
                                  .is_real = step->type.kind == QUIPU__NUMBER_FLOAT,
                                  .is_signed = step->type.kind == QUIPU__NUMBER_SIGNED};
    else
        quipu__binary_load_other(step, is_big_endian, member, at);
}

/* The number in the count field that a list depends on, from 0 to INT32_MAX. */
uint32_t quipu__binary_count(const struct quipu__binary_step *step, const void *data);

/* ---- Encoding ---- */

struct quipu__binary_encoder {
    const struct quipu__binary_codec *codec;
    bool is_marked; /* the record at hand */
    /* Values that the machine's types cannot hold; they are cut. */
    uint64_t narrowed;
};

/* Appends a record. A failure is the buffer's. */
void quipu__binary_encode(struct quipu__binary_encoder *encoder, uint32_t type, const void *data,
                          struct quipu__buffer *out);

/* ---- A number alone, as in a record ---- */

struct quipu_number quipu__binary_load_number(const struct quipu__number_type *type, bool is_big_endian,
                                              const uint8_t *at);

/* False when the type cannot hold it; it is cut. */
bool quipu__binary_store_number(const struct quipu__number_type *type, bool is_big_endian,
                                const struct quipu_number *number, uint8_t *at);

#endif

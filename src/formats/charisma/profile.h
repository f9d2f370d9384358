/* profile.h: machine profiles: everything that the format leaves to the machine that was traced. Built-in ones are rows of
 * profiles.def; others come from files of lines "key = value" with the keys of profile_keys.def. */
#ifndef QUIPU_CHARISMA_PROFILE_H
#define QUIPU_CHARISMA_PROFILE_H

#include "core/memory/memory.h"
#include "formats/charisma/records.h"

/* How far a profile is established. */
enum quipu__charisma_status { QUIPU__CHARISMA_RECONSTRUCTION, QUIPU__CHARISMA_OURS, QUIPU__CHARISMA_PUBLIC };

/* Which bits the first-named member of a word takes. */
enum quipu__charisma_bits { QUIPU__CHARISMA_BITS_AUTO, QUIPU__CHARISMA_BITS_LSB, QUIPU__CHARISMA_BITS_MSB };

/* To whom the values that COMP_RW remembers belong. */
enum quipu__charisma_scope {
    QUIPU__CHARISMA_SCOPE_CLIENT_FILE,
    QUIPU__CHARISMA_SCOPE_CLIENT,
    QUIPU__CHARISMA_SCOPE_GLOBAL
};

/* What COMP_RW remembers. */
enum quipu__charisma_value {
    QUIPU__CHARISMA_SIZE,
    QUIPU__CHARISMA_STRIDE,
    QUIPU__CHARISMA_MEMSTRIDE,
    QUIPU__CHARISMA_VALUE_COUNT
};

#define QUIPU__CHARISMA_PROFILE_NAME 64 /* bytes of a name with its NUL */

struct quipu__charisma_profile {
    char name[QUIPU__CHARISMA_PROFILE_NAME];
    uint8_t status; /* enum quipu__charisma_status */
    uint8_t is_big_endian;
    uint8_t tail; /* enum quipu__binary_tail: of records of variable length */
    struct quipu__number_type types[QUIPU__CHARISMA_WIRE_COUNT];
    uint16_t lengths[QUIPU__CHARISMA_LENGTH_COUNT];
    int64_t no_app, no_client;  /* values that stand for none */
    int64_t system_type;        /* expected in the header */
    int64_t md_version;         /* the same */
    double timestamp_unit;      /* seconds per tick, where the header does not say */
    int64_t comp_rw, comp_word; /* record type of COMP_RW, or 0; bytes of its words */
    uint8_t bitfields, comp_scope, comp_replace;
    uint8_t comp_order[QUIPU__CHARISMA_VALUE_COUNT]; /* enum quipu__charisma_value, in file order */
};

/* A built-in profile by index; false after the last. */
bool quipu__charisma_profile_at(size_t index, struct quipu__charisma_profile *out);

/* A built-in profile by name; false when there is none. */
bool quipu__charisma_profile_find(const char *name, struct quipu__charisma_profile *out);

/* Parses a profile. name is that of its file, for messages. QUIPU_CORRUPT with the line when it is invalid. */
enum quipu_status quipu__charisma_profile_parse(const char *text, size_t len, const char *name,
                                                struct quipu__charisma_profile *out, struct quipu_error *err);

/* A built-in profile by its name, else the one in the file of that name. */
enum quipu_status quipu__charisma_profile_load(struct quipu__memory *memory, const char *name_or_path,
                                               struct quipu__charisma_profile *out, struct quipu_error *err);

/* The machine for the engine. It borrows the profile's tables. */
struct quipu__machine quipu__charisma_machine(const struct quipu__charisma_profile *profile);

/* Whether the first-named bits of a word are its most significant ones. */
static inline bool quipu__charisma_bits_from_above(const struct quipu__charisma_profile *profile) {
    return profile->bitfields == QUIPU__CHARISMA_BITS_AUTO ? profile->is_big_endian != 0
                                                           : profile->bitfields == QUIPU__CHARISMA_BITS_MSB;
}

#endif

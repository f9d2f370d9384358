/* hashmap.h: maps from keys of one type to values of another, as functions that a program has made for itself:
 *
 *     DUMPI_DECLARE_HASHMAP(seen, int, double)
 *     seen map = {0};
 *     double *value = seen_at(&map, 5);       adds the key with a value of zeros, if it is not there; NULL: no memory
 *     value = seen_find(&map, 7);             NULL: not there
 *     seen_clear(&map);
 *
 * Keys are compared by their bytes.
 */
#ifndef DUMPI_COMMON_HASHMAP_H
#define DUMPI_COMMON_HASHMAP_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Names out of parts. */
#define DUMPI_J2(A, B) A##B
#define DUMPI_J3(A, B, C) A##B##C
#define DUMPI_J4(A, B, C, D) A##B##C##D

#define DUMPI_DECLARE_HASHMAP(LABEL, KEY_TYPE, VALUE_TYPE)                                                     \
    typedef struct DUMPI_J2(LABEL, _entry) {                                                                   \
        struct DUMPI_J2(LABEL, _entry) * next;                                                                 \
        KEY_TYPE key;                                                                                          \
        VALUE_TYPE value;                                                                                      \
    } DUMPI_J2(LABEL, _entry);                                                                                 \
    typedef struct LABEL {                                                                                     \
        DUMPI_J2(LABEL, _entry) * slots[1024];                                                                 \
    } LABEL;                                                                                                   \
    static inline DUMPI_J2(LABEL, _entry) * *DUMPI_J2(LABEL, _slot)(LABEL * map, KEY_TYPE key) {               \
        const unsigned char *bytes = (const unsigned char *)&key;                                              \
        unsigned hash = 2166136261u;                                                                           \
        size_t i;                                                                                              \
        for (i = 0; i < sizeof key; i++)                                                                       \
            hash = (hash ^ bytes[i]) * 16777619u;                                                              \
        return &map->slots[(hash ^ hash >> 16) % 1024u];                                                       \
    }                                                                                                          \
    static inline VALUE_TYPE *DUMPI_J2(LABEL, _find)(LABEL * map, KEY_TYPE key) {                              \
        DUMPI_J2(LABEL, _entry) *entry = *DUMPI_J2(LABEL, _slot)(map, key);                                    \
        while (entry && memcmp(&entry->key, &key, sizeof key) != 0)                                            \
            entry = entry->next;                                                                               \
        return entry ? &entry->value : NULL;                                                                   \
    }                                                                                                          \
    static inline VALUE_TYPE *DUMPI_J2(LABEL, _at)(LABEL * map, KEY_TYPE key) {                                \
        DUMPI_J2(LABEL, _entry) **slot = DUMPI_J2(LABEL, _slot)(map, key), *entry;                             \
        VALUE_TYPE *found = DUMPI_J2(LABEL, _find)(map, key);                                                  \
        if (found)                                                                                             \
            return found;                                                                                      \
        entry = (DUMPI_J2(LABEL, _entry) *)calloc(1, sizeof *entry);                                           \
        if (!entry)                                                                                            \
            return NULL;                                                                                       \
        entry->key = key;                                                                                      \
        entry->next = *slot;                                                                                   \
        *slot = entry;                                                                                         \
        return &entry->value;                                                                                  \
    }                                                                                                          \
    static inline void DUMPI_J2(LABEL, _clear)(LABEL * map) {                                                  \
        size_t i;                                                                                              \
        for (i = 0; i < 1024; i++)                                                                             \
            while (map->slots[i]) {                                                                            \
                DUMPI_J2(LABEL, _entry) *entry = map->slots[i];                                                \
                map->slots[i] = entry->next;                                                                   \
                free(entry);                                                                                   \
            }                                                                                                  \
    }

#endif

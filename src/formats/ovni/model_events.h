/* model_events.h: events of the model that have no counterpart in ovni: messages, collective and one-sided operations, files, metrics.
 * They are events "OU?" of the model ovni, which emulators ignore whatever their payload is, and have this meaning only in traces whose
 * metadata say so under "quipu".
 *
 *     payload     the fields of the kind, in the order of kinds.def, as numbers of variable length: seven bits per byte, lowest first, the eighth bit set in all bytes but the last. Signed numbers are zigzag; otherwise 0 means unknown, and n is stored as n + 1. Missing fields are unknown. One byte is padded to two; more than 16 make a jumbo event.
 *
 * Numbers of definitions are those of the original trace. The metadata of the first stream list the definitions (model_definitions.c), and
 * those of each stream say which process and location it is.
 */
#ifndef QUIPU_OVNI_MODEL_EVENTS_H
#define QUIPU_OVNI_MODEL_EVENTS_H

#include "formats/ovni/json.h"

#include <quipu/model.h>

#define QUIPU__OVNI_OWN_MODEL "quipu"
#define QUIPU__OVNI_OWN_VERSION "1.0.0"
#define QUIPU__OVNI_FIELDS_MOST QUIPU_COLUMN_COUNT
#define QUIPU__OVNI_NUMBER_BYTES 10
#define QUIPU__OVNI_FIELDS_BYTES (QUIPU__OVNI_FIELDS_MOST * QUIPU__OVNI_NUMBER_BYTES)

/* The character of a kind, 0: none; the kind of a character, QUIPU_KIND_COUNT: none. */
char quipu__ovni_character_of(uint32_t kind);
enum quipu_kind quipu__ovni_kind_of(uint8_t character);

/* The payload of an event; returns its length. */
uint32_t quipu__ovni_encode_fields(const struct quipu_event *event, uint8_t out[QUIPU__OVNI_FIELDS_BYTES]);

/* The values of the fields of a kind, in the order of kinds.def. */
void quipu__ovni_decode_fields(enum quipu_kind kind, const uint8_t *payload, uint32_t len,
                               uint64_t out[QUIPU__OVNI_FIELDS_MOST]);

/* ---- Definitions ---- */

/* Classes of definitions that fields refer to, and the key of each in the metadata. */
enum quipu__ovni_class {
    QUIPU__OVNI_CLASS_locations,
    QUIPU__OVNI_CLASS_regions,
    QUIPU__OVNI_CLASS_groups,
    QUIPU__OVNI_CLASS_files,
    QUIPU__OVNI_CLASS_metrics,
    QUIPU__OVNI_CLASSES
};

/* QUIPU__OVNI_CLASSES: a field refers to no definition, or to none of these. */
enum quipu__ovni_class quipu__ovni_class_of(enum quipu_refers refers);

/* The definition of a number as metadata; NULL when memory is out. */
json_t *quipu__ovni_definition(const struct quipu_definitions *definitions,
                               enum quipu__ovni_class definition_class, uint32_t number);
extern const char *const quipu__ovni_class_keys[QUIPU__OVNI_CLASSES];

#define QUIPU__OVNI_VERSION_KEY "version"
#define QUIPU__OVNI_DEFINITIONS_KEY "definitions"
#define QUIPU__OVNI_PROCESS_KEY "process"   /* of a stream: the number of its process */
#define QUIPU__OVNI_LOCATION_KEY "location" /* and of its thread, if that is another location */

#endif

/* events.h: what event types mean: the rows of events.def, and the predefined sets of them. */
#ifndef QUIPU_PICL_EVENTS_H
#define QUIPU_PICL_EVENTS_H

#include "formats/picl/layout.h"

#include <quipu/model.h>

/* What a data field of an event is. */
enum quipu__picl_meaning {
    QUIPU__PICL_NUMBER,
    QUIPU__PICL_BYTES,
    QUIPU__PICL_TAG,
    QUIPU__PICL_PROCESSOR,
    QUIPU__PICL_PROCESS,
    QUIPU__PICL_REQUEST,
    QUIPU__PICL_HANDLE,
    QUIPU__PICL_ROOT,
    QUIPU__PICL_GROUP,
    QUIPU__PICL_TEXT,
};

struct quipu__picl_event_field {
    const char *name;
    enum quipu__picl_meaning meaning;
};

/* The data fields of entry or exit records, in order. */
struct quipu__picl_layout {
    const struct quipu__picl_event_field *fields;
    int count;
    int reduced;    /* so many are written by PICL itself */
    bool is_public; /* false: what the fields are is not known */
};

enum quipu__picl_kinds {
    QUIPU__PICL_WRITES_PAIR,
    QUIPU__PICL_WRITES_MARK,
    QUIPU__PICL_WRITES_NEVER,
    QUIPU__PICL_WRITES_PRESUMED
};
enum quipu__picl_volume {
    QUIPU__PICL_VOLUME_NONE,
    QUIPU__PICL_VOLUME_ENTRY,
    QUIPU__PICL_VOLUME_EXIT,
    QUIPU__PICL_VOLUME_INTERNAL
};

/* What an event becomes in the model, besides a region that is entered and left. */
enum quipu__picl_mapping {
    QUIPU__PICL_MAPPING_NONE,
    QUIPU__PICL_MAPPING_SEND,         /* a message begins with the entry */
    QUIPU__PICL_MAPPING_SEND_BEGIN,   /* the same, and a request stands for the message from the exit on */
    QUIPU__PICL_MAPPING_SEND_DONE,    /* a send is complete at the exit */
    QUIPU__PICL_MAPPING_RECEIVE,      /* a message is there at the exit */
    QUIPU__PICL_MAPPING_RECEIVE_DONE, /* the same, of a request */
    QUIPU__PICL_MAPPING_POST,         /* a receive is posted at the exit */
    QUIPU__PICL_MAPPING_FILE_OPEN,
    QUIPU__PICL_MAPPING_FILE_CLOSE,
    QUIPU__PICL_MAPPING_FILE_WRITE,
    QUIPU__PICL_MAPPING_FILE_READ,
    QUIPU__PICL_MAPPING_COLLECTIVE,
    QUIPU__PICL_MAPPING_FLUSH, /* the buffer is written out meanwhile */
    QUIPU__PICL_MAPPING_FULL,  /* from here on records are missing */
};

struct quipu__picl_event {
    int64_t number;
    const char *name;
    const char *command; /* PICL's or MPI's, "" when there is none */
    enum quipu__picl_kinds kinds;
    const struct quipu__picl_layout *entry, *exit;
    enum quipu__picl_volume volume;
    enum quipu__picl_mapping mapping;
    enum quipu_collective operation;
    enum quipu_region_role role;
    const char *doc;
};

static inline bool quipu__picl_sends(enum quipu__picl_mapping mapping) {
    return mapping == QUIPU__PICL_MAPPING_SEND || mapping == QUIPU__PICL_MAPPING_SEND_BEGIN;
}

extern const struct quipu__picl_event quipu__picl_events[];
extern const size_t quipu__picl_event_count;

/* Event types of the table lie between 0 and -QUIPU__PICL_EVENT_LIMIT. */
#define QUIPU__PICL_EVENT_LIMIT 1024

/* The row of an event type; NULL for users' own, for sets and for numbers that are not assigned. */
const struct quipu__picl_event *quipu__picl_event_of(int64_t number);

/* The row of the MPI function with that name, or NULL. */
const struct quipu__picl_event *quipu__picl_event_of_command(const char *command);

/* The row of a collective operation, or of the one that is most like it; NULL when there is none. */
const struct quipu__picl_event *quipu__picl_event_of_collective(enum quipu_collective operation);

/* Name of a predefined set of events, NULL for other numbers. */
const char *quipu__picl_subset_name(int64_t number);

/* Whether a predefined set holds an event type. */
bool quipu__picl_subset_contains(int64_t subset, int64_t event);

/* Place of the field with a meaning in a layout; -1 when it has none. */
int quipu__picl_field_index(const struct quipu__picl_layout *layout, enum quipu__picl_meaning meaning);

/* The layout whose fields say the other side of a message that records of a type send or receive; NULL when they do not. */
const struct quipu__picl_layout *quipu__picl_layout_of_peer(const struct quipu__picl_event *row,
                                                            int64_t record_type);

/* The fields of the entry of a collective operation, and of the exit of a send that a request stands for. Where those of PICL are not public,
 * conversions write what a broadcast and a plain send have; is_ours: the trace comes from one. */
const struct quipu__picl_layout *quipu__picl_collective_entry(const struct quipu__picl_event *row,
                                                              bool is_ours);
const struct quipu__picl_layout *quipu__picl_send_exit(const struct quipu__picl_event *row, bool is_ours);

/* Most values that a record of the event may have: type is a mark, entry or exit. -1: any number. */
int quipu__picl_fields_most(const struct quipu__picl_event *event, int64_t record_type);

#endif

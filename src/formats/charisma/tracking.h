/* tracking.h: what records before say about those that follow: which client belongs to which application, which descriptors
 * stand for which files, which asynchronous requests have not ended, and what compressed requests remember.
 *
 * Numbers of clients and applications may be used again: each APP_LOAD and CLIENT_JOIN begins a new instance. Instances are
 * counted in file order, so that every pass over a trace gives the same ones the same numbers.
 *
 * Memory grows with the numbers of clients, applications, files and descriptors, not with that of requests. */
#ifndef QUIPU_CHARISMA_TRACKING_H
#define QUIPU_CHARISMA_TRACKING_H

#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "core/os.h"
#include "core/memory/vec.h"
#include "formats/charisma/profile.h"

#define QUIPU__CHARISMA_SLOTS 3 /* values that are remembered of each kind */

/* What compressed requests refer to. */
struct quipu__charisma_remembered {
    int64_t values[QUIPU__CHARISMA_VALUE_COUNT][QUIPU__CHARISMA_SLOTS];
    uint8_t filled[QUIPU__CHARISMA_VALUE_COUNT]; /* slots */
    uint8_t next[QUIPU__CHARISMA_VALUE_COUNT];   /* the slot that is replaced next */
};

struct quipu__charisma_application {
    int64_t id;
    bool is_known;       /* was loaded */
    uint32_t instance;   /* of the location, or QUIPU_NONE */
    uint32_t first_open; /* list of its open descriptors, or QUIPU_NONE */
    uint32_t exits;      /* so far; clients that joined before the latest one belong to it no longer */
};

struct quipu__charisma_client {
    int64_t id;
    bool is_known;                /* was loaded or joined */
    uint32_t instance;            /* of the location, or QUIPU_NONE */
    uint32_t joined;              /* the application that it joined last, or QUIPU_NONE */
    uint32_t exits;               /* of that application before */
    struct quipu_number previous; /* start of its request before */
    struct quipu__charisma_remembered remembered;
};

/* A descriptor of a client or of an application. */
struct quipu__charisma_handle {
    uint32_t owner; /* client or application */
    bool is_of_application, is_open;
    uint8_t open_flags;
    int64_t file_desc;
    uint32_t file;                 /* that it stands for since it was opened last */
    uint32_t application;          /* of the open */
    uint32_t next, previous;       /* in the list of open ones of the application */
    uint64_t opened_at;            /* byte of the open */
    int64_t offset, memory_offset; /* of the client's request before */
    struct quipu__charisma_remembered remembered;
};

/* One client's transfer of a request that has not ended. */
struct quipu__charisma_transfer {
    uint32_t instance; /* of the client's location */
    uint32_t file;     /* or QUIPU_NONE */
    int64_t file_desc, offset, size;
};

struct quipu__charisma_in_flight {
    bool is_used, is_of_application;
    uint8_t operation_type;
    uint32_t owner;               /* client or application */
    uint64_t key, offset, record; /* in the map; byte and number of its RW */
    uint64_t number;              /* of its first transfer, among all transfers of the trace */
    int64_t async_id;
    struct quipu_number starttime, endtime;
    uint32_t transfer_count, transfer_room;
    struct quipu__charisma_transfer *transfers; /* only where they are kept */
};

/* Locations and files in the order in which records name them first. */
struct quipu__charisma_instance {
    int64_t id;
    bool is_application;
    uint32_t parent; /* instance of the application, or QUIPU_NONE */
};

enum { QUIPU__CHARISMA_RECENT = 256 };

/* What a request of a client on a descriptor comes to, as long as nothing is opened, closed, joined or left. */
struct quipu__charisma_route {
    uint64_t generation; /* of the tracking when this was found; 0: never */
    int64_t client_id, file_desc;
    uint32_t client, instance;
    uint32_t handle;    /* of the client's own descriptor */
    uint32_t file;      /* that the descriptor stands for */
    uint8_t directions; /* that are allowed: bit 0 reading, bit 1 writing */
};

/* How many descriptors of one number an application and its clients have open: a single one may be inherited. */
struct quipu__charisma_shared {
    uint32_t count;
    uint64_t total; /* of the numbers of the handles; the number itself when there is one */
};

struct quipu__charisma_tracking {
    struct quipu__memory *memory;
    const struct quipu__charisma_profile *profile;
    bool keeps_transfers; /* of requests that have not ended */
    struct quipu__map application_numbers, client_numbers, file_numbers, handle_numbers, in_flight_numbers,
        shared_numbers;
    QUIPU__VEC(struct quipu__charisma_application) applications;
    QUIPU__VEC(struct quipu__charisma_client) clients;
    QUIPU__VEC(struct quipu__charisma_handle) handles;
    QUIPU__VEC(struct quipu__charisma_in_flight) in_flight; /* those not used are free */
    QUIPU__VEC(uint32_t) free_in_flight;
    QUIPU__VEC(struct quipu__charisma_shared) shared;
    QUIPU__VEC(struct quipu__charisma_instance) instances;
    QUIPU__VEC(struct quipu_number) files;
    struct quipu__charisma_remembered remembered; /* where a profile has one for all */
    uint64_t transfer_count;                      /* of all requests so far */

    /* Numbers, plus 1, of those looked for lately, by their lower bits: nearly all are found here. */
    uint32_t recent_clients[QUIPU__CHARISMA_RECENT], recent_handles[QUIPU__CHARISMA_RECENT];

    /* Routes that were found lately; those of an earlier generation hold no longer. */
    uint64_t generation;
    struct quipu__charisma_route routes[QUIPU__CHARISMA_RECENT];
};

void quipu__charisma_tracking_init(struct quipu__charisma_tracking *tracking, struct quipu__memory *memory,
                                   const struct quipu__charisma_profile *profile);
void quipu__charisma_tracking_release(struct quipu__charisma_tracking *tracking);

/* The functions below give QUIPU_NONE or NULL when there is none, or memory is out, which the gate remembers. Pointers live until
 * the next call that adds. */

/* The client of that number, added when it is new. */
uint32_t quipu__charisma_client_add(struct quipu__charisma_tracking *tracking, int64_t id);
static inline uint32_t quipu__charisma_client_of(struct quipu__charisma_tracking *tracking, int64_t id) {
    const uint32_t recent = tracking->recent_clients[(uint64_t)id % QUIPU__CHARISMA_RECENT];
    return QUIPU__LIKELY(recent > 0 && tracking->clients.items[recent - 1].id == id)
               ? recent - 1
               : quipu__charisma_client_add(tracking, id);
}

/* Instances of their locations, begun when there are none. */
uint32_t quipu__charisma_application_instance(struct quipu__charisma_tracking *tracking, uint32_t application);
uint32_t quipu__charisma_client_instance(struct quipu__charisma_tracking *tracking, uint32_t client);

/* The application that a client belongs to now, or QUIPU_NONE. */
static inline uint32_t quipu__charisma_application_of_client(const struct quipu__charisma_tracking *tracking,
                                                             uint32_t client) {
    if (client == QUIPU_NONE)
        return QUIPU_NONE;
    const struct quipu__charisma_client *it = &tracking->clients.items[client];
    const bool belongs =
        it->joined != QUIPU_NONE && it->exits == tracking->applications.items[it->joined].exits;
    return belongs ? it->joined : QUIPU_NONE;
}

/* The descriptor of an owner, open or not; NULL when it was never used. */
struct quipu__charisma_handle *quipu__charisma_handle_look_up(struct quipu__charisma_tracking *tracking,
                                                              bool is_of_application, uint32_t owner,
                                                              int64_t file_desc);
static inline uint32_t *quipu__charisma_recent_handle(struct quipu__charisma_tracking *tracking,
                                                      bool is_of_application, uint32_t owner,
                                                      int64_t file_desc) {
    const uint64_t spread = (uint64_t)owner * 8 + (uint64_t)file_desc + (is_of_application ? 101 : 0);
    return &tracking->recent_handles[spread % QUIPU__CHARISMA_RECENT];
}
static inline struct quipu__charisma_handle *quipu__charisma_handle_find(
    struct quipu__charisma_tracking *tracking, bool is_of_application, uint32_t owner, int64_t file_desc) {
    const uint32_t recent = *quipu__charisma_recent_handle(tracking, is_of_application, owner, file_desc);
    struct quipu__charisma_handle *handle = recent > 0 ? &tracking->handles.items[recent - 1] : NULL;
    if (QUIPU__LIKELY(handle && handle->owner == owner && handle->file_desc == file_desc &&
                      handle->is_of_application == is_of_application))
        return handle;
    return quipu__charisma_handle_look_up(tracking, is_of_application, owner, file_desc);
}

/* The same, added when it is new. */
struct quipu__charisma_handle *quipu__charisma_handle_of(struct quipu__charisma_tracking *tracking,
                                                         bool is_of_application, uint32_t owner,
                                                         int64_t file_desc);

/* Where the route of a request is, if it is known. */
QUIPU__INLINE struct quipu__charisma_route *quipu__charisma_route_of(struct quipu__charisma_tracking *tracking,
                                                                     int64_t client_id, int64_t file_desc) {
    return &tracking->routes[((uint64_t)client_id * 8 + (uint64_t)file_desc) % QUIPU__CHARISMA_RECENT];
}

/* Opens it for a file; what it remembered is forgotten. Closes it. */
void quipu__charisma_handle_open(struct quipu__charisma_tracking *tracking,
                                 struct quipu__charisma_handle *handle, uint32_t file, uint8_t open_flags,
                                 uint64_t offset);

/* Puts a handle that is open into the list of its application. */
void quipu__charisma_handle_link(struct quipu__charisma_tracking *tracking,
                                 struct quipu__charisma_handle *handle);

/* Begins an asynchronous request, with room for that many transfers, replacing one with the same number. */
struct quipu__charisma_in_flight *quipu__charisma_in_flight_begin(struct quipu__charisma_tracking *tracking,
                                                                  bool is_of_application, uint32_t owner,
                                                                  int64_t async_id, uint32_t transfer_count);

/* A stamp, member by member: one that was just put together is not read as a whole, for which the processor would wait. */
QUIPU__INLINE struct quipu_number quipu__charisma_stamp(struct quipu_number stamp) {
    return (struct quipu_number){.i = stamp.i, .is_real = stamp.is_real, .is_signed = stamp.is_signed};
}

/* Whether a time stamp is before another one of the same machine. One that is no number comes before all, so that it is never taken for
 * granted. */
QUIPU__INLINE bool quipu__charisma_is_before(struct quipu_number left, struct quipu_number right) {
    if (left.is_real)
        return !(left.f >= right.f);
    return left.is_signed ? left.i < right.i : (uint64_t)left.i < (uint64_t)right.i;
}

/* Compares time stamps of one machine: below 0, 0, above 0. */
static inline int quipu__charisma_compare(struct quipu_number left, struct quipu_number right) {
    if (left.is_real)
        return quipu__charisma_is_before(left, right) ? -1 : left.f > right.f;
    if (left.is_signed)
        return (left.i > right.i) - (left.i < right.i);
    return ((uint64_t)left.i > (uint64_t)right.i) - ((uint64_t)left.i < (uint64_t)right.i);
}

/* ---- Compressed requests (compressed_rw.c) ---- */

/* Decodes the record that begins at a byte, except for the meaning of its fields. Lists are put into the scratch. */
enum quipu__binary_outcome quipu__charisma_compressed_take(const struct quipu__charisma_profile *profile,
                                                           struct quipu__binary_decoder *decoder,
                                                           struct quipu__charisma_comp_rw *out,
                                                           const uint8_t *at, const uint8_t *end,
                                                           const uint8_t **next);

/* Finds what the fields stand for and remembers it. Returns how many values the fields refer to that were never sent. */
unsigned quipu__charisma_compressed_expand(struct quipu__charisma_tracking *tracking,
                                           struct quipu__charisma_comp_rw *record);

/* Whether the fields stand for the values that the record has been found to have. If so they are remembered. */
bool quipu__charisma_compressed_repeats(struct quipu__charisma_tracking *tracking,
                                        const struct quipu__charisma_comp_rw *record);

/* Remembers a client's request that is not compressed. */
void quipu__charisma_compressed_pass(struct quipu__charisma_tracking *tracking,
                                     const struct quipu__charisma_rw *rw);

/* The same of a request whose route is known. */
QUIPU__INLINE void quipu__charisma_compressed_note(struct quipu__charisma_tracking *tracking,
                                                   const struct quipu__charisma_route *route,
                                                   const struct quipu__charisma_rw *rw) {
    struct quipu__charisma_handle *handle = &tracking->handles.items[route->handle];
    tracking->clients.items[route->client].previous = quipu__charisma_stamp(rw->starttime);
    handle->offset = rw->requests->offset;
    handle->memory_offset = (int64_t)rw->requests->memory_offset;
}

/* The record as it is, its fields as they are. */
void quipu__charisma_compressed_put(const struct quipu__charisma_profile *profile,
                                    const struct quipu__charisma_comp_rw *record, struct quipu__buffer *out);

/* Compresses a request of one client. False when it cannot be: too wide, asynchronous, of an application. words has room for
 * QUIPU__CHARISMA_WORDS; the record's list is made of them. Remembers it when it can. */
#define QUIPU__CHARISMA_WORDS 5
struct quipu__charisma_word_list {
    struct quipu_sized head;
    uint64_t words[QUIPU__CHARISMA_WORDS];
};
bool quipu__charisma_compress(struct quipu__charisma_tracking *tracking, const struct quipu__charisma_rw *rw,
                              struct quipu__charisma_word_list *words, struct quipu__charisma_comp_rw *out);

/* The same request as a full record. The list points to the transfer. */
struct quipu__charisma_single_request {
    struct quipu_sized head;
    struct quipu__charisma_request entry;
};
struct quipu__charisma_rw quipu__charisma_decompress(const struct quipu__charisma_profile *profile,
                                                     const struct quipu__charisma_comp_rw *record,
                                                     struct quipu__charisma_single_request *list);

#endif

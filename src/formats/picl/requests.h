/* requests.h: sends whose requests have a name, until they are complete. A name is used again and may stand for several sends: the first
 * one completes first. */
#ifndef QUIPU_PICL_REQUESTS_H
#define QUIPU_PICL_REQUESTS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

/* Requests whose process and name have the same hash are a list; so are the slots that are not used. */
struct quipu__picl_request {
    int64_t name;
    uint64_t request;
    uint32_t process;
    uint32_t next;
    uint32_t last; /* of the list that begins here */
};

struct quipu__picl_requests {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__picl_request) items;
    uint32_t unused;
    struct quipu__map first; /* by the hash of process and name */
};

void quipu__picl_requests_init(struct quipu__picl_requests *requests, struct quipu__memory *memory);
void quipu__picl_requests_release(struct quipu__picl_requests *requests);

/* From now on the name stands for that request, too. False when memory is out. */
QUIPU_CHECKED bool quipu__picl_requests_put(struct quipu__picl_requests *requests, uint32_t process,
                                            int64_t name, uint64_t request);

/* The first request of a name, which is forgotten; QUIPU_UNKNOWN when there is none. */
uint64_t quipu__picl_requests_take(struct quipu__picl_requests *requests, uint32_t process, int64_t name);

#endif

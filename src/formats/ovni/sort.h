/* sort.h: putting the events of regions OU[ … OU], which were learned of late, where their clocks belong. */
#ifndef QUIPU_OVNI_SORT_H
#define QUIPU_OVNI_SORT_H

#include "formats/ovni/files.h"

#define QUIPU__OVNI_LOOK_BACK UINT64_C(1000000) /* events, by default */

struct quipu__ovni_sorted {
    uint8_t *bytes; /* the whole file with its events sorted; NULL when it stays as it is */
    size_t size;
    uint64_t events, regions, empty_regions;
    uint64_t jumps_back; /* clocks before those of the event before, as the file was */
};

/* Sorts the events of a stream's file. QUIPU_CORRUPT when it breaks off, QUIPU_LIMIT when an event belongs further back than
 * look_back events. The caller gives the bytes back: quipu__ovni_sorted_release. */
enum quipu_status quipu__ovni_sort(struct quipu__ovni_files *files, const struct quipu__ovni_stream *stream,
                                   uint64_t look_back, struct quipu__ovni_sorted *out, struct quipu_error *err);
void quipu__ovni_sorted_release(struct quipu__ovni_files *files, struct quipu__ovni_sorted *sorted);

#endif

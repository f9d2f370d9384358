/* grab.c: reading one call whose number was taken: into a callback, or into a struct of the caller's, whose lists and
 * strings are memory of their own then. */
#include "calls.h"
#include "library.h"

#include <stdlib.h>
#include <string.h>

static enum quipu_status read_body(struct dumpi_memory_buffer *own, dumpi_profile *profile, uint32_t type) {
    const enum quipu_status status = quipu__undumpi_stream_next(
        &own->stream, profile->file, type, quipu__stdio_ahead(profile->file), QUIPU__UNDUMPI_UNBOUNDED);
    quipu__undumpi_note(own, status, &own->stream.error);
    profile->pos = quipu__undumpi_position(profile->file);
    return status;
}

int quipu__undumpi_grab(uint32_t type, dumpi_profile *profile, libundumpi_unsafe_fun callout, void *userarg) {
    struct dumpi_memory_buffer *own = quipu__undumpi_reader(profile);
    if (!own || read_body(own, profile, type) != QUIPU_OK)
        return 0;
    return callout ? quipu__undumpi_deliver(own, callout, userarg) : 1;
}

/* No record has this number: it stands for the end of the oldest files. */
int libundumpi_grab_all_functions(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg) {
    (void)profile, (void)callout, (void)uarg;
    return 0;
}

/* ---- Ranges ---- */

bool quipu__undumpi_present_ranges(struct dumpi_memory_buffer *own) {
    struct quipu__dumpi_decoder *decoder = &own->stream.decoder;
    const struct quipu__dumpi_range **member = decoder->type == QUIPU__DUMPI_TYPE_group_range_incl
                                                   ? &decoder->data.group_range_incl.ranges
                                                   : &decoder->data.group_range_excl.ranges;
    const struct quipu__dumpi_range *ranges = *member;
    const uint32_t count = quipu_sized_count(ranges);
    const void **rows = count ? quipu__scratch_sized(&decoder->scratch, count, sizeof *rows) : NULL;
    for (uint32_t i = 0; rows && i < count; i++)
        rows[i] = &ranges[i];
    memcpy(member, &rows, sizeof rows);
    return rows || count == 0;
}

/* ---- Memory of the caller's ---- */

static const struct quipu_record_type *const texts_type = &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_texts];
static const struct quipu_record_type *const range_type = &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_range];

/* How a list is made of lists: of strings, of lists of strings, of rows of numbers. */
static unsigned depth_of(const struct quipu_field *field) {
    if (field->element == texts_type)
        return 3;
    return field->element == range_type || (field->shape == QUIPU_LIST && field->storage == QUIPU_STORE_STRING)
               ? 2
               : 1;
}

static size_t size_of(const struct quipu_field *field, unsigned depth) {
    if (depth > 1)
        return sizeof(void *);
    if (field->element == range_type)
        return range_type->size;
    if (field->storage == QUIPU_STORE_STRING || field->element == texts_type)
        return 1;
    return field->element ? field->element->size : quipu__storage_bytes((enum quipu_storage)field->storage);
}

static void free_copy(void *copy, uint32_t count, unsigned depth) {
    for (uint32_t i = 0; copy && depth > 1 && i < count; i++) {
        void *inner = ((void **)copy)[i];
        uint32_t inner_count = 0;
        while (depth > 2 && inner && ((void **)inner)[inner_count])
            inner_count++;
        free_copy(inner, inner_count, depth - 1);
    }
    free(copy);
}

/* A copy of a sized list with a zero behind it. Rows of numbers are 1 element each. */
static void *copy_sized(const struct quipu_field *field, const void *list, unsigned depth) {
    const bool is_row = field->element == range_type && depth == 1;
    const uint32_t count = is_row ? 1 : quipu_sized_count(list);
    const size_t size = size_of(field, depth);
    char *copy = list ? calloc((size_t)count + 1, size) : NULL;
    if (copy && depth == 1)
        memcpy(copy, list, count * size);
    for (uint32_t i = 0; copy && depth > 1 && i < count; i++) {
        const void *inner = ((const void *const *)list)[i];
        void *made = copy_sized(field, inner, depth - 1);
        if (inner && !made) {
            free_copy(copy, i, depth);
            return NULL;
        }
        ((void **)(void *)copy)[i] = made;
    }
    return copy;
}

static bool is_pointer(const struct quipu_field *field) {
    return field->shape == QUIPU_LIST || field->storage == QUIPU_STORE_STRING;
}

/* Puts copies in place of the decoder's lists; false without memory, and then there are none. */
static bool detach(const struct quipu_record_type *type, void *val, size_t size) {
    size_t done = 0;
    bool good = true;
    for (; good && done < type->field_count; done++) {
        const struct quipu_field *field = &type->fields[done];
        void *list, *copy;
        if (!is_pointer(field) || field->offset >= size)
            continue;
        memcpy(&list, (char *)val + field->offset, sizeof list);
        copy = copy_sized(field, list, depth_of(field));
        good = !list || copy;
        memcpy((char *)val + field->offset, &copy, sizeof copy);
    }
    if (good)
        return true;
    while (done-- > 0) {
        const struct quipu_field *field = &type->fields[done];
        void *copy;
        if (!is_pointer(field) || field->offset >= size)
            continue;
        memcpy(&copy, (char *)val + field->offset, sizeof copy);
        uint32_t count = 0;
        while (depth_of(field) > 1 && copy && ((void **)copy)[count])
            count++;
        free_copy(copy, count, depth_of(field));
        memset((char *)val + field->offset, 0, sizeof copy);
    }
    return false;
}

static void tell_counters(struct dumpi_memory_buffer *own, dumpi_perfinfo *perf) {
    const dumpi_perfinfo *read = quipu__undumpi_counters(own);
    const size_t count = (size_t)read->count;
    perf->count = read->count;
    memcpy(perf->invalue, read->invalue, count * sizeof *perf->invalue);
    memcpy(perf->outvalue, read->outvalue, count * sizeof *perf->outvalue);
    if (own->label_count > 0)
        memcpy(perf->counter_tag, read->counter_tag, count * sizeof *perf->counter_tag);
}

int quipu__undumpi_read(uint32_t type, void *val, size_t size, uint16_t *thread, dumpi_time *cpu,
                        dumpi_time *wall, dumpi_perfinfo *perf, dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = val ? quipu__undumpi_reader(profile) : NULL;
    if (!own || read_body(own, profile, type) != QUIPU_OK || !quipu__undumpi_present(own))
        return 0;
    const struct quipu__dumpi_call *call = &own->stream.decoder.common;
    if (thread)
        *thread = call->thread;
    if (cpu)
        *cpu = (dumpi_time){quipu__undumpi_clock(call->cpu_start), quipu__undumpi_clock(call->cpu_stop)};
    if (wall)
        *wall = (dumpi_time){quipu__undumpi_clock(call->wall_start), quipu__undumpi_clock(call->wall_stop)};
    if (perf)
        tell_counters(own, perf);
    memcpy(val, &own->stream.decoder.data, size);
    return detach(&quipu__dumpi_types[type], val, size);
}

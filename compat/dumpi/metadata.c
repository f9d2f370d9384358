/* metadata.c: reading the sections that are no calls, each at the offset that the profile has for it, into the library's
 * public structs. What is absent or damaged comes back empty. */
#include "library.h"

#include <dumpi/common/io.h>

#include <stdlib.h>
#include <string.h>

/* Decodes the section at an offset, which is 0 for those that are absent; NULL when there is nothing. *fine is whether
 * no trouble was met. */
static const union quipu__dumpi_any *section(dumpi_profile *profile, uint32_t type, long offset, bool *fine) {
    struct dumpi_memory_buffer *own = quipu__undumpi_reader(profile);
    *fine = own != NULL;
    if (!own)
        return NULL;
    own->fault[0] = '\0';
    if (offset <= 0)
        return NULL;
    struct quipu__undumpi_stream *stream = &own->stream;
    const enum quipu_status status =
        quipu__undumpi_stream_section(stream, profile->file, type, (uint64_t)offset);
    quipu__undumpi_note(own, status, &stream->error);
    profile->pos = quipu__undumpi_position(profile->file);
    *fine = status == QUIPU_OK;
    return *fine ? &stream->decoder.data : NULL;
}

static char *copy_text(const char *text) {
    const size_t size = quipu_sized_count(text) + (size_t)1;
    char *copy = calloc(1, size);
    if (copy && text)
        memcpy(copy, text, size);
    return copy;
}

/* A copy of the first count numbers of a list, zeros where it is shorter. */
static int *copy_numbers(const int32_t *numbers, uint32_t count) {
    int *copy = calloc((size_t)count + 1, sizeof *copy);
    const uint32_t there = quipu_sized_count(numbers) < count ? quipu_sized_count(numbers) : count;
    if (copy && there > 0)
        memcpy(copy, numbers, there * sizeof *copy);
    return copy;
}

/* ---- Header ---- */

static void clear_header(dumpi_header *header) {
    free(header->hostname);
    free(header->username);
    free(header->meshcrd);
    free(header->meshsize);
    *header = (dumpi_header){.hostname = NULL};
}

void dumpi_free_header(dumpi_header *header) {
    if (header)
        clear_header(header);
    free(header);
}

int dumpi_read_header(dumpi_profile *profile, dumpi_header *header) {
    bool fine;
    if (!header || !profile)
        return 0;
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_header, profile->header, &fine);
    if (!data)
        return 0;
    const struct quipu__dumpi_header *read = &data->header;
    const uint32_t dimensions = quipu_sized_count(read->meshcrd);
    *header = (dumpi_header){
        .version = {(char)read->version, (char)read->subversion, (char)read->subsubversion},
        .starttime = read->starttime,
        .hostname = copy_text(read->hostname),
        .username = copy_text(read->username),
        .meshdim = (int)dimensions,
        .meshcrd = copy_numbers(read->meshcrd, dimensions),
        .meshsize = copy_numbers(read->meshsize, dimensions),
    };
    if (header->hostname && header->username && header->meshcrd && header->meshsize)
        return 1;
    clear_header(header);
    return 0;
}

dumpi_header *undumpi_read_header(dumpi_profile *profile) {
    dumpi_header *header = calloc(1, sizeof *header);
    if (header && dumpi_read_header(profile, header))
        return header;
    free(header);
    return NULL;
}

/* ---- Footer ---- */

int dumpi_read_footer(dumpi_profile *profile, dumpi_footer *footer) {
    bool fine;
    if (!profile || !footer)
        return 0;
    memset(footer, 0, sizeof *footer);
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_footer, profile->footer, &fine);
    if (data && data->footer.magic != QUIPU__DUMPI_FOOTER_MAGIC) {
        struct quipu_error error = QUIPU_ERROR_INIT;
        error.byte = (uint64_t)profile->footer;
        snprintf(error.message, sizeof error.message, "there is no footer where the index says");
        quipu__undumpi_note_slow(profile->membuf, &error);
        return 0;
    }
    if (!data)
        return fine;
    memcpy(footer->call_count, data->footer.called, sizeof footer->call_count);
    memcpy(footer->ignored_count, data->footer.ignored, sizeof footer->ignored_count);
    return 1;
}

dumpi_footer *undumpi_read_footer(dumpi_profile *profile) {
    dumpi_footer *footer = profile ? calloc(1, sizeof *footer) : NULL;
    dumpi_read_footer(profile, footer);
    return footer;
}

void dumpi_free_footer(dumpi_footer *footer) {
    free(footer);
}

/* ---- Keys with values ---- */

int dumpi_read_keyval_record(dumpi_profile *profile, dumpi_keyval_record *record) {
    bool fine;
    if (!profile || !record)
        return 0;
    *record = (dumpi_keyval_record){0, NULL, NULL};
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_keyvals, profile->keyval, &fine);
    const struct quipu__dumpi_pair *keyvals = data ? data->keyvals.keyvals : NULL;
    for (uint32_t i = 0; i < quipu_sized_count(keyvals); i++)
        dumpi_push_keyval_entry(record, keyvals[i].key ? keyvals[i].key : "",
                                keyvals[i].value ? keyvals[i].value : "");
    return fine && record->count == (int)quipu_sized_count(keyvals);
}

dumpi_keyval_record *undumpi_read_keyval_record(dumpi_profile *profile) {
    dumpi_keyval_record *record = profile ? dumpi_alloc_keyval_record() : NULL;
    dumpi_read_keyval_record(profile, record);
    return record;
}

/* ---- Sizes of datatypes ---- */

int dumpi_read_datatype_sizes(dumpi_profile *profile, dumpi_sizeof *sizes) {
    bool fine;
    if (!profile || !sizes)
        return 0;
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_sizes, profile->sizelbl, &fine);
    const uint32_t stored = data ? quipu_sized_count(data->sizes.sizes) : 0;
    const uint32_t count = stored < INT16_MAX ? stored : INT16_MAX;
    *sizes = (dumpi_sizeof){(int16_t)count, count > 0 ? copy_numbers(data->sizes.sizes, count) : NULL};
    if (!sizes->size)
        sizes->count = 0;
    return fine && sizes->count == (int16_t)count;
}

dumpi_sizeof undumpi_read_datatype_sizes(dumpi_profile *profile) {
    dumpi_sizeof sizes = {0, NULL};
    dumpi_read_datatype_sizes(profile, &sizes);
    return sizes;
}

/* ---- Names of counters and functions ---- */

static void copy_label(dumpi_perflabel_t label, const char *name) {
    memset(label, 0, DUMPI_MAX_PERFCTR_NAME);
    for (size_t i = 0; name && name[i] && i + 1 < DUMPI_MAX_PERFCTR_NAME; i++)
        label[i] = name[i];
}

void dumpi_read_perfctr_labels(dumpi_profile *profile, int *count, dumpi_perflabel_t *labels, int max) {
    bool fine;
    const union quipu__dumpi_any *data =
        section(profile, QUIPU__DUMPI_TYPE_counters, profile ? profile->perflbl : 0, &fine);
    const int found = data ? (int)quipu_sized_count(data->counters.names) : 0;
    if (count)
        *count = found;
    for (int i = 0; labels && i < found && i < max; i++)
        copy_label(labels[i], data->counters.names[i]);
}

int dumpi_read_function_addresses(dumpi_profile *profile, int *count, uint64_t **addresses, char ***names) {
    bool fine;
    if (!count || !addresses || !names)
        return 0;
    *count = 0;
    *addresses = NULL;
    *names = NULL;
    const union quipu__dumpi_any *data =
        section(profile, QUIPU__DUMPI_TYPE_addresses, profile ? profile->addrlbl : 0, &fine);
    const struct quipu__dumpi_label *labels = data ? data->addresses.addresses : NULL;
    const uint32_t found = quipu_sized_count(labels);
    *addresses = calloc((size_t)found + 1, sizeof **addresses);
    *names = calloc((size_t)found + 1, sizeof **names);
    for (uint32_t i = 0; *addresses && *names && i < found; i++) {
        (*addresses)[i] = labels[i].address;
        (*names)[i] = copy_text(labels[i].name);
        *count += 1;
    }
    return fine && *addresses && *names;
}

/* ---- The begin of the calls ---- */

int dumpi_start_stream_read(dumpi_profile *profile) {
    bool fine;
    int labels = 0;
    struct dumpi_memory_buffer *own = quipu__undumpi_reader(profile);
    if (!own)
        return 0;
    dumpi_read_perfctr_labels(profile, &labels, own->perf.counter_tag, DUMPI_MAX_PERFCTRS);
    own->label_count = labels < DUMPI_MAX_PERFCTRS ? labels : DUMPI_MAX_PERFCTRS;
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_begin, profile->body, &fine);
    if (!data)
        return 0;
    profile->cpu_time_offset = data->begin.cpu_bias;
    profile->wall_time_offset = data->begin.wall_bias;
    own->calls_end = quipu__undumpi_calls_end(profile);
    return 1;
}

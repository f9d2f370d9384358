/* undumpi.c: libundumpi's reading: profiles, sections, and calls to callbacks. The structs of the record tables have
 * the layout of the argument structs, so a callback gets the decoded record itself. */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(libundumpi_callbacks) == QUIPU__DUMPI_TYPE_head * sizeof(dumpi_generic_call),
               "callbacks are in the order of the record types");

void quipu__undumpi_note(dumpi_profile *profile, enum quipu_status status) {
    struct dumpi_memory_buffer *own = profile->membuf;
    own->fault[0] = '\0';
    if (status < 0)
        quipu_error_text(own->is_writing ? &own->writer.error : &own->reader.error, own->fault,
                         sizeof own->fault);
}

const char *undumpi_fault(const dumpi_profile *profile) {
    return profile->membuf->fault;
}

/* ---- Files ---- */

static void fill_profile(dumpi_profile *profile) {
    const struct quipu__undumpi_file *reader = &profile->membuf->reader;
    const struct quipu__dumpi_index *index = &reader->index;
    profile->header = (long)index->header;
    profile->body = (long)index->body;
    profile->footer = (long)index->footer;
    profile->keyval = (long)index->keyvals;
    profile->perflbl = (long)index->counters;
    profile->addrlbl = (long)index->addresses;
    profile->sizelbl = (long)index->sizes;
    profile->version[0] = (char)(reader->version >> 16);
    profile->version[1] = (char)(reader->version >> 8);
    profile->version[2] = (char)reader->version;
    profile->total_file_size = profile->terminate_pos = reader->size;
    profile->pos = index->body;
}

dumpi_profile *undumpi_open(const char *name) {
    dumpi_profile *profile = calloc(1, sizeof *profile);
    struct dumpi_memory_buffer *own = calloc(1, sizeof *own);
    FILE *file = name ? fopen(name, "rb") : NULL;
    if (!profile || !own || !file || quipu__undumpi_open(&own->reader, name, false) != QUIPU_OK) {
        if (file)
            fclose(file);
        free(own);
        free(profile);
        return NULL;
    }
    profile->file = file;
    profile->membuf = own;
    fill_profile(profile);
    return profile;
}

void undumpi_close(dumpi_profile *profile) {
    if (!profile)
        return;
    if (profile->file)
        fclose(profile->file);
    quipu__undumpi_close(&profile->membuf->reader);
    free(profile->membuf);
    free(profile);
}

int dumpi_have_version(const char version[3], int a, int b, int c) {
    const unsigned char *have = (const unsigned char *)version;
    const int want[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (have[i] != want[i])
            return have[i] > want[i];
    return 1;
}

/* ---- Sections ---- */

/* Decodes a section; NULL when it is absent or damaged. */
static const union quipu__dumpi_any *section(dumpi_profile *profile, uint32_t type) {
    struct quipu__undumpi_file *reader = &profile->membuf->reader;
    const enum quipu_status status = quipu__undumpi_section(reader, type);
    quipu__undumpi_note(profile, status);
    return status == QUIPU_OK ? &reader->decoder.data : NULL;
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

dumpi_header *undumpi_read_header(dumpi_profile *profile) {
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_header);
    dumpi_header *header = data ? calloc(1, sizeof *header) : NULL;
    if (!header)
        return NULL;
    const uint32_t dimensions = quipu_sized_count(data->header.meshcrd);
    memcpy(header->version, profile->version, sizeof header->version);
    header->starttime = data->header.starttime;
    header->hostname = copy_text(data->header.hostname);
    header->username = copy_text(data->header.username);
    header->meshdim = (int)dimensions;
    header->meshcrd = copy_numbers(data->header.meshcrd, dimensions);
    header->meshsize = copy_numbers(data->header.meshsize, dimensions);
    if (header->hostname && header->username && header->meshcrd && header->meshsize)
        return header;
    dumpi_free_header(header);
    return NULL;
}

void dumpi_free_header(dumpi_header *header) {
    if (!header)
        return;
    free(header->hostname);
    free(header->username);
    free(header->meshcrd);
    free(header->meshsize);
    free(header);
}

dumpi_footer *undumpi_read_footer(dumpi_profile *profile) {
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_footer);
    dumpi_footer *footer = calloc(1, sizeof *footer);
    if (footer && data) {
        memcpy(footer->call_count, data->footer.called, sizeof footer->call_count);
        memcpy(footer->ignored_count, data->footer.ignored, sizeof footer->ignored_count);
    }
    return footer;
}

void dumpi_free_footer(dumpi_footer *footer) {
    free(footer);
}

static bool add_keyval(dumpi_keyval_record *record, const struct quipu__dumpi_pair *pair) {
    dumpi_keyval_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return false;
    entry->key = copy_text(pair->key);
    entry->val = copy_text(pair->value);
    if (record->tail)
        record->tail->next = entry;
    else
        record->head = entry;
    record->tail = entry;
    record->count++;
    return entry->key && entry->val;
}

dumpi_keyval_record *undumpi_read_keyval_record(dumpi_profile *profile) {
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_keyvals);
    dumpi_keyval_record *record = calloc(1, sizeof *record);
    for (uint32_t i = 0; data && record && i < quipu_sized_count(data->keyvals.keyvals); i++)
        if (!add_keyval(record, &data->keyvals.keyvals[i])) {
            dumpi_free_keyval_record(record);
            return NULL;
        }
    return record;
}

void dumpi_free_keyval_record(dumpi_keyval_record *record) {
    if (!record)
        return;
    for (dumpi_keyval_entry *entry = record->head, *next; entry; entry = next) {
        next = entry->next;
        free(entry->key);
        free(entry->val);
        free(entry);
    }
    free(record);
}

dumpi_sizeof undumpi_read_datatype_sizes(dumpi_profile *profile) {
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_sizes);
    const uint32_t stored = data ? quipu_sized_count(data->sizes.sizes) : 0;
    const uint32_t count = stored < INT16_MAX ? stored : INT16_MAX;
    dumpi_sizeof sizes = {(int16_t)count, NULL};
    if (count > 0)
        sizes.size = copy_numbers(data->sizes.sizes, count);
    if (!sizes.size)
        sizes.count = 0;
    return sizes;
}

static void copy_label(dumpi_perflabel_t label, const char *name) {
    memset(label, 0, DUMPI_MAX_PERFCTR_LABEL);
    for (size_t i = 0; name && name[i] && i + 1 < DUMPI_MAX_PERFCTR_LABEL; i++)
        label[i] = name[i];
}

void dumpi_read_perfctr_labels(dumpi_profile *profile, int *count, dumpi_perflabel_t *labels, int max) {
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_counters);
    *count = data ? (int)quipu_sized_count(data->counters.names) : 0;
    for (int i = 0; i < *count && i < max; i++)
        copy_label(labels[i], data->counters.names[i]);
}

int dumpi_read_function_addresses(dumpi_profile *profile, int *count, uint64_t **addresses, char ***names) {
    const union quipu__dumpi_any *data = section(profile, QUIPU__DUMPI_TYPE_addresses);
    const struct quipu__dumpi_label *labels = data ? data->addresses.addresses : NULL;
    const uint32_t found = quipu_sized_count(labels);
    *count = 0;
    *addresses = calloc((size_t)found + 1, sizeof **addresses);
    *names = calloc((size_t)found + 1, sizeof **names);
    for (uint32_t i = 0; *addresses && *names && i < found; i++) {
        (*addresses)[i] = labels[i].address;
        (*names)[i] = copy_text(labels[i].name);
        *count += 1;
    }
    return *addresses && *names && profile->membuf->fault[0] == '\0';
}

/* ---- Calls ---- */

int dumpi_start_stream_read(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = profile->membuf;
    int count;
    dumpi_read_perfctr_labels(profile, &count, own->perf.counter_tag, DUMPI_MAX_PERFCTRS);
    const enum quipu_status status = quipu__undumpi_rewind(&own->reader);
    quipu__undumpi_note(profile, status);
    profile->cpu_time_offset = own->reader.cpu_bias;
    profile->wall_time_offset = own->reader.wall_bias;
    profile->pos = quipu__undumpi_offset(&own->reader);
    return status == QUIPU_OK;
}

static inline dumpi_clock clock_of(int64_t time) {
    int64_t seconds = time / 1000000000;
    int32_t rest = (int32_t)(time % 1000000000);
    if (QUIPU__UNLIKELY(rest < 0)) {
        rest += 1000000000;
        seconds--;
    }
    return (dumpi_clock){(int32_t)(uint32_t)(uint64_t)seconds, rest};
}

static const dumpi_perfinfo *counters_of(struct dumpi_memory_buffer *own) {
    const struct quipu__dumpi_counter *counters = own->reader.decoder.common.counters;
    const uint32_t count = quipu_sized_count(counters);
    own->perf.count = count < DUMPI_MAX_PERFCTRS ? (int32_t)count : DUMPI_MAX_PERFCTRS;
    for (int32_t i = 0; i < own->perf.count; i++) {
        own->perf.invalue[i] = counters[i].in;
        own->perf.outvalue[i] = counters[i].out;
    }
    return &own->perf;
}

/* Passes the call that was decoded last on. */
static inline int deliver(dumpi_generic_call callout, dumpi_profile *profile, void *userarg) {
    struct dumpi_memory_buffer *own = profile->membuf;
    const struct quipu__dumpi_call *call = &own->reader.decoder.common;
    const dumpi_time cpu = {clock_of(call->cpu_start), clock_of(call->cpu_stop)};
    const dumpi_time wall = {clock_of(call->wall_start), clock_of(call->wall_stop)};
    profile->pos = quipu__undumpi_offset(&own->reader);
    return callout(&own->reader.decoder.data, call->thread, &cpu, &wall, counters_of(own), userarg);
}

/* Skips calls that nobody waits for, as far as that takes no decoding and stays before the bound. */
static inline void skip_calls(struct quipu__undumpi_file *file, const dumpi_generic_call *callouts,
                              uint64_t bound) {
    const uint8_t *at = file->input->at;
    const uint64_t offset = quipu__undumpi_offset(file);
    const uint64_t before = bound > offset ? bound - offset : 0;
    const size_t window = (size_t)(file->end - at);
    const uint8_t *const end = before < window ? at + before : file->end;
    while (end - at >= QUIPU__DUMPI_RECORD_LEAST) {
        const uint32_t type = quipu__dumpi_type_of(quipu__load_be16(at));
        if (type == QUIPU_NONE || callouts[type] || file->whole[type] == QUIPU__UNDUMPI_VARIES ||
            (at[2] & QUIPU__DUMPI_MASK_COUNTERS))
            break;
        const size_t bytes = quipu__dumpi_head_bytes(at[2]) + file->whole[type];
        if ((size_t)(end - at) < bytes)
            break;
        at += bytes;
    }
    file->input->at = at;
}

/* Tells how far the reading is; returns the offset at which to tell again. */
static uint64_t tell_progress(const char *metaname, const dumpi_profile *profile, uint64_t offset) {
    const uint64_t total = profile->total_file_size ? profile->total_file_size : 1;
    const uint64_t percent = offset >= total ? 100 : offset * 100 / total;
    printf("%s%s%d%%\n", metaname ? metaname : "", metaname ? ": " : "", (int)percent);
    return (percent + 1) * total / 100 + 1;
}

static enum quipu_status read_calls(const char *metaname, dumpi_profile *profile,
                                    const dumpi_generic_call *callouts, void *userarg, bool progress) {
    struct quipu__undumpi_file *file = &profile->membuf->reader;
    uint64_t tell_at = progress ? 0 : UINT64_MAX;
    for (;;) {
        skip_calls(file, callouts, tell_at < profile->terminate_pos ? tell_at : profile->terminate_pos);
        const enum quipu_status status = quipu__undumpi_next(file);
        if (QUIPU__UNLIKELY(status != QUIPU_OK))
            return status;
        if (callouts[file->decoder.type])
            deliver(callouts[file->decoder.type], profile, userarg);
        const uint64_t offset = quipu__undumpi_offset(file);
        if (QUIPU__UNLIKELY(offset >= tell_at))
            tell_at = tell_progress(metaname, profile, offset);
        if (QUIPU__UNLIKELY(offset >= profile->terminate_pos))
            return QUIPU_END;
    }
}

int undumpi_read_stream_full(const char *metaname, dumpi_profile *profile,
                             const libundumpi_callbacks *callbacks, void *userarg, bool progress) {
    dumpi_generic_call callouts[QUIPU__DUMPI_TYPE_head];
    memcpy(callouts, callbacks, sizeof callouts);
    if (!dumpi_start_stream_read(profile))
        return 1;
    quipu__undumpi_note(profile, read_calls(metaname, profile, callouts, userarg, progress));
    profile->pos = quipu__undumpi_offset(&profile->membuf->reader);
    return 1;
}

int undumpi_read_stream(dumpi_profile *profile, const libundumpi_callbacks *callbacks, void *userarg,
                        bool progress) {
    return undumpi_read_stream_full(NULL, profile, callbacks, userarg, progress);
}

int undumpi_read_single_call(dumpi_profile *profile, libundumpi_cbpair pairs[DUMPI_END_OF_STREAM],
                             void *userarg, int *mpi_finalized) {
    struct quipu__undumpi_file *file = &profile->membuf->reader;
    const enum quipu_status status = quipu__undumpi_next(file);
    quipu__undumpi_note(profile, status);
    if (status != QUIPU_OK)
        return 0;
    const uint32_t type = file->decoder.type;
    const libundumpi_cbpair *pair = &pairs[quipu__dumpi_types[type].id];
    if (pair->handler && pair->callout)
        pair->handler(pair->callout, profile, userarg);
    if (type == QUIPU__DUMPI_TYPE_finalize)
        *mpi_finalized = 1;
    profile->pos = quipu__undumpi_offset(file);
    return 1;
}

/* ---- Callbacks ---- */

void libundumpi_clear_callbacks(libundumpi_callbacks *callbacks) {
    *callbacks = (libundumpi_callbacks){.on_send = NULL};
}

void libundumpi_set_callbacks(libundumpi_callbacks *callbacks, dumpi_generic_call call) {
    for (size_t type = 0; type < QUIPU__DUMPI_TYPE_head; type++)
        memcpy((char *)callbacks + type * sizeof call, &call, sizeof call);
}

static int handle(dumpi_generic_call callout, dumpi_profile *profile, void *userarg) {
    return deliver(callout, profile, userarg);
}

void libundumpi_populate_handlers(libundumpi_cbpair pairs[DUMPI_END_OF_STREAM]) {
    for (int id = 0; id < DUMPI_END_OF_STREAM; id++)
        pairs[id].handler = quipu__dumpi_type_of((uint32_t)id) == QUIPU_NONE ? NULL : handle;
}

void libundumpi_populate_callouts(const libundumpi_callbacks *callbacks,
                                  libundumpi_cbpair pairs[DUMPI_END_OF_STREAM]) {
    for (int id = 0; id < DUMPI_END_OF_STREAM; id++) {
        const uint32_t type = quipu__dumpi_type_of((uint32_t)id);
        pairs[id].callout = NULL;
        if (type != QUIPU_NONE)
            memcpy(&pairs[id].callout, (const char *)callbacks + type * sizeof pairs[id].callout,
                   sizeof pairs[id].callout);
    }
}

void libundumpi_populate_callbacks(const libundumpi_callbacks *callbacks,
                                   libundumpi_cbpair pairs[DUMPI_END_OF_STREAM]) {
    libundumpi_populate_handlers(pairs);
    libundumpi_populate_callouts(callbacks, pairs);
}

/* write.c: libundumpi's writing: a profile in memory, calls, sections, the index. Arguments come as plain arrays and
 * strings, whose lengths other arguments tell; the codec wants sized memory, so lists are copied. */
#include "library.h"

#include "calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Profiles ---- */

dumpi_profile *dumpi_alloc_output_profile(int cpu_bias, int wall_bias, int buffer_bytes) {
    dumpi_profile *profile = calloc(1, sizeof *profile);
    struct dumpi_memory_buffer *own = calloc(1, sizeof *own);
    if (!profile || !own ||
        quipu__undumpi_writer_init(&own->writer, QUIPU__DUMPI_NEWEST, cpu_bias, wall_bias) != QUIPU_OK) {
        free(own);
        free(profile);
        return NULL;
    }
    if (buffer_bytes > 0)
        own->writer.target = (size_t)buffer_bytes;
    own->is_writing = true;
    quipu__scratch_init(&own->scratch, &own->writer.memory);
    profile->membuf = own;
    profile->cpu_time_offset = cpu_bias;
    profile->wall_time_offset = wall_bias;
    profile->body = QUIPU__DUMPI_BODY;
    profile->version[0] = QUIPU__DUMPI_NEWEST >> 16;
    profile->target_membuf_size = own->writer.target;
    return profile;
}

FILE *dumpi_open_output_file(const char *name) {
    return fopen(name, "wb");
}

void dumpi_free_profile(dumpi_profile *profile) {
    if (!profile)
        return;
    if (!profile->membuf->is_writing) {
        undumpi_close(profile);
        return;
    }
    if (profile->file)
        fclose(profile->file);
    quipu__scratch_release(&profile->membuf->scratch);
    quipu__undumpi_writer_release(&profile->membuf->writer);
    free(profile->membuf);
    free(profile);
}

static enum quipu_status write_to_file(void *context, const void *data, size_t size, struct quipu_error *err) {
    if (fwrite(data, 1, size, context) == size)
        return QUIPU_OK;
    snprintf(err->message, sizeof err->message, "writing failed: %s", strerror(errno));
    return err->status = QUIPU_IO;
}

/* The version may be set until the first call is written, and the file at any time. */
static bool prepare(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = profile->membuf;
    struct quipu__undumpi_writer *writer = &own->writer;
    if (profile->file)
        writer->sink = (struct quipu_sink){write_to_file, profile->file};
    if (own->has_codec)
        return true;
    const unsigned char *version = (const unsigned char *)profile->version;
    own->has_codec = true;
    quipu__dumpi_codec_free(writer->codec);
    const enum quipu_status status =
        quipu__dumpi_codec_new(&writer->memory, QUIPU__DUMPI_VERSION(version[0], version[1], version[2]), false,
                               &writer->codec, &writer->error);
    writer->encoder.codec = writer->codec;
    quipu__undumpi_note(profile, status);
    return status == QUIPU_OK;
}

static int finish_put(dumpi_profile *profile, enum quipu_status status) {
    quipu__undumpi_note(profile, status);
    profile->pos = quipu__undumpi_writer_offset(&profile->membuf->writer);
    return status == QUIPU_OK && !profile->membuf->writer.buffer.failed;
}

/* ---- Calls ---- */

static void *copy_list(struct quipu__scratch *scratch, const void *elements, uint32_t count, size_t size) {
    void *copy = elements && count > 0 ? quipu__scratch_sized(scratch, count, size) : NULL;
    if (copy)
        memcpy(copy, elements, count * size);
    return copy;
}

static const char *copy_string(struct quipu__scratch *scratch, const char *text) {
    return text ? quipu__scratch_text(scratch, text, strlen(text)) : NULL;
}

static const char *const *copy_strings(struct quipu__scratch *scratch, const char *const *texts,
                                       uint32_t count) {
    const char **copy = copy_list(scratch, texts, count, sizeof *texts);
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i] = copy_string(scratch, texts[i]);
    return copy;
}

static uint32_t count_until_null(const char *const *texts) {
    uint32_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

static const struct quipu__dumpi_texts *copy_string_lists(struct quipu__scratch *scratch,
                                                          const char *const *const *lists, uint32_t count) {
    struct quipu__dumpi_texts *copy = copy_list(scratch, lists, count, sizeof *lists);
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i].texts = copy_strings(scratch, lists[i], count_until_null(lists[i]));
    return copy;
}

/* Elements of a list: what its count field says; 1 for a status; lists of strings end with a NULL. */
static uint32_t count_of(const struct quipu_record_type *type, const struct quipu_field *field,
                         const void *list, const void *arguments) {
    if (field->count < 0)
        return field->storage == QUIPU_STORE_STRING ? count_until_null(list) : 1;
    int32_t count;
    memcpy(&count, (const char *)arguments + type->fields[field->count].offset, sizeof count);
    return count > 0 ? (uint32_t)count : 0;
}

static const void *copy_member(struct quipu__scratch *scratch, const struct quipu_record_type *type,
                               const struct quipu_field *field, const void *arguments) {
    const void *list;
    memcpy(&list, (const char *)arguments + field->offset, sizeof list);
    if (field->shape == QUIPU_ONE)
        return copy_string(scratch, list);
    const uint32_t count = count_of(type, field, list, arguments);
    if (field->storage == QUIPU_STORE_STRING)
        return copy_strings(scratch, list, count);
    if (field->element == &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_texts])
        return copy_string_lists(scratch, list, count);
    const size_t size =
        field->element ? field->element->size : quipu__storage_bytes((enum quipu_storage)field->storage);
    return copy_list(scratch, list, count, size);
}

/* Fills a record from plain arguments. Fields without a counterpart there stay zero. */
static void copy_arguments(struct quipu__scratch *scratch, const struct quipu_record_type *type,
                           const void *arguments, union quipu__dumpi_any *out) {
    memset(out, 0, type->size);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        char *member = (char *)out + field->offset;
        if (field->until != 0)
            continue;
        if (field->shape == QUIPU_ONE && field->storage != QUIPU_STORE_STRING) {
            memcpy(member, (const char *)arguments + field->offset,
                   quipu__storage_bytes((enum quipu_storage)field->storage));
        } else {
            const void *copy = copy_member(scratch, type, field, arguments);
            memcpy(member, &copy, sizeof copy);
        }
    }
}

static int64_t time_of(dumpi_clock clock) {
    return clock.sec * INT64_C(1000000000) + clock.nsec;
}

static const struct quipu__dumpi_counter *copy_counters(struct quipu__scratch *scratch,
                                                        const dumpi_perfinfo *perf) {
    struct quipu__dumpi_counter *counters =
        quipu__scratch_sized(scratch, (uint32_t)perf->count, sizeof *counters);
    for (int32_t i = 0; counters && i < perf->count; i++)
        counters[i] = (struct quipu__dumpi_counter){perf->invalue[i], perf->outvalue[i]};
    return counters;
}

int quipu__undumpi_write(uint32_t type, const void *arguments, uint16_t thread, const dumpi_time *cpu,
                         const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output,
                         dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = profile->membuf;
    const struct quipu_record_type *record_type = &quipu__dumpi_types[type];
    const dumpi_time none = {{0, 0}, {0, 0}};
    const dumpi_time c = cpu ? *cpu : none, w = wall ? *wall : none;
    if (!output->function[record_type->id])
        return 1;
    if (!prepare(profile))
        return 0;
    quipu__scratch_reset(&own->scratch);
    const bool counts = output->perfinfo && perf && perf->count > 0 && perf->count <= DUMPI_MAX_PERFCTRS;
    const struct quipu__dumpi_call call = {
        .mask = (uint8_t)((uint8_t)output->timestamps | (uint8_t)output->statuses | QUIPU__DUMPI_MASK_THREAD |
                          (counts ? QUIPU__DUMPI_MASK_COUNTERS : 0)),
        .thread = thread,
        .cpu_start = time_of(c.start),
        .cpu_stop = time_of(c.stop),
        .wall_start = time_of(w.start),
        .wall_stop = time_of(w.stop),
        .counters = counts ? copy_counters(&own->scratch, perf) : NULL,
    };
    union quipu__dumpi_any record;
    copy_arguments(&own->scratch, record_type, arguments, &record);
    return finish_put(profile, quipu__undumpi_writer_put_call(&own->writer, type, &call, &record));
}

/* ---- Sections ---- */

static int put_section(dumpi_profile *profile, uint32_t type, const void *data, long *offset) {
    if (!prepare(profile))
        return 0;
    *offset = (long)quipu__undumpi_writer_offset(&profile->membuf->writer);
    quipu__undumpi_writer_put_section(&profile->membuf->writer, type, data);
    return finish_put(profile, QUIPU_OK);
}

/* Memory for the lists of a section. */
static struct quipu__scratch *clean_scratch(dumpi_profile *profile) {
    quipu__scratch_reset(&profile->membuf->scratch);
    return &profile->membuf->scratch;
}

int dumpi_write_header(dumpi_profile *profile, const dumpi_header *header) {
    struct quipu__scratch *scratch = clean_scratch(profile);
    const uint32_t dimensions = header->meshdim > 0 ? (uint32_t)header->meshdim : 0;
    const struct quipu__dumpi_header record = {
        .version = (uint8_t)header->version[0],
        .subversion = (uint8_t)header->version[1],
        .subsubversion = (uint8_t)header->version[2],
        .starttime = header->starttime,
        .hostname = copy_string(scratch, header->hostname),
        .username = copy_string(scratch, header->username),
        .meshcrd = copy_list(scratch, header->meshcrd, dimensions, sizeof(int32_t)),
        .meshsize = copy_list(scratch, header->meshsize, dimensions, sizeof(int32_t)),
    };
    quipu__undumpi_writer_end_calls(&profile->membuf->writer);
    return put_section(profile, QUIPU__DUMPI_TYPE_header, &record, &profile->header);
}

int dumpi_write_footer(dumpi_profile *profile, const dumpi_footer *footer) {
    struct quipu__scratch *scratch = clean_scratch(profile);
    const struct quipu__dumpi_footer record = {
        .magic = QUIPU__DUMPI_FOOTER_MAGIC,
        .called = copy_list(scratch, footer->call_count, QUIPU__DUMPI_SLOTS, sizeof(uint32_t)),
        .ignored = copy_list(scratch, footer->ignored_count, QUIPU__DUMPI_SLOTS, sizeof(uint32_t)),
    };
    return put_section(profile, QUIPU__DUMPI_TYPE_footer, &record, &profile->footer);
}

int dumpi_write_keyval_record(dumpi_profile *profile, const dumpi_keyval_record *record) {
    struct quipu__scratch *scratch = clean_scratch(profile);
    uint32_t count = 0;
    for (const dumpi_keyval_entry *entry = record->head; entry; entry = entry->next)
        count++;
    struct quipu__dumpi_pair *pairs = count ? quipu__scratch_sized(scratch, count, sizeof *pairs) : NULL;
    const dumpi_keyval_entry *entry = record->head;
    for (uint32_t i = 0; pairs && i < count; i++, entry = entry->next)
        pairs[i] =
            (struct quipu__dumpi_pair){copy_string(scratch, entry->key), copy_string(scratch, entry->val)};
    const struct quipu__dumpi_keyvals keyvals = {.keyvals = pairs};
    return put_section(profile, QUIPU__DUMPI_TYPE_keyvals, &keyvals, &profile->keyval);
}

int dumpi_write_perfctr_labels(dumpi_profile *profile, const dumpi_perfinfo *perf) {
    struct quipu__scratch *scratch = clean_scratch(profile);
    const char *labels[DUMPI_MAX_PERFCTRS];
    uint32_t count = perf && perf->count > 0 ? (uint32_t)perf->count : 0;
    count = count < DUMPI_MAX_PERFCTRS ? count : DUMPI_MAX_PERFCTRS;
    for (uint32_t i = 0; i < count; i++)
        labels[i] = perf->counter_tag[i];
    const struct quipu__dumpi_counters counters = {.names = copy_strings(scratch, labels, count)};
    return put_section(profile, QUIPU__DUMPI_TYPE_counters, &counters, &profile->perflbl);
}

int dumpi_write_datatype_sizes(dumpi_profile *profile, dumpi_sizeof sizes) {
    const uint32_t count = sizes.count > 0 ? (uint32_t)sizes.count : 0;
    const struct quipu__dumpi_sizes record = {
        .sizes = copy_list(clean_scratch(profile), sizes.size, count, sizeof(int32_t)),
    };
    return put_section(profile, QUIPU__DUMPI_TYPE_sizes, &record, &profile->sizelbl);
}

int dumpi_write_function_addresses(dumpi_profile *profile, int count, const uint64_t *addresses,
                                   char *const *names) {
    struct quipu__scratch *scratch = clean_scratch(profile);
    struct quipu__dumpi_label *labels =
        count > 0 ? quipu__scratch_sized(scratch, (uint32_t)count, sizeof *labels) : NULL;
    for (int i = 0; labels && i < count; i++)
        labels[i] = (struct quipu__dumpi_label){addresses[i], copy_string(scratch, names[i])};
    const struct quipu__dumpi_addresses record = {.addresses = labels};
    return put_section(profile, QUIPU__DUMPI_TYPE_addresses, &record, &profile->addrlbl);
}

int dumpi_write_index(dumpi_profile *profile) {
    bool good = prepare(profile) && profile->file;
    good = good && quipu__undumpi_writer_finish(&profile->membuf->writer) == QUIPU_OK;
    if (profile->file) {
        good = fclose(profile->file) == 0 && good;
        profile->file = NULL;
    }
    dumpi_free_profile(profile);
    return good;
}

/* write.c: libundumpi's writing: calls, sections, the index. Arguments come as plain arrays and
 * strings, whose lengths other arguments tell; the codec wants sized memory, so lists are copied. */
#include "library.h"

#include "calls.h"

#include <dumpi/common/io.h>

#include <stdio.h>
#include <string.h>

/* ---- Calls ---- */

static int finish_put(dumpi_profile *profile, enum quipu_status status) {
    struct quipu__undumpi_writer *writer = &profile->membuf->writer;
    quipu__undumpi_note(profile->membuf, status, &writer->error);
    profile->pos = quipu__undumpi_writer_offset(writer);
    return status == QUIPU_OK && !writer->buffer.failed;
}

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

/* Programs have lists of ranges as lists of pointers. */
static const void *copy_ranges(struct quipu__scratch *scratch, const int *const *rows, uint32_t count) {
    struct quipu__dumpi_range *copy =
        rows && count > 0 ? quipu__scratch_sized(scratch, count, sizeof *copy) : NULL;
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i] = (struct quipu__dumpi_range){rows[i][0], rows[i][1], rows[i][2]};
    return copy;
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
    if (quipu__dumpi_is_list_of(field, QUIPU__DUMPI_ELEMENT_texts))
        return copy_string_lists(scratch, list, count);
    if (quipu__dumpi_is_list_of(field, QUIPU__DUMPI_ELEMENT_range))
        return copy_ranges(scratch, list, count);
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
    const struct quipu_record_type *record_type = &quipu__dumpi_types[type];
    const dumpi_time none = {{0, 0}, {0, 0}};
    const dumpi_time c = cpu ? *cpu : none, w = wall ? *wall : none;
    if (!profile || !output || !arguments)
        return 0;
    if (!output->function[record_type->id])
        return 1;
    struct dumpi_memory_buffer *own = quipu__undumpi_writer_of(profile);
    if (!own)
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

/* Memory for the lists of a section; NULL when nothing can be written. */
static struct quipu__scratch *clean_scratch(dumpi_profile *profile, const void *data) {
    struct dumpi_memory_buffer *own = data ? quipu__undumpi_writer_of(profile) : NULL;
    if (!own)
        return NULL;
    quipu__scratch_reset(&own->scratch);
    return &own->scratch;
}

static int put_section(dumpi_profile *profile, uint32_t type, const void *data, long *offset) {
    *offset = (long)quipu__undumpi_writer_offset(&profile->membuf->writer);
    quipu__undumpi_writer_put_section(&profile->membuf->writer, type, data);
    return finish_put(profile, QUIPU_OK);
}

int dumpi_write_header(dumpi_profile *profile, const dumpi_header *header) {
    struct quipu__scratch *scratch = clean_scratch(profile, header);
    if (!scratch)
        return 0;
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
    struct quipu__scratch *scratch = clean_scratch(profile, footer);
    if (!scratch)
        return 0;
    const struct quipu__dumpi_footer record = {
        .magic = QUIPU__DUMPI_FOOTER_MAGIC,
        .called = copy_list(scratch, footer->call_count, QUIPU__DUMPI_SLOTS, sizeof(uint32_t)),
        .ignored = copy_list(scratch, footer->ignored_count, QUIPU__DUMPI_SLOTS, sizeof(uint32_t)),
    };
    return put_section(profile, QUIPU__DUMPI_TYPE_footer, &record, &profile->footer);
}

static uint32_t count_entries(const dumpi_keyval_record *record) {
    uint32_t count = 0;
    for (const dumpi_keyval_entry *entry = record ? record->head : NULL; entry; entry = entry->next)
        count++;
    return count;
}

/* The original notes no offset. Here a section with entries is noted, which no reader would find else. */
int dumpi_write_keyval_record(dumpi_profile *profile, const dumpi_keyval_record *record) {
    struct quipu__scratch *scratch = clean_scratch(profile, profile);
    if (!scratch)
        return 0;
    const uint32_t count = count_entries(record);
    struct quipu__dumpi_pair *list = count ? quipu__scratch_sized(scratch, count, sizeof *list) : NULL;
    const dumpi_keyval_entry *entry = count ? record->head : NULL;
    for (uint32_t i = 0; list && i < count; i++, entry = entry->next)
        list[i] =
            (struct quipu__dumpi_pair){copy_string(scratch, entry->key), copy_string(scratch, entry->val)};
    const struct quipu__dumpi_keyvals keyvals = {.keyvals = list};
    long unnoted;
    return put_section(profile, QUIPU__DUMPI_TYPE_keyvals, &keyvals, count ? &profile->keyval : &unnoted);
}

int dumpi_write_perfctr_labels(dumpi_profile *profile, int counters, dumpi_perflabel_t *labels) {
    const dumpi_perflabel_t none = "";
    struct quipu__scratch *scratch = clean_scratch(profile, labels || counters > 0 ? (void *)labels : none);
    if (!scratch)
        return 0;
    const char *texts[DUMPI_MAX_PERFCTRS];
    uint32_t count = counters > 0 ? (uint32_t)counters : 0;
    count = count < DUMPI_MAX_PERFCTRS ? count : DUMPI_MAX_PERFCTRS;
    for (uint32_t i = 0; i < count; i++)
        texts[i] = quipu__scratch_text(scratch, labels[i], strnlen(labels[i], sizeof labels[i]));
    const struct quipu__dumpi_counters record = {.names = copy_list(scratch, texts, count, sizeof *texts)};
    return put_section(profile, QUIPU__DUMPI_TYPE_counters, &record, &profile->perflbl);
}

int dumpi_write_datatype_sizes(dumpi_profile *profile, const dumpi_sizeof *sizes) {
    struct quipu__scratch *scratch = clean_scratch(profile, sizes);
    if (!scratch)
        return 0;
    const uint32_t count = sizes->count > 0 ? (uint32_t)sizes->count : 0;
    const struct quipu__dumpi_sizes record = {
        .sizes = copy_list(scratch, sizes->size, count, sizeof(int32_t)),
    };
    return put_section(profile, QUIPU__DUMPI_TYPE_sizes, &record, &profile->sizelbl);
}

int dumpi_write_function_addresses(dumpi_profile *profile, int count, const uint64_t *addresses, char **names) {
    struct quipu__scratch *scratch = clean_scratch(profile, profile);
    if (!scratch || (count > 0 && (!addresses || !names)))
        return 0;
    struct quipu__dumpi_label *labels =
        count > 0 ? quipu__scratch_sized(scratch, (uint32_t)count, sizeof *labels) : NULL;
    for (int i = 0; labels && i < count; i++)
        labels[i] = (struct quipu__dumpi_label){addresses[i], copy_string(scratch, names[i])};
    const struct quipu__dumpi_addresses record = {.addresses = labels};
    return put_section(profile, QUIPU__DUMPI_TYPE_addresses, &record, &profile->addrlbl);
}

/* The index says what the public members of the profile say. */
int dumpi_write_index(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = quipu__undumpi_writer_of(profile);
    if (!own || !profile->file)
        return 0;
    struct quipu__dumpi_index *index = &own->writer.index;
    index->header = (uint64_t)profile->header;
    index->body = (uint64_t)profile->body;
    index->footer = (uint64_t)profile->footer;
    index->keyvals = (uint64_t)profile->keyval;
    index->counters = (uint64_t)profile->perflbl;
    index->addresses = (uint64_t)profile->addrlbl;
    index->sizes = (uint64_t)profile->sizelbl;
    bool good = quipu__undumpi_writer_finish(&own->writer) == QUIPU_OK;
    good = fclose(profile->file) == 0 && good;
    profile->file = NULL;
    return good;
}

/* print.c: one call as text, by its page of the sheet. Everything that is short is put after one look at the room in
 * the buffer; lists and strings look again. */
#include "print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Pieces ---- */

#define PUT(to, literal) put_literal((to), "" literal, sizeof(literal) - 1)

static inline char *put_literal(char *to, const char *text, size_t len) {
    memcpy(to, text, len);
    return to + len;
}

#define SAY(output, literal) quipu__undumpi_say((output), "" literal, sizeof(literal) - 1)

static void say_text(struct quipu__undumpi_output *output, const char *text) {
    quipu__undumpi_say(output, text, strlen(text));
}

static void say_number(struct quipu__undumpi_output *output, int64_t value) {
    quipu__undumpi_room(output);
    output->at = quipu__undumpi_signed(output->at, value);
}

/* ---- Lists ---- */

static int64_t load(const uint8_t *member, unsigned bytes) {
    switch (bytes) {
    case 1:
        return *(const int8_t *)member;
    case 2:
        return *(const int16_t *)(const void *)member;
    case 4:
        return *(const int32_t *)(const void *)member;
    default:
        return *(const int64_t *)(const void *)member;
    }
}

static const void *load_list(const struct quipu__undumpi_line *line, const uint8_t *data) {
    const void *list;
    memcpy(&list, data + line->member, sizeof list);
    return list;
}

static void say_numbers(struct quipu__undumpi_output *output, const struct quipu__undumpi_line *line,
                        const uint8_t *list) {
    const uint32_t count = quipu_sized_count(list);
    if (count == 0 && !line->shows_empty) {
        SAY(output, "<IGNORED>\n");
        return;
    }
    SAY(output, "[");
    for (uint32_t i = 0; i < count; i++) {
        quipu__undumpi_room(output);
        char *to = output->at;
        if (i > 0)
            to = PUT(to, ", ");
        output->at = quipu__undumpi_signed(to, load(list + (size_t)i * line->bytes, line->bytes));
    }
    SAY(output, "]\n");
}

/* The last line has no line break: the next argument follows the bracket. */
static void say_ranges(struct quipu__undumpi_output *output, const struct quipu__dumpi_range *ranges) {
    const uint32_t count = quipu_sized_count(ranges);
    SAY(output, "[");
    for (uint32_t i = 0; i < count; i++) {
        quipu__undumpi_room(output);
        char *to = output->at;
        to = i > 0 ? PUT(to, ", [") : PUT(to, "[");
        to = quipu__undumpi_signed(to, ranges[i].first);
        to = quipu__undumpi_signed(PUT(to, ", "), ranges[i].last);
        to = quipu__undumpi_signed(PUT(to, ", "), ranges[i].stride);
        output->at = PUT(to, "]\n");
    }
    SAY(output, "]");
}

static void say_statuses(struct quipu__undumpi_output *output, const struct quipu__dumpi_status *statuses) {
    const uint32_t count = quipu_sized_count(statuses);
    if (count == 0) {
        SAY(output, "<IGNORED>\n");
        return;
    }
    SAY(output, "[");
    for (uint32_t i = 0; i < count; i++) {
        quipu__undumpi_room(output);
        char *to = output->at;
        to = i > 0 ? PUT(to, ", {bytes=") : PUT(to, "{bytes=");
        to = quipu__undumpi_signed(to, statuses[i].bytes);
        to = quipu__undumpi_signed(PUT(to, ", cancelled="), statuses[i].cancelled);
        to = quipu__undumpi_signed(PUT(to, ", source="), statuses[i].source);
        to = quipu__undumpi_signed(PUT(to, ", tag="), statuses[i].tag);
        to = quipu__undumpi_signed(PUT(to, ", error="), statuses[i].error);
        output->at = PUT(to, "}");
    }
    SAY(output, "]\n");
}

static void say_quoted(struct quipu__undumpi_output *output, const char *text) {
    SAY(output, "\"");
    say_text(output, text ? text : "(null)");
    SAY(output, "\"");
}

static void say_texts(struct quipu__undumpi_output *output, const char *const *texts, const char *separator) {
    SAY(output, "[");
    for (uint32_t i = 0; i < quipu_sized_count(texts); i++) {
        if (i > 0)
            say_text(output, separator);
        say_quoted(output, texts[i]);
    }
    SAY(output, "]");
}

static void say_argument_lists(struct quipu__undumpi_output *output, const struct quipu__dumpi_texts *lists) {
    SAY(output, "[");
    for (uint32_t i = 0; i < quipu_sized_count(lists); i++) {
        if (i > 0)
            SAY(output, ", ");
        say_texts(output, lists[i].texts, "");
    }
    SAY(output, "]\n");
}

/* ---- Names of functions ---- */

struct quipu__undumpi_name {
    uint64_t address;
    uint32_t order; /* in the file: the first of several counts */
    const char *text;
};

static int compare_names(const void *left, const void *right) {
    const struct quipu__undumpi_name *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static const char *name_at(const struct quipu__undumpi_printer *printer, uint64_t address) {
    size_t first = 0, past = printer->name_count;
    while (first < past) {
        const size_t middle = first + (past - first) / 2;
        if (printer->names[middle].address < address)
            first = middle + 1;
        else
            past = middle;
    }
    const bool found = first < printer->name_count && printer->names[first].address == address;
    return found ? printer->names[first].text : NULL;
}

/* ---- Lines ---- */

/* "N[n]=": the prefix ends before n. */
static void say_length(struct quipu__undumpi_output *output, const struct quipu__undumpi_line *line,
                       const uint8_t *data) {
    quipu__undumpi_room(output);
    output->at = quipu__undumpi_signed(output->at, load(data + line->count, sizeof(int32_t)));
    output->at = PUT(output->at, "]=");
}

static void say_text_list(struct quipu__undumpi_output *output, const char *const *texts,
                          const char *separator) {
    if (texts)
        say_texts(output, texts, separator);
    else
        SAY(output, "<IGNORED>");
    SAY(output, "\n");
}

/* What follows the prefix in lines that are not one number. */
static void say_rest(struct quipu__undumpi_printer *printer, const struct quipu__undumpi_line *line,
                     const uint8_t *data) {
    struct quipu__undumpi_output *output = &printer->output;
    const void *list;
    switch ((enum quipu__undumpi_form)line->form) {
    case QUIPU__UNDUMPI_NUMBER:
    case QUIPU__UNDUMPI_HANDLE:
        break;
    case QUIPU__UNDUMPI_FUNCTION:
        say_number(output, load(data + line->member, line->bytes));
        SAY(output, " (");
        say_quoted(output, name_at(printer, (uint64_t)load(data + line->member, line->bytes)));
        SAY(output, ")\n");
        break;
    case QUIPU__UNDUMPI_NUMBERS:
        say_length(output, line, data);
        say_numbers(output, line, load_list(line, data));
        break;
    case QUIPU__UNDUMPI_RANGES:
        say_length(output, line, data);
        output->at -= 1;
        SAY(output, "[3]=");
        say_ranges(output, load_list(line, data));
        break;
    case QUIPU__UNDUMPI_STATUSES:
        say_length(output, line, data);
        say_statuses(output, load_list(line, data));
        break;
    case QUIPU__UNDUMPI_STATUS:
        say_statuses(output, load_list(line, data));
        break;
    case QUIPU__UNDUMPI_TEXT:
        list = load_list(line, data);
        say_text(output, list ? list : "(null)");
        SAY(output, "\"\n");
        break;
    case QUIPU__UNDUMPI_TEXTS:
        say_length(output, line, data);
        say_text_list(output, load_list(line, data), ", ");
        break;
    case QUIPU__UNDUMPI_ARGUMENTS:
        say_text_list(output, load_list(line, data), "");
        break;
    case QUIPU__UNDUMPI_ARGUMENT_LISTS:
        say_length(output, line, data);
        output->at -= 1;
        SAY(output, "[-2]=");
        list = load_list(line, data);
        if (list)
            say_argument_lists(output, list);
        else
            SAY(output, "<IGNORED>\n");
        break;
    }
}

static inline void say_line(struct quipu__undumpi_printer *printer, const struct quipu__undumpi_line *line,
                            const uint8_t *data) {
    struct quipu__undumpi_output *output = &printer->output;
    quipu__undumpi_room(output);
    char *to = quipu__undumpi_copy(output->at, &line->prefix);
    if (QUIPU__LIKELY(line->form == QUIPU__UNDUMPI_NUMBER)) {
        const int64_t value = load(data + line->member, line->bytes);
        to = quipu__undumpi_signed(to, value);
        output->at = quipu__undumpi_copy(to, quipu__undumpi_label(line->labels, value));
    } else if (line->form == QUIPU__UNDUMPI_HANDLE) {
        to = quipu__undumpi_signed(to, load(data + line->member, line->bytes));
        output->at = PUT(to, "]\n");
    } else {
        output->at = to;
        say_rest(printer, line, data);
    }
}

/* ---- Calls ---- */

static void say_counters(struct quipu__undumpi_printer *printer, const struct quipu__dumpi_counter *counters,
                         bool out) {
    struct quipu__undumpi_output *output = &printer->output;
    SAY(output, "Perfcounters: [");
    for (uint32_t i = 0; i < quipu_sized_count(counters); i++) {
        if (i > 0)
            SAY(output, ", ");
        say_text(output, i < printer->counter_count ? printer->counters[i] : "");
        SAY(output, "=");
        say_number(output, out ? counters[i].out : counters[i].in);
    }
    SAY(output, "]\n");
}

static inline void print_times(struct quipu__undumpi_printer *printer, const struct quipu__undumpi_text *prefix,
                               int64_t wall, int64_t cpu, uint16_t thread) {
    struct quipu__undumpi_output *output = &printer->output;
    quipu__undumpi_room(output);
    char *to = quipu__undumpi_copy(output->at, prefix);
    to = PUT(quipu__undumpi_time(to, wall), ", cputime ");
    to = PUT(quipu__undumpi_time(to, cpu), " seconds in thread ");
    output->at = PUT(quipu__undumpi_signed(to, thread), ".\n");
}

void quipu__undumpi_print_call(struct quipu__undumpi_printer *printer,
                               const struct quipu__dumpi_decoder *decoder) {
    const struct quipu__undumpi_page *page = &printer->sheet.pages[decoder->type];
    const struct quipu__dumpi_call *call = &decoder->common;
    print_times(printer, &page->entering, call->wall_start, call->cpu_start, call->thread);
    if (QUIPU__UNLIKELY(call->counters != NULL))
        say_counters(printer, call->counters, false);
    for (uint32_t i = 0; i < page->line_count; i++)
        say_line(printer, &page->lines[i], (const uint8_t *)&decoder->data);
    print_times(printer, &page->returning, call->wall_stop, call->cpu_stop, call->thread);
    if (QUIPU__UNLIKELY(call->counters != NULL))
        say_counters(printer, call->counters, true);
}

/* ---- What calls refer to ---- */

enum quipu_status quipu__undumpi_printer_init(struct quipu__undumpi_printer *printer,
                                              struct quipu__memory *memory, int fd, struct quipu_error *err) {
    *printer = (struct quipu__undumpi_printer){.names = NULL};
    quipu__arena_init(&printer->arena, memory);
    const enum quipu_status status = quipu__undumpi_sheet_init(&printer->sheet, memory, err);
    if (status == QUIPU_OK && !quipu__undumpi_output_init(&printer->output, fd)) {
        quipu__undumpi_sheet_release(&printer->sheet);
        return err->status = QUIPU_NO_MEMORY;
    }
    return status;
}

bool quipu__undumpi_printer_release(struct quipu__undumpi_printer *printer) {
    quipu__arena_release(&printer->arena);
    quipu__undumpi_sheet_release(&printer->sheet);
    return quipu__undumpi_output_finish(&printer->output);
}

static const char *copy(struct quipu__undumpi_printer *printer, const char *text) {
    const char *copy = quipu__arena_text(&printer->arena, text ? text : "", text ? strlen(text) : 0);
    return copy ? copy : "";
}

static void keep_names(struct quipu__undumpi_printer *printer, const struct quipu__dumpi_label *labels) {
    const uint32_t count = quipu_sized_count(labels);
    printer->names = quipu__arena_alloc(&printer->arena, ((size_t)count + 1) * sizeof *printer->names);
    for (uint32_t i = 0; printer->names && i < count; i++)
        printer->names[printer->name_count++] =
            (struct quipu__undumpi_name){labels[i].address, i, copy(printer, labels[i].name)};
    if (printer->names)
        qsort(printer->names, printer->name_count, sizeof *printer->names, compare_names);
}

static void keep_counters(struct quipu__undumpi_printer *printer, const char *const *names) {
    const uint32_t count = quipu_sized_count(names);
    printer->counters = quipu__arena_alloc(&printer->arena, ((size_t)count + 1) * sizeof *printer->counters);
    for (uint32_t i = 0; printer->counters && i < count; i++)
        printer->counters[printer->counter_count++] = copy(printer, names[i]);
}

enum quipu_status quipu__undumpi_printer_learn(struct quipu__undumpi_printer *printer,
                                               struct quipu__undumpi_file *file) {
    const enum quipu_status addresses = quipu__undumpi_section(file, QUIPU__DUMPI_TYPE_addresses);
    if (addresses == QUIPU_OK)
        keep_names(printer, file->decoder.data.addresses.addresses);
    const enum quipu_status counters = quipu__undumpi_section(file, QUIPU__DUMPI_TYPE_counters);
    if (counters == QUIPU_OK)
        keep_counters(printer, file->decoder.data.counters.names);
    if (addresses < 0)
        return addresses;
    return counters < 0 ? counters : QUIPU_OK;
}

/* ---- Sections ---- */

static void say_list(struct quipu__undumpi_output *output, const char *name, const int32_t *numbers) {
    quipu__undumpi_format(output, "%s=[", name);
    for (uint32_t i = 0; i < quipu_sized_count(numbers); i++)
        quipu__undumpi_format(output, i > 0 ? ", %d" : "%d", (int)numbers[i]);
    SAY(output, "]\n");
}

static void say_pair(struct quipu__undumpi_output *output, const char *key, const char *value) {
    say_text(output, key ? key : "");
    SAY(output, "=");
    say_text(output, value ? value : "");
    SAY(output, "\n");
}

static void say_header(struct quipu__undumpi_output *output, const struct quipu__dumpi_header *header) {
    const time_t time = (time_t)header->starttime;
    char text[64];
    quipu__undumpi_format(output, "version=%d.%d.%d\n", header->version, header->subversion,
                          header->subsubversion);
    quipu__undumpi_format(output, "starttime=%s", ctime_r(&time, text) ? text : "(null)\n");
    say_pair(output, "hostname", header->hostname);
    say_pair(output, "username", header->username);
    quipu__undumpi_format(output, "meshdim=%d\n", (int)quipu_sized_count(header->meshcrd));
    say_list(output, "meshsize", header->meshsize);
    say_list(output, "meshcrd", header->meshcrd);
}

static void say_keyvals(struct quipu__undumpi_output *output, const struct quipu__dumpi_pair *keyvals) {
    quipu__undumpi_format(output, "Total keyvals: %d\n", (int)quipu_sized_count(keyvals));
    for (uint32_t i = 0; i < quipu_sized_count(keyvals); i++)
        say_pair(output, keyvals[i].key, keyvals[i].value);
}

static void say_footer(struct quipu__undumpi_output *output, const uint32_t *called, const uint32_t *ignored) {
    for (uint32_t id = 0; id < QUIPU__DUMPI_SLOTS; id++)
        quipu__undumpi_format(output, "%s called %d times and ignored %d times\n",
                              quipu__undumpi_function_name(id), called ? (int)called[id] : 0,
                              ignored ? (int)ignored[id] : 0);
}

static void say_counter_names(struct quipu__undumpi_output *output, const char *const *names) {
    quipu__undumpi_format(output, "Performance counters: %d\n", (int)quipu_sized_count(names));
    for (uint32_t i = 0; i < quipu_sized_count(names); i++) {
        SAY(output, "    ");
        say_text(output, names[i]);
        SAY(output, "\n");
    }
}

static void say_addresses(struct quipu__undumpi_output *output, const struct quipu__dumpi_label *labels) {
    for (uint32_t i = 0; i < quipu_sized_count(labels); i++) {
        quipu__undumpi_format(output, "Function address %llu has label ",
                              (unsigned long long)labels[i].address);
        say_text(output, labels[i].name);
        SAY(output, "\n");
    }
}

static void say_sizes(struct quipu__undumpi_output *output, const int32_t *sizes) {
    for (uint32_t i = 0; i < quipu_sized_count(sizes); i++)
        quipu__undumpi_format(output, "Datatype %d (%s) has size %d\n", (int)i,
                              quipu__dumpi_label_of("dtype", (int16_t)i), (int)sizes[i]);
}

void quipu__undumpi_print_section(struct quipu__undumpi_printer *printer, uint32_t type,
                                  const union quipu__dumpi_any *data, bool has_section) {
    struct quipu__undumpi_output *output = &printer->output;
    switch (type) {
    case QUIPU__DUMPI_TYPE_header:
        if (has_section)
            say_header(output, &data->header);
        break;
    case QUIPU__DUMPI_TYPE_keyvals:
        say_keyvals(output, has_section ? data->keyvals.keyvals : NULL);
        break;
    case QUIPU__DUMPI_TYPE_footer:
        say_footer(output, has_section ? data->footer.called : NULL, has_section ? data->footer.ignored : NULL);
        break;
    case QUIPU__DUMPI_TYPE_counters:
        say_counter_names(output, has_section ? data->counters.names : NULL);
        break;
    case QUIPU__DUMPI_TYPE_addresses:
        say_addresses(output, has_section ? data->addresses.addresses : NULL);
        break;
    default:
        say_sizes(output, has_section ? data->sizes.sizes : NULL);
        break;
    }
}

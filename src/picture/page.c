/* page.c: a report as a page of HTML.
 *
 * The pages of the report are sections of one file, which are written to memory first: what stands above them says which ones there are. Text comes
 * through quipu__put_markup, so no name of a trace can become markup.
 */
#include "picture/report.h"

#include "core/bounded.h"
#include "core/error.h"
#include "picture/assets.h"
#include "picture/svg.h"
#include "picture/timeline_embed.h"
#include "table/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_SHOWN = 25, COLUMNS_SHOWN = 9, CELL_COLUMNS = 80, CSV_BYTES = 32 << 10, CSV_ROWS = 400 };

struct page {
    struct quipu__report *report;
    struct quipu__buffer body, links, scratch, raw; /* scratch: a figure; raw: a table as CSV */
    bool has_timeline;
    struct quipu_error *err;
};

/* ---- Parts ---- */

static void put_part(struct quipu__buffer *out, enum quipu__asset_id id) {
    const struct quipu__slice bytes = quipu__asset(id);
    quipu__put(out, bytes.at, quipu__slice_left(&bytes));
}

static void put_text(struct page *page, const char *text, size_t columns) {
    quipu__put_markup(&page->body, &page->report->hidden, text, columns);
}

static bool is_wanted(const struct quipu__report *report, const char *name) {
    const size_t len = strlen(name);
    for (const char *at = report->options.only; at && *at; at += strspn(at, ",")) {
        if (strcspn(at, ",") == len && memcmp(at, name, len) == 0)
            return true;
        at += strcspn(at, ",");
    }
    return report->options.only == NULL;
}

/* ---- Tables ---- */

/* Numbers of the format, and columns without a value, tell a reader nothing. */
static bool is_shown(const struct quipu_table *table, size_t column) {
    const struct quipu_table_column *about = quipu_table_column_at(table, column);
    const size_t len = strlen(about->name), rows = quipu_table_row_count(table);
    if (len > 3 && strcmp(about->name + len - 3, "_id") == 0)
        return false;
    for (size_t row = 0; row < rows && row < ROWS_SHOWN; row++) {
        const struct quipu_cell *cell = quipu_table_at(table, row, column);
        const bool is_text = about->type == QUIPU_TYPE_TEXT && !cell->is_null && cell->text[0];
        if (is_text || about->type == QUIPU_TYPE_DECIMAL || quipu__amount_at(table, row, column).real != 0)
            return true;
    }
    return false;
}

static bool is_number(enum quipu_column_type type) {
    return quipu__is_whole_number(type) || type == QUIPU_TYPE_F64 || type == QUIPU_TYPE_DECIMAL;
}

/* A number as readers see it; "" when it is null. */
static const char *number_text(const struct quipu_table *table, size_t row, size_t column,
                               char text[QUIPU__AMOUNT_BYTES]) {
    const struct quipu_table_column *about = quipu_table_column_at(table, column);
    const struct quipu_cell *cell = quipu_table_at(table, row, column);
    if (cell->is_null)
        return "";
    return about->type == QUIPU_TYPE_DECIMAL
               ? cell->text
               : quipu__amount_text(quipu__amount_at(table, row, column).real, about->unit, text);
}

/* Digits behind the point. */
static size_t count_decimals(const char *text) {
    const char *point = text + strcspn(text, ". ");
    return *point == '.' ? strspn(point + 1, "0123456789") : 0;
}

/* How many are there in the rows that are shown; 0 where each number has a unit of its size, so that points do not stand below each other. */
static size_t most_decimals(const struct quipu_table *table, size_t column) {
    const struct quipu_table_column *about = quipu_table_column_at(table, column);
    const size_t rows = quipu_table_row_count(table);
    char text[QUIPU__AMOUNT_BYTES];
    size_t most = 0;
    if (!is_number(about->type) || strcmp(about->unit, "ns") == 0 || strcmp(about->unit, "bytes") == 0)
        return 0;
    for (size_t row = 0; row < rows && row < ROWS_SHOWN; row++) {
        const size_t decimals = count_decimals(number_text(table, row, column, text));
        most = decimals > most ? decimals : most;
    }
    return most;
}

/* A number with blanks of the width of digits for those that it has fewer behind the point than others of its column. */
static void put_aligned(struct quipu__buffer *out, const char *text, size_t most) {
    const size_t decimals = count_decimals(text), digits = strcspn(text, " ");
    quipu__put(out, text, digits);
    if (most > 0 && decimals == 0)
        quipu__put_text(out, "\u2008");
    for (size_t i = decimals; i < most; i++)
        quipu__put_text(out, "\u2007");
    quipu__put_text(out, text + digits);
}

static void put_cell(struct page *page, const struct quipu_table *table, size_t row, size_t column,
                     size_t decimals) {
    const struct quipu_table_column *about = quipu_table_column_at(table, column);
    const struct quipu__amount amount = quipu__amount_at(table, row, column);
    char text[QUIPU__AMOUNT_BYTES], number[QUIPU__KEY_BYTES];
    if (quipu_table_at(table, row, column)->is_null) {
        quipu__put_text(&page->body, "<td></td>");
    } else if (is_number(about->type)) {
        const char *shown = number_text(table, row, column, text);
        quipu__put_text(&page->body, "<td class=\"number\" data-value=\"");
        if (about->type == QUIPU_TYPE_DECIMAL)
            quipu__put_text(&page->body, shown);
        else
            quipu__put_amount(&page->body, about, &amount);
        quipu__put_text(&page->body, "\">");
        put_aligned(&page->body, shown, decimals);
        quipu__put_text(&page->body, "</td>");
    } else {
        quipu__put_text(&page->body, "<td>");
        put_text(page, quipu__key_text(table, row, column, number), CELL_COLUMNS);
        quipu__put_text(&page->body, "</td>");
    }
}

static void put_heading(struct page *page, const struct quipu_table *table, size_t column) {
    const struct quipu_table_column *about = quipu_table_column_at(table, column);
    char name[QUIPU__COLUMN_BYTES];
    const bool is_time_of_other =
        quipu_table_column_find(table, quipu__column_text(about, name)) < column; /* region_ns behind region */
    quipu__put_format(&page->body, "<th scope=\"col\"%s title=\"",
                      is_number(about->type) ? " class=\"number\"" : "");
    put_text(page, about->doc, 0);
    quipu__put_format(&page->body, "\">%s%s</th>", name, is_time_of_other ? " time" : "");
}

static void put_table(struct page *page, const struct quipu_table *table) {
    const size_t rows = quipu_table_row_count(table), shown = rows < ROWS_SHOWN ? rows : ROWS_SHOWN;
    size_t columns[COLUMNS_SHOWN], decimals[COLUMNS_SHOWN], count = 0;
    for (size_t i = 0; i < quipu_table_column_count(table) && count < COLUMNS_SHOWN; i++)
        if (is_shown(table, i))
            columns[count++] = i;
    if (count == 0)
        columns[count++] = 0; /* a row has a cell */
    quipu__put_text(&page->body, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    for (size_t i = 0; i < count; i++) {
        decimals[i] = most_decimals(table, columns[i]);
        put_heading(page, table, columns[i]);
    }
    quipu__put_text(&page->body, "</tr></thead><tbody>\n");
    for (size_t row = 0; row < shown; row++) {
        quipu__put_text(&page->body, "<tr>");
        for (size_t i = 0; i < count; i++)
            put_cell(page, table, row, columns[i], decimals[i]);
        quipu__put_text(&page->body, "</tr>\n");
    }
    quipu__put_text(&page->body, "</tbody></table></div>");
    if (shown < rows)
        quipu__put_format(&page->body,
                          "<p class=\"more\">The first %zu of %zu rows; the command has them all.</p>", shown,
                          rows);
}

/* ---- What can be saved ---- */

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct quipu__buffer *buffer = context;
    quipu__put(buffer, data, size);
    return buffer->failed ? quipu__memory_status(buffer->memory, err) : QUIPU_OK;
}

/* The table as CSV, its first rows. */
static enum quipu_status write_csv(struct page *page, const struct quipu_table *table, size_t rows) {
    struct quipu_render_options options = QUIPU_RENDER_OPTIONS_INIT;
    const struct quipu_sink sink = {append, &page->raw};
    options.style = QUIPU_STYLE_CSV;
    options.row_limit = rows;
    options.allocator = page->report->memory->allocator;
    page->raw.len = 0;
    return quipu_table_write(&table, 1, &options, sink, page->err);
}

/* A link that holds the table: all of it, or as many whole lines as have room. */
static enum quipu_status put_csv(struct page *page, const struct quipu__figure_form *form,
                                 const struct quipu_table *table) {
    const enum quipu_status status = write_csv(page, table, CSV_ROWS);
    size_t len = page->raw.len < CSV_BYTES ? page->raw.len : CSV_BYTES;
    if (status != QUIPU_OK)
        return status;
    while (len > 0 && page->raw.data[len - 1] != '\n')
        len--;
    const bool is_whole = len == page->raw.len && quipu_table_row_count(table) <= CSV_ROWS;
    quipu__put_format(&page->body, "<a class=\"save\" download=\"%s.csv\" href=\"data:text/csv;charset=utf-8,",
                      form->name);
    quipu__put_plain(&page->body, &page->report->hidden, (const char *)page->raw.data, len, true);
    quipu__put_format(&page->body, "\">%s</a>", is_whole ? "CSV" : "CSV of the first rows");
    return QUIPU_OK;
}

static void draw(struct page *page, const struct quipu__figure_form *form, const struct quipu_table *table,
                 bool is_file) {
    const struct quipu__drawing drawing = {.out = &page->scratch,
                                           .form = form,
                                           .table = table,
                                           .definitions = page->report->definitions,
                                           .hidden = &page->report->hidden,
                                           .is_file = is_file};
    page->scratch.len = 0;
    if (is_file && form->shape != QUIPU__SHAPE_TABLE)
        quipu__put_text(&page->scratch, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (!quipu__figure_draw(&drawing))
        page->scratch.len = 0;
}

static enum quipu_status save(struct page *page, const struct quipu__figure_form *form,
                              const struct quipu_table *table) {
    const struct quipu_report_options *options = &page->report->options;
    char command[QUIPU__COMMAND_BYTES];
    struct quipu__buffer csv;
    if (!options->save)
        return QUIPU_OK;
    quipu__buffer_init(&csv, page->report->memory, 0);
    enum quipu_status status = write_csv(page, table, SIZE_MAX);
    quipu__put_plain(&csv, &page->report->hidden, (const char *)page->raw.data, page->raw.len, false);
    draw(page, form, table, true);
    const struct quipu_figure figure = {.name = form->name,
                                        .title = form->title,
                                        .command = quipu__report_command(page->report, form, command),
                                        .csv = (const char *)csv.data,
                                        .csv_size = csv.len,
                                        .svg = (const char *)page->scratch.data,
                                        .svg_size = page->scratch.len};
    if (status == QUIPU_OK)
        status = quipu__memory_status(page->report->memory, page->err);
    if (status == QUIPU_OK)
        status = options->save(options->context, &figure, page->err);
    quipu__buffer_release(&csv);
    return status;
}

/* ---- Figures ---- */

/* What shows more about each finding. */
static void put_finding_commands(struct page *page, const struct quipu_table *table) {
    enum { MOST = 12 };
    const size_t column = quipu_table_column_find(table, "command");
    char command[QUIPU__COMMAND_BYTES], number[QUIPU__KEY_BYTES];
    quipu__put_text(&page->body, "<details><summary>Commands that show more of each</summary><ol>");
    for (size_t row = 0; row < quipu_table_row_count(table) && row < MOST; row++) {
        quipu__put_text(&page->body, "<li><code>");
        put_text(page,
                 quipu__report_fill_command(page->report, quipu__key_text(table, row, column, number), command),
                 0);
        quipu__put_text(&page->body, "</code></li>");
    }
    quipu__put_text(&page->body, "</ol></details>");
}

static enum quipu_status put_source(struct page *page, const struct quipu__figure_form *form,
                                    const struct quipu_table *table) {
    char command[QUIPU__COMMAND_BYTES];
    quipu__put_text(&page->body, "<div class=\"source\"><code>");
    put_text(page, quipu__report_command(page->report, form, command), 0);
    quipu__put_text(&page->body, "</code>");
    const enum quipu_status status = put_csv(page, form, table);
    if (form->shape != QUIPU__SHAPE_TABLE)
        quipu__put_format(&page->body,
                          "<button type=\"button\" class=\"save svg\" data-name=\"%s\" hidden>SVG</button>",
                          form->name);
    quipu__put_text(&page->body, "</div></figure>\n");
    return status;
}

static enum quipu_status put_figure(struct page *page, const struct quipu__figure_form *form,
                                    const struct quipu_table *table) {
    const bool is_table = form->shape == QUIPU__SHAPE_TABLE;
    draw(page, form, table, false);
    if (!is_table && page->scratch.len == 0)
        return QUIPU_OK;
    quipu__put_format(&page->body, "<figure id=\"%s\"><figcaption><h3>%s</h3><p>%s</p></figcaption>\n",
                      form->name, form->title, form->doc);
    if (page->scratch.len > 0)
        quipu__put_text(&page->body, "<div class=\"scroll\" tabindex=\"0\">");
    quipu__put(&page->body, page->scratch.data, page->scratch.len);
    if (page->scratch.len > 0)
        quipu__put_text(&page->body, "</div>");
    if (form->shape == QUIPU__SHAPE_FINDINGS)
        put_finding_commands(page, table);
    if (!is_table)
        quipu__put_text(&page->body, "<details><summary>Numbers</summary>");
    put_table(page, table);
    if (!is_table)
        quipu__put_text(&page->body, "</details>");
    const enum quipu_status status = put_source(page, form, table);
    return status == QUIPU_OK ? save(page, form, table) : status;
}

static void begin_section(struct page *page, const char *name, const char *title, const char *doc) {
    quipu__put_format(&page->links, "<li><a href=\"#page-%s\">%s</a></li>\n", name, title);
    quipu__put_format(&page->body, "<section id=\"page-%s\"><h2>%s</h2><p class=\"lead\">%s</p>\n", name, title,
                      doc);
}

/* A section with its figures, or nothing when there are none. */
static enum quipu_status put_section(struct page *page, const struct quipu__page_form *section) {
    const size_t links = page->links.len, body = page->body.len;
    size_t count;
    const struct quipu__figure_form *forms = quipu__figure_forms(&count);
    begin_section(page, section->name, section->title, section->doc);
    const size_t before = page->body.len;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        const struct quipu_table *table = NULL;
        if (strcmp(forms[i].page, section->name) == 0)
            status = quipu__report_table(page->report, &forms[i], &table, page->err);
        if (status == QUIPU_OK && table)
            status = put_figure(page, &forms[i], table);
    }
    if (page->body.len == before) {
        page->links.len = links;
        page->body.len = body;
        return status;
    }
    quipu__put_text(&page->body, "</section>\n");
    return status;
}

/* ---- What the trace is ---- */

static void put_fact(struct page *page, const char *value, const char *name) {
    enum { SHORT = 14 };
    quipu__put_format(&page->body, "<li%s><strong>", strlen(value) > SHORT ? " class=\"long\"" : "");
    put_text(page, value, 60);
    quipu__put_text(&page->body, "</strong> ");
    put_text(page, name, 0);
    quipu__put_text(&page->body, "</li>\n");
}

static void put_count(struct page *page, uint64_t count, const char *unit, const char *name) {
    char text[QUIPU__AMOUNT_BYTES];
    if (count > 0)
        put_fact(page, quipu__amount_text((double)count, unit, text), name);
}

static void put_facts(struct page *page, struct quipu_reader *reader, const struct quipu_summary *summary) {
    const struct quipu_population population = quipu_population_of(reader);
    const struct quipu_clock *clock = &quipu_reader_definitions(reader)->clock;
    const char *variant = quipu_reader_variant(reader);
    char text[128], amount[QUIPU__AMOUNT_BYTES];
    const double length =
        (double)quipu_clock_ns(clock, summary->last) - (double)quipu_clock_ns(clock, summary->first);
    quipu__put_text(&page->body, "<ul class=\"facts\">\n");
    if (summary->has_times)
        put_fact(page, quipu__amount_text(length, "ns", amount), "from the first event to the last");
    snprintf(text, sizeof text, "%s%s%s", quipu_reader_format(reader)->title, variant[0] ? ", " : "", variant);
    put_fact(page, text, "format");
    put_count(page, population.hosts, "", population.hosts == 1 ? "host" : "hosts");
    put_count(page, population.processes, "", population.processes == 1 ? "process" : "processes");
    put_count(page, population.threads, "", population.threads == 1 ? "thread" : "threads");
    put_count(page, summary->events, "", "events");
    put_count(page, summary->records, "", "records");
    put_count(page, summary->events_of[QUIPU_KIND_send], "", "messages sent");
    put_count(page, summary->message_bytes, "bytes", "in messages");
    put_count(page, summary->bytes_read, "bytes", "read from files");
    put_count(page, summary->bytes_written, "bytes", "written to files");
    if (summary->call_ticks > 0 && summary->mpi_ticks > 0) {
        quipu__amount_text(100 * (double)summary->mpi_ticks / (double)summary->call_ticks, "%", amount);
        put_fact(page, amount, "of the time in MPI");
    }
    quipu__put_text(&page->body, "</ul>\n");
}

/* The first finding of a rule, of those that are listed. */
static const struct quipu_finding *first_of(const struct quipu_findings *findings,
                                            const struct quipu_rule *rule) {
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        if (quipu_findings_at(findings, i)->rule == rule)
            return quipu_findings_at(findings, i);
    return NULL;
}

static void put_rule(struct page *page, const struct quipu_findings *findings, const struct quipu_rule *rule) {
    const struct quipu_finding *first = first_of(findings, rule);
    char text[512];
    quipu__put_format(&page->body, "<tr><td>%s</td><td class=\"number\">%" PRIu64 "</td><td>",
                      quipu_severity_name(rule->severity), quipu_findings_total_of(findings, rule));
    put_text(page, first ? quipu_finding_text(first, text, sizeof text) : rule->text, 240);
    quipu__put_text(&page->body, "</td><td>");
    put_text(page, rule->advice, 0);
    quipu__put_text(&page->body, "</td></tr>\n");
}

static void put_rules(struct page *page, const struct quipu_findings *findings) {
    quipu__put_text(&page->body,
                    "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">severity</th>"
                    "<th scope=\"col\" class=\"number\">times</th><th scope=\"col\">the first one</th>"
                    "<th scope=\"col\">what to do</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++)
        put_rule(page, findings, quipu_findings_rule_at(findings, i));
    quipu__put_text(&page->body, "</tbody></table></div>");
}

/* How whole the trace is: a banner, and what is wrong. */
static void put_verdict(struct page *page) {
    static const struct {
        const char *class, *title, *text;
    } verdicts[] = {
        [QUIPU_VERDICT_OK] = {"fine", "The trace is sound.",
                              "It keeps the rules of its format and of traces in general."},
        [QUIPU_VERDICT_WARN] = {"odd", "The trace has warnings.",
                                "What follows may be incomplete where they are."},
        [QUIPU_VERDICT_REJECT] = {"damaged", "The trace is damaged.",
                                  "What is intact is shown; what follows may be incomplete."},
    };
    const struct quipu__report *report = page->report;
    const struct quipu_findings *findings =
        quipu_reader_findings(report->checked ? report->checked : report->readers[0]);
    const bool is_damaged = !report->checked && quipu_findings_count(findings) > 0;
    const enum quipu_verdict verdict = is_damaged ? QUIPU_VERDICT_REJECT : report->check.verdict;
    char command[QUIPU__COMMAND_BYTES];
    quipu__put_format(&page->body, "<div class=\"verdict %s\"><strong>%s</strong> %s", verdicts[verdict].class,
                      verdicts[verdict].title, verdicts[verdict].text);
    if (quipu_findings_rule_count(findings) > 0) {
        quipu__put_format(&page->body, "<details%s><summary>Rules that are broken</summary>",
                          verdict == QUIPU_VERDICT_REJECT ? " open" : "");
        put_rules(page, findings);
        quipu__put_text(&page->body, "</details>");
    }
    quipu__put_text(&page->body, "<div class=\"source\"><code>");
    put_text(page, quipu__report_fill_command(report, "quipu check TRACE", command), 0);
    quipu__put_text(&page->body, "</code></div></div>\n");
}

/* The answer in a sentence: how much of the time is lost, and to what most of it. */
static enum quipu_status put_headline(struct page *page) {
    static const struct quipu__figure_form accounts = {.analysis = "why", .settings = "", .table = "account"},
                                           findings = {.analysis = "why", .settings = "", .table = "findings"};
    const struct quipu_table *account, *finding = NULL;
    char text[QUIPU__LABEL_BYTES], amount[QUIPU__AMOUNT_BYTES];
    enum quipu_status status = quipu__report_table(page->report, &accounts, &account, page->err);
    if (status == QUIPU_OK)
        status = quipu__report_table(page->report, &findings, &finding, page->err);
    if (status != QUIPU_OK || !account || !finding)
        return status;
    const double lost = quipu__amount_at(account, 0, quipu_table_column_find(account, "percent")).real;
    const double most = quipu__amount_at(finding, 0, quipu_table_column_find(finding, "percent")).real;
    quipu__put_format(&page->body,
                      "<p class=\"headline\"><strong>%s of the time is lost.</strong> The largest part: ",
                      quipu__amount_text(lost, "%", amount));
    put_text(page, quipu__finding_sentence(finding, 0, text), 160);
    quipu__put_format(&page->body, ", %s. <a href=\"#page-why\">Why?</a></p>\n",
                      quipu__amount_text(most, "%", amount));
    return QUIPU_OK;
}

static enum quipu_status put_overview(struct page *page) {
    struct quipu__report *report = page->report;
    const struct quipu_report_page *overview = quipu_report_page_at(0);
    enum quipu_status status = QUIPU_OK;
    begin_section(page, overview->name, overview->title, overview->doc);
    for (size_t i = 0; i < report->count && status == QUIPU_OK; i++) {
        struct quipu_summary summary = report->summary;
        if (report->count > 1) {
            quipu__put_text(&page->body, "<h3>");
            put_text(page, report->names[i], 120);
            quipu__put_text(&page->body, "</h3>");
        }
        if (i > 0)
            status = quipu_summarise(report->readers[i], NULL, &summary, page->err);
        put_facts(page, report->readers[i], &summary);
    }
    if (report->count == 1)
        put_verdict(page);
    if (status == QUIPU_OK && report->count == 1 && is_wanted(report, "why"))
        status = put_headline(page);
    quipu__put_text(&page->body, "</section>\n");
    return status;
}

/* ---- The timeline ---- */

enum { WINDOWS_MOST = 4, EVENTS_OF_WHOLE = 20000 };

static int64_t cell_at(const struct quipu_table *table, size_t row, const char *column) {
    return quipu_table_at(table, row, quipu_table_column_find(table, column))->i;
}

/* The iteration that stands for the others, of each phase; of a short trace also the whole. */
static enum quipu_status find_windows(struct page *page, int64_t begin, int64_t end,
                                      struct quipu__picture_window windows[WINDOWS_MOST], size_t *count) {
    static const struct quipu__figure_form form = {
        .analysis = "phases", .settings = "iterations=yes", .table = "iterations"};
    static const char *const titles[] = {"an iteration", "an iteration of phase 2", "an iteration of phase 3"};
    enum { TITLES = sizeof titles / sizeof *titles };
    const struct quipu_table *table;
    const enum quipu_status status = quipu__report_table(page->report, &form, &table, page->err);
    *count = 0;
    if (page->report->summary.events <= EVENTS_OF_WHOLE)
        windows[(*count)++] =
            (struct quipu__picture_window){0, quipu__bounded_difference(end, begin), "the whole run"};
    for (size_t row = 0; table && row < quipu_table_row_count(table) && *count < WINDOWS_MOST; row++) {
        const int64_t phase = cell_at(table, row, "phase"),
                      from = quipu__bounded_difference(cell_at(table, row, "from_ns"), begin);
        if (cell_at(table, row, "representative") == 1 && phase >= 1 && phase <= TITLES)
            windows[(*count)++] = (struct quipu__picture_window){
                from, quipu__bounded_sum(from, cell_at(table, row, "length_ns")), titles[phase - 1]};
    }
    return status;
}

static enum quipu_status put_timeline(struct page *page, const struct quipu__page_form *section) {
    const struct quipu__report *report = page->report;
    const struct quipu_summary *summary = &report->summary;
    const struct quipu_clock *clock = &report->definitions->clock;
    static const struct quipu__figure_form segments = {
        .analysis = "critical-path", .settings = "", .table = "segments"};
    const struct quipu_table *path = NULL;
    struct quipu__picture_window windows[WINDOWS_MOST];
    char command[QUIPU__COMMAND_BYTES];
    size_t count;
    if (!summary->has_times || summary->last <= summary->first)
        return QUIPU_OK;
    enum quipu_status status = find_windows(page, quipu_clock_ns(clock, summary->first),
                                            quipu_clock_ns(clock, summary->last), windows, &count);
    if (status == QUIPU_OK)
        status = quipu__report_table(page->report, &segments, &path, page->err);
    if (status != QUIPU_OK)
        return status;
    begin_section(page, section->name, section->title, section->doc);
    status = quipu__picture_timeline(report->readers[0], windows, count,
                                     report->options.without_names ? &report->hidden : NULL, path,
                                     (struct quipu_sink){append, &page->body}, page->err);
    page->has_timeline = true;
    quipu__put_text(&page->body, "<div class=\"source\"><code>");
    put_text(page, quipu__report_fill_command(report, "quipu view TRACE", command), 0);
    quipu__put_text(&page->body, "</code></div></section>\n");
    return status;
}

/* ---- The whole ---- */

static enum quipu_status put_sections(struct page *page) {
    size_t count;
    const struct quipu__page_form *sections = quipu__page_forms(&count);
    enum quipu_status status = QUIPU_OK;
    if (is_wanted(page->report, "overview"))
        status = put_overview(page);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        const bool is_of_several = strcmp(sections[i].name, "runs") == 0;
        if (!is_wanted(page->report, sections[i].name) || is_of_several != (page->report->count > 1))
            continue;
        status = strcmp(sections[i].name, "timeline") == 0 ? put_timeline(page, &sections[i])
                                                           : put_section(page, &sections[i]);
    }
    return status;
}

static void put_title(struct quipu__buffer *out, const struct quipu__report *report) {
    for (size_t i = 0; !report->options.title && i < report->count && i < 4; i++) {
        quipu__put_text(out, i > 0 ? ", " : "");
        quipu__put_markup(out, &report->hidden, report->names[i], 120);
    }
    if (report->options.title)
        quipu__put_markup(out, NULL, report->options.title, 400);
}

static void put_head(const struct page *page, struct quipu__buffer *out) {
    quipu__put_text(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:\">\n<title>");
    put_title(out, page->report);
    quipu__put_text(out, "</title>\n<style id=\"file-style\" media=\"not all\">\n");
    quipu__svg_put_file_style(out); /* of figures that are saved */
    quipu__put_text(out, "</style>\n<style>\n");
    put_part(out, QUIPU__ASSET_figure);
    put_part(out, QUIPU__ASSET_report_style);
    if (page->has_timeline)
        put_part(out, QUIPU__ASSET_timeline_style);
    quipu__put_text(out, "</style>\n</head>\n");
}

static void put_whole(struct page *page, struct quipu__buffer *out) {
    put_head(page, out);
    quipu__put_text(
        out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<nav aria-label=\"Pages\">\n"
             "<p class=\"name\">Quipu</p>\n<ol>\n");
    quipu__put(out, page->links.data, page->links.len);
    quipu__put_text(out, "</ol>\n<button type=\"button\" id=\"theme\" hidden>Light or "
                         "dark</button>\n</nav>\n<main id=\"main\">\n<h1>");
    put_title(out, page->report);
    quipu__put_text(out, "</h1>\n");
    quipu__put(out, page->body.data, page->body.len);
    quipu__put_format(out,
                      "<footer>Made by <code>quipu report</code>, version %d.%d.%d. Each figure names the "
                      "command that prints its numbers.</footer>\n",
                      QUIPU_VERSION_MAJOR, QUIPU_VERSION_MINOR, QUIPU_VERSION_PATCH);
    quipu__put_text(out, "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n");
    put_part(out, QUIPU__ASSET_report_script);
    if (page->has_timeline) {
        quipu__put_text(out, "</script>\n<script type=\"module\">\n");
        put_part(out, QUIPU__ASSET_timeline_script);
    }
    quipu__put_text(out, "</script>\n</body>\n</html>\n");
}

enum quipu_status quipu__report_write_page(struct quipu__report *report, struct quipu_sink sink,
                                           struct quipu_error *err) {
    struct page page = {.report = report, .err = err};
    struct quipu__printing printing;
    struct quipu__buffer *const buffers[] = {&page.body, &page.links, &page.scratch, &page.raw};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        quipu__buffer_init(buffers[i], report->memory, 0);
    enum quipu_status status = put_sections(&page);
    if (status == QUIPU_OK)
        status = quipu__memory_status(report->memory, err);
    if (status == QUIPU_OK) {
        quipu__printing_begin(&printing, sink, err);
        put_whole(&page, &printing.out);
        status = quipu__printing_end(&printing);
    }
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        quipu__buffer_release(buffers[i]);
    return status;
}

/* why_page.c: the answer of quipu why in sentences, the most important one first, and its tables behind them. Lines of the page fit 80 columns, but for
 * commands, which can be copied as they are. */
#include "show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 80, LINE_BYTES = 2048, NAME_COLUMNS = 24, NAME_BYTES = 4 * NAME_COLUMNS + 8, TIME_BYTES = 32 };
enum { CALLS_COLUMNS = 70, CALLS_BYTES = 4 * CALLS_COLUMNS + 8 }; /* of the calls around a time */

/* Findings and rows, unless --limit says how many. */
enum { FINDINGS_SHOWN = 8, ROWS_SHOWN = 10 };

struct page {
    const struct quipu_tables *tables;
    const char *path;
    struct quipu_sink sink;
    enum quipu_status status;
    struct quipu_error *err;
};

QUIPU_PRINTF(2, 3)
static void put(struct page *page, const char *format, ...) {
    char line[LINE_BYTES];
    va_list values;
    va_start(values, format);
    const int len = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    const size_t size = (size_t)len < sizeof line ? (size_t)len : sizeof line - 1;
    if (page->status == QUIPU_OK)
        page->status = page->sink.write(page->sink.context, line, size, page->err);
}

/* ---- Cells ---- */

static const struct quipu_table *table_of(const struct page *page, const char *name) {
    size_t table = 0;
    while (strcmp(quipu_table_name(quipu_tables_at(page->tables, table)), name) != 0)
        table++;
    return quipu_tables_at(page->tables, table);
}

static const struct quipu_cell *cell_of(const struct quipu_table *table, size_t row, const char *column) {
    return quipu_table_at(table, row, quipu_table_column_find(table, column));
}

/* A figure about the whole; 0 when it is not known. */
static int64_t figure_of(const struct page *page, const char *column) {
    return cell_of(table_of(page, "why"), 0, column)->i;
}

/* A duration in a unit of its size. */
static const char *time_text(int64_t ns, char out[TIME_BYTES]) {
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    const double size = ns < 0 ? -(double)ns : (double)ns;
    size_t unit = 0;
    while (unit < 3 && size < units[unit].ns)
        unit++;
    if (unit == 3)
        snprintf(out, TIME_BYTES, "%" PRId64 " ns", ns);
    else
        snprintf(out, TIME_BYTES, "%.3f %s", (double)ns / units[unit].ns, units[unit].name);
    return out;
}

/* A text, cut where it takes so many columns; out has four bytes for each of them, and eight more. */
static const char *cut_text(const struct quipu_cell *cell, size_t most, char *out) {
    char escaped[LINE_BYTES];
    size_t len = 0, columns = 0;
    quipu_text_escape(cell->is_null ? "?" : cell->text, escaped, sizeof escaped);
    while (escaped[len] && columns < most) {
        len++;
        while (((unsigned char)escaped[len] & 0xC0) == 0x80)
            len++;
        columns++;
    }
    snprintf(out, 4 * most + 8, "%.*s%s", (int)len, escaped, escaped[len] ? "..." : "");
    return out;
}

static const char *name_text(const struct quipu_cell *cell, char out[NAME_BYTES]) {
    return cut_text(cell, NAME_COLUMNS, out);
}

/* A time of a row and what per cent that is: "990 ns (48.53 %)". */
static const char *share_text(const struct quipu_table *table, size_t row, char out[2 * TIME_BYTES]) {
    const struct quipu_cell *time = cell_of(table, row, "time_ns"), *percent = cell_of(table, row, "percent");
    char text[TIME_BYTES];
    if (time->is_null)
        snprintf(out, 2 * TIME_BYTES, "more than 292 years");
    else if (percent->is_null)
        snprintf(out, 2 * TIME_BYTES, "%s", time_text(time->i, text));
    else
        snprintf(out, 2 * TIME_BYTES, "%s (%.2f %%)", time_text(time->i, text), percent->f);
    return out;
}

static const char *plural(int64_t count, const char *one, const char *several) {
    return count == 1 ? one : several;
}

/* ---- The scheduler ---- */

enum position { NOWHERE, BEFORE_ALL, BEHIND_FINDINGS };

/* Where to say how long processes had no processor: before all that it makes doubtful, unless it is much less than a finding. */
static enum position position_of_scheduler(const struct page *page) {
    const struct quipu_table *findings = table_of(page, "findings");
    const struct quipu_cell *lost = cell_of(table_of(page, "account"), 0, "time_ns");
    const int64_t off = figure_of(page, "off_processor_ns") + figure_of(page, "off_processor_outside_ns"),
                  starved = figure_of(page, "starved_ns"),
                  most = quipu_table_row_count(findings) > 0 ? cell_of(findings, 0, "time_ns")->i : 0;
    if (lost->is_null || off <= 0 || off < lost->i / 20)
        return NOWHERE;
    return starved > 0 && starved >= most - most / 5 ? BEFORE_ALL : BEHIND_FINDINGS;
}

static void put_host(struct page *page) {
    const struct quipu_cell *host = cell_of(table_of(page, "why"), 0, "host");
    char name[NAME_BYTES];
    if (!host->is_null)
        put(page,
            "%" PRId64 " processes share %" PRId64 " %s%s%s: waiting and imbalance may be the scheduler's.\n",
            figure_of(page, "processes"), figure_of(page, "processors"),
            plural(figure_of(page, "processors"), "processor", "processors"), host->text[0] ? " of " : "",
            host->text[0] ? name_text(host, name) : "");
}

static void put_off_processor(struct page *page) {
    const struct quipu_table *why = table_of(page, "why");
    const struct quipu_cell *outside = cell_of(why, 0, "off_processor_outside_ns");
    const int64_t off = figure_of(page, "off_processor_ns"), calls = figure_of(page, "off_processor_calls");
    const double all = (double)figure_of(page, "locations") * (double)figure_of(page, "runtime_ns");
    char time[2][TIME_BYTES];
    put(page, "In %" PRId64 " %s, processes had no processor for %s", calls,
        plural(calls, "call of MPI", "calls of MPI"), time_text(off, time[0]));
    if (outside->is_null) {
        const struct quipu_cell *lost = cell_of(table_of(page, "account"), 0, "time_ns");
        put(page,
            ", %.2f %%\nof all that is lost: the scheduler gave it to others, or MPI waits by sleeping.\n",
            lost->i > 0 ? 100 * (double)off / (double)lost->i : 0);
        return;
    }
    put(page,
        ", and\noutside of them for %s, though they were ready to run: %.2f %% of the\n"
        "time of all. Processors are too few for them, or other programs run there.\n",
        time_text(outside->i, time[1]), all > 0 ? 100 * (double)(off + outside->i) / all : 0);
}

/* How many processors there are says less than how long processes had none. */
static void put_scheduler(struct page *page) {
    const bool is_measured = !cell_of(table_of(page, "why"), 0, "off_processor_outside_ns")->is_null;
    const bool is_first = position_of_scheduler(page) == BEFORE_ALL;
    const bool names_host = !cell_of(table_of(page, "why"), 0, "host")->is_null && (is_first || !is_measured);
    if (names_host)
        put_host(page);
    if (is_first) {
        put_off_processor(page);
        put(page, "Where there are fewer processors than processes, what follows says little.\n");
    }
    if (names_host || is_first)
        put(page, "\n");
}

static void put_scheduler_behind(struct page *page) {
    if (position_of_scheduler(page) != BEHIND_FINDINGS)
        return;
    put(page, "\n");
    put_off_processor(page);
}

/* ---- What is lost ---- */

/* What the parts mean, and what shows more. */
static const struct {
    const char *part, *meaning, *command;
} losses[] = {{"imbalance", "uneven work", "quipu imbalance"},
              {"serialisation", "waiting for each other", "quipu waits"},
              {"transfer", "the network", "quipu replay"},
              {"communication", "all communication", "quipu comm"}};

/* What looks like the network is the scheduler's where processes have no processor. */
static void put_doubt(struct page *page) {
    const struct quipu_table *account = table_of(page, "account");
    const size_t last = quipu_table_row_count(account) - 1;
    const bool is_known = !cell_of(table_of(page, "why"), 0, "off_processor_ns")->is_null ||
                          !cell_of(table_of(page, "why"), 0, "processors")->is_null;
    const struct quipu_cell *share = cell_of(account, last, "percent");
    if (!is_known && !share->is_null && share->f > 50 &&
        strcmp(cell_of(account, last, "part")->text, "transfer") == 0)
        put(page, "  Time in which processes had no processor is in transfer, too: how much, this\n"
                  "  trace does not say.\n");
}

static void put_account(struct page *page) {
    const struct quipu_table *account = table_of(page, "account");
    const int64_t locations = figure_of(page, "locations");
    char share[2 * TIME_BYTES], time[TIME_BYTES];
    put(page, "%s is lost of the time of %" PRId64 " %s x %s, to\n", share_text(account, 0, share), locations,
        plural(locations, "location", "locations"), time_text(figure_of(page, "runtime_ns"), time));
    for (size_t row = 1; row < quipu_table_row_count(account); row++) {
        const char *loss = cell_of(account, row, "part")->text;
        size_t known = 0;
        while (strcmp(losses[known].part, loss) != 0)
            known++;
        put(page, "  %-13s %-23s %s: %s\n", loss, share_text(account, row, share), losses[known].meaning,
            losses[known].command);
    }
    put_doubt(page);
    if (figure_of(page, "runtime_ns") != figure_of(page, "trace_ns"))
        put(page, "This is about %s, from %s on, of the %s with events.\n",
            time_text(figure_of(page, "runtime_ns"), time),
            time_text(figure_of(page, "roi_begin_ns"), (char[TIME_BYTES]){0}),
            time_text(figure_of(page, "trace_ns"), (char[TIME_BYTES]){0}));
}

/* ---- Findings ---- */

/* In single quotes, as a shell takes it. */
static void put_quoted(struct page *page, const char *path) {
    put(page, "'");
    for (const char *end = path; *path; path = end) {
        end += strcspn(end, "'");
        put(page, "%.*s", (int)(end - path), path);
        for (; *end == '\''; end++)
            put(page, "'\\''");
    }
    put(page, "'");
}

/* A command of the library, for this trace. */
static void put_command(struct page *page, const char *command) {
    const char *mark = strstr(command, "TRACE");
    const bool is_plain = page->path[strcspn(page->path, " \t\n'\"\\$&|;<>()*?[]#~`!")] == '\0';
    if (!mark)
        return;
    put(page, "   %.*s", (int)(mark - command), command);
    if (is_plain)
        put(page, "%s", page->path);
    else
        put_quoted(page, page->path);
    put(page, "%s\n", mark + strlen("TRACE"));
}

static void put_finding(struct page *page, const struct quipu_table *findings, size_t row) {
    const struct quipu_cell *location = cell_of(findings, row, "location"),
                            *region = cell_of(findings, row, "region"),
                            *between = cell_of(findings, row, "between"),
                            *site = cell_of(findings, row, "callsite");
    char share[2 * TIME_BYTES], name[NAME_BYTES] = "", text[CALLS_BYTES + NAME_BYTES] = "", line[LINE_BYTES];
    char names[2][NAME_BYTES];
    if (!location->is_null)
        name_text(location, name);
    if (!region->is_null)
        snprintf(text, sizeof text, "in %s%s%s", name_text(region, names[0]), site->is_null ? "" : " at ",
                 site->is_null ? "" : name_text(site, names[1]));
    else if (!between->is_null)
        cut_text(between, CALLS_COLUMNS, text);
    else if (!location->is_null)
        snprintf(text, sizeof text, "outside of any region");
    const int len = snprintf(line, sizeof line, "%zu. %s %s%s%s", row + 1, share_text(findings, row, share),
                             cell_of(findings, row, "saying")->text, name[0] ? " " : "", name);
    const char *blank = (size_t)len + strlen(text) < COLUMNS ? " " : "\n   ";
    put(page, "%s%s%s\n", line, text[0] ? blank : "", text);
    put_command(page, cell_of(findings, row, "command")->text);
}

static void put_findings(struct page *page, size_t limit) {
    const struct quipu_table *findings = table_of(page, "findings");
    const size_t count = quipu_table_row_count(findings), shown = count < limit ? count : limit;
    put(page, "\n%s\n", count > 0 ? "What is done in this time, and what shows more" : "Nothing is lost.");
    for (size_t row = 0; row < shown; row++)
        put_finding(page, findings, row);
    if (shown < count)
        put(page, "%zu more %s: --limit N\n", count - shown,
            plural((int64_t)(count - shown), "finding", "findings"));
}

/* ---- Clocks ---- */

static void put_clocks(struct page *page) {
    const int64_t violations = figure_of(page, "clock_violations"), unknown = figure_of(page, "unknown_clocks"),
                  contradictions = figure_of(page, "contradictions");
    char time[TIME_BYTES];
    if (violations > 0 || contradictions > 0 || unknown > 0)
        put(page, "\nWhat clocks leave open\n");
    if (violations > 0)
        put(page, "  %" PRId64 " %s before being sent, by up to %s: quipu clock\n", violations,
            plural(violations, "message arrives", "messages arrive"),
            time_text(figure_of(page, "worst_ns"), time));
    if (contradictions > 0)
        put(page, "  the messages of %" PRId64 " %s fit no constant offset of the clocks\n", contradictions,
            plural(contradictions, "location", "locations"));
    if (unknown > 0)
        put(page, "  %" PRId64 " %s without messages both ways: nothing is known of %s\n", unknown,
            plural(unknown, "location", "locations"), plural(unknown, "its clock", "their clocks"));
}

/* ---- The page ---- */

static enum quipu_status write_page(struct page *page, const struct quipu_render_options *render) {
    struct quipu_render_options limited = *render;
    const size_t limit = render->row_limit == SIZE_MAX ? FINDINGS_SHOWN : render->row_limit;
    const struct quipu_table *const spent = table_of(page, "spent");
    char escaped[LINE_BYTES / 2];
    put(page, "%s\n", quipu_text_escape(page->path, escaped, sizeof escaped));
    put_scheduler(page);
    put_account(page);
    put_findings(page, limit);
    put_scheduler_behind(page);
    put_clocks(page);
    put(page, "\n");
    limited.row_limit = render->row_limit == SIZE_MAX ? ROWS_SHOWN : render->row_limit;
    return page->status == QUIPU_OK ? quipu_table_write(&spent, 1, &limited, page->sink, page->err)
                                    : page->status;
}

enum exit_code show_why(struct job *job, const struct quipu_tables *tables,
                        const struct quipu_render_options *render) {
    struct printing printing;
    const enum exit_code code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    struct page page = {tables, job->path, printing.sink, QUIPU_OK, &job->err};
    job_set(job, write_page(&page, render));
    return printing_end(&printing, job->code);
}

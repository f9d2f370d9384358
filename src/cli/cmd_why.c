/* cmd_why.c: quipu why: what a program loses time to, as a page for people or as tables. Lines of the page fit 80 columns, but for
 * commands, which can be copied as they are. */
#include "show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 2048, NAME_COLUMNS = 22, NAME_BYTES = 4 * NAME_COLUMNS + 8, TIME_BYTES = 32 };

enum table { TRACE, EFFICIENCY, LOSSES };

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

static const struct quipu_cell *cell_of(const struct page *page, enum table table, size_t row,
                                        const char *column) {
    const struct quipu_table *from = quipu_tables_at(page->tables, table);
    return quipu_table_at(from, row, quipu_table_column_find(from, column));
}

static uint64_t count_of(const struct page *page, const char *column) {
    return cell_of(page, TRACE, 0, column)->u;
}

/* A duration in a unit of its size. */
static const char *time_text(int64_t ns, char out[TIME_BYTES]) {
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
    size_t unit = 0;
    while (unit < 3 && ns < units[unit].ns)
        unit++;
    if (unit == 3)
        snprintf(out, TIME_BYTES, "%" PRId64 " ns", ns);
    else
        snprintf(out, TIME_BYTES, "%.3f %s", (double)ns / (double)units[unit].ns, units[unit].name);
    return out;
}

/* A name, cut where it would take too much of a line. */
static const char *name_text(const struct quipu_cell *cell, char out[NAME_BYTES]) {
    char escaped[LINE_BYTES];
    size_t len = 0, columns = 0;
    quipu_text_escape(cell->is_null ? "?" : cell->text, escaped, sizeof escaped);
    while (escaped[len] && columns < NAME_COLUMNS) {
        len++;
        while (((unsigned char)escaped[len] & 0xC0) == 0x80)
            len++;
        columns++;
    }
    snprintf(out, NAME_BYTES, "%.*s%s", (int)len, escaped, escaped[len] ? "..." : "");
    return out;
}

/* Where in a program time passes. */
static const char *where_text(const struct quipu_cell *region, char out[NAME_BYTES]) {
    char name[NAME_BYTES];
    if (region->is_null)
        snprintf(out, NAME_BYTES, "outside of any region");
    else
        snprintf(out, NAME_BYTES, "in %.*s", NAME_BYTES - 4, name_text(region, name));
    return out;
}

/* ---- Efficiency ---- */

/* How far the tree of efficiencies goes before this one. */
static int depth_of(const struct page *page, size_t row) {
    int depth = 0;
    for (const struct quipu_cell *of = cell_of(page, EFFICIENCY, row, "part_of"); !of->is_null; depth++) {
        const char *name = of->text;
        for (row = 0; strcmp(cell_of(page, EFFICIENCY, row, "metric")->text, name) != 0;)
            row++;
        of = cell_of(page, EFFICIENCY, row, "part_of");
    }
    return depth;
}

/* "load_balance" as words. */
static const char *words_of(const char *name, char out[NAME_BYTES]) {
    snprintf(out, NAME_BYTES, "%s", name);
    for (char *mark = strchr(out, '_'); mark; mark = strchr(mark, '_'))
        *mark = ' ';
    return out;
}

/* A command of the library, for this trace. */
static void put_command(struct page *page, const char *command, const char *before) {
    const char *mark = strstr(command, "TRACE");
    const bool is_plain = page->path[strcspn(page->path, " \t\n'\"\\$&|;<>()*?[]#~`!")] == '\0';
    const char *quote = is_plain ? "" : "'";
    if (mark)
        put(page, "%s%.*s%s%s%s%s\n", before, (int)(mark - command), command, quote, page->path, quote,
            mark + strlen("TRACE"));
}

static void put_efficiency(struct page *page, size_t row) {
    const struct quipu_cell *value = cell_of(page, EFFICIENCY, row, "value");
    const int indent = 2 + 2 * depth_of(page, row);
    char name[NAME_BYTES], percent[TIME_BYTES] = "not known";
    if (!value->is_null)
        snprintf(percent, sizeof percent, "%.2f %%", 100 * value->f);
    const char *command = cell_of(page, EFFICIENCY, row, "command")->text;
    put(page, "%*s%-*s %9s  %s: %.*s\n", indent, "", 34 - indent,
        words_of(cell_of(page, EFFICIENCY, row, "metric")->text, name), percent,
        cell_of(page, EFFICIENCY, row, "meaning")->text, (int)(strstr(command, " TRACE") - command), command);
}

static void put_efficiencies(struct page *page) {
    const size_t count = quipu_table_row_count(quipu_tables_at(page->tables, EFFICIENCY));
    put(page, "\nEfficiency, what is lost to it, and what shows more\n");
    for (size_t row = 0; row < count; row++)
        put_efficiency(page, row);
}

/* ---- Losses ---- */

static void put_victim(struct page *page, size_t row) {
    const uint64_t waiters = cell_of(page, LOSSES, row, "waiters")->u;
    char name[NAME_BYTES], region[NAME_BYTES], time[TIME_BYTES];
    if (waiters == 0)
        return;
    put(page, "   %" PRIu64 " %s for it directly, longest %s:\n", waiters,
        waiters == 1 ? "location waits" : "locations wait",
        name_text(cell_of(page, LOSSES, row, "victim"), name));
    put(page, "     %s %s (%s)\n", time_text(cell_of(page, LOSSES, row, "victim_ns")->i, time),
        where_text(cell_of(page, LOSSES, row, "victim_region"), region),
        cell_of(page, LOSSES, row, "victim_pattern")->text);
}

static void put_shares(struct page *page, size_t row) {
    const int64_t indirect = cell_of(page, LOSSES, row, "indirect_ns")->i;
    const int64_t path = cell_of(page, LOSSES, row, "path_ns")->i;
    char time[TIME_BYTES], whole[TIME_BYTES];
    if (indirect > 0)
        put(page, "   %s of it is waiting for those that wait\n", time_text(indirect, time));
    if (path > 0)
        put(page, "   %s of the whole trace's critical path (%s) are here\n", time_text(path, time),
            time_text(cell_of(page, TRACE, 0, "runtime_ns")->i, whole));
}

static void put_loss(struct page *page, size_t row) {
    const struct quipu_cell *share = cell_of(page, LOSSES, row, "share_percent");
    const int64_t open = cell_of(page, LOSSES, row, "uncertainty_ns")->i;
    const char *kind = cell_of(page, LOSSES, row, "kind")->text;
    char location[NAME_BYTES], region[NAME_BYTES], time[TIME_BYTES];
    put(page, "%zu. %s (%.2f %%) %s %s\n", row + 1, time_text(cell_of(page, LOSSES, row, "loss_ns")->i, time),
        share->is_null ? 0 : share->f, name_text(cell_of(page, LOSSES, row, "location"), location),
        where_text(cell_of(page, LOSSES, row, "region"), region));
    if (strcmp(kind, "delay") != 0)
        put(page, "   %s\n", kind);
    put_victim(page, row);
    put_shares(page, row);
    if (open > 0)
        put(page, "   the clocks leave %s of it open\n", time_text(open, time));
    put_command(page, cell_of(page, LOSSES, row, "command")->text, "   ");
}

static void put_losses(struct page *page) {
    const size_t count = quipu_table_row_count(quipu_tables_at(page->tables, LOSSES));
    const uint64_t locations = count_of(page, "locations"), small = count_of(page, "small_losses");
    char time[TIME_BYTES];
    put(page, "\nLargest losses: whose fault, and where (%% of %" PRIu64 " location%s x %s)\n", locations,
        locations == 1 ? "" : "s", time_text(cell_of(page, TRACE, 0, "covered_ns")->i, time));
    for (size_t row = 0; row < count; row++)
        put_loss(page, row);
    if (count == 0)
        put(page, "  none that can be claimed\n");
    if (small > 0)
        put(page, "  %" PRIu64 " loss%s below 0.1 %% %s not listed\n", small, small == 1 ? "" : "es",
            small == 1 ? "is" : "are");
}

/* ---- What is not certain ---- */

static void put_clocks(struct page *page) {
    const uint64_t violations = count_of(page, "clock_violations"), unknown = count_of(page, "unknown_clocks");
    const int64_t corridor = cell_of(page, TRACE, 0, "corridor_ns")->i;
    char time[TIME_BYTES];
    if (violations > 0) {
        put(page, "  clocks: %" PRIu64 " message%s before being sent, by up to %s\n", violations,
            violations == 1 ? " arrives" : "s arrive", time_text(cell_of(page, TRACE, 0, "worst_ns")->i, time));
        put_command(page, "quipu clock TRACE", "    ");
    } else {
        put(page, "  clocks: no message contradicts them\n");
    }
    if (corridor > 0)
        put(page, "  messages leave open by how much they are off, up to %s\n", time_text(corridor, time));
    if (unknown > 0)
        put(page, "  %" PRIu64 " location%s without messages both ways: nothing is known of %s\n", unknown,
            unknown == 1 ? "" : "s", unknown == 1 ? "its clock" : "their clocks");
}

static void put_unexplained(struct page *page) {
    const int64_t unexplained = cell_of(page, TRACE, 0, "unexplained_ns")->i;
    char time[TIME_BYTES], name[NAME_BYTES];
    if (unexplained == 0)
        return;
    put(page, "  %s of waiting, most for %s, are not explained:\n", time_text(unexplained, time),
        name_text(cell_of(page, TRACE, 0, "unexplained_location"), name));
    put(page, "    it begins later than others, its clock is off, or what it has sent before was\n"
              "    completed only after it had waited itself\n");
}

/* What could not be matched, each on a line of its own. */
static void put_left_out(struct page *page, const char *column, const char *one, const char *several) {
    const uint64_t count = count_of(page, column);
    if (count > 0)
        put(page, "  left out: %" PRIu64 " %s\n", count, count == 1 ? one : several);
}

static void put_unfinished(struct page *page) {
    const uint64_t calls = count_of(page, "unfinished_calls"),
                   locations = count_of(page, "unfinished_locations");
    if (calls > 0)
        put(page,
            "  %" PRIu64 " call%s at %" PRIu64 " location%s %s no end: counted until the last event there\n",
            calls, calls == 1 ? "" : "s", locations, locations == 1 ? "" : "s", calls == 1 ? "has" : "have");
}

static void put_uncertainty(struct page *page) {
    const uint64_t uncertain = count_of(page, "uncertain_losses");
    put(page, "\nHow certain is this?\n");
    put_clocks(page);
    put_unexplained(page);
    put_left_out(page, "unmatched_sends", "send without a receive", "sends without a receive");
    put_left_out(page, "unmatched_receives", "receive without a send", "receives without a send");
    put_left_out(page, "incomplete", "collective operation in which not all take part",
                 "collective operations in which not all take part");
    put_unfinished(page);
    if (uncertain > 0)
        put(page, "  %" PRIu64 " loss%s no larger than what the clocks leave open %s not claimed\n", uncertain,
            uncertain == 1 ? "" : "es", uncertain == 1 ? "is" : "are");
}

/* What the efficiencies are of, when that is not the whole trace. */
static void put_region(struct page *page) {
    const int64_t whole = cell_of(page, TRACE, 0, "runtime_ns")->i,
                  region = cell_of(page, TRACE, 0, "roi_ns")->i;
    const int64_t covered = cell_of(page, TRACE, 0, "covered_ns")->i;
    char time[TIME_BYTES], all[TIME_BYTES];
    if (region != whole)
        put(page, "region of interest: %s of %s (MPI_Init to MPI_Finalize)\n", time_text(region, time),
            time_text(whole, all));
    if (covered != region)
        put(page, "losses are looked for until the last MPI_Finalize begins: in %s\n",
            time_text(covered, time));
}

static enum quipu_status print_page(const struct quipu_tables *tables, const char *path, struct quipu_sink sink,
                                    struct quipu_error *err) {
    struct page page = {tables, path, sink, QUIPU_OK, err};
    const uint64_t locations = count_of(&page, "locations");
    char escaped[LINE_BYTES / 2], time[TIME_BYTES];
    put(&page, "%s: %" PRIu64 " location%s, %s\n", quipu_text_escape(path, escaped, sizeof escaped), locations,
        locations == 1 ? "" : "s", time_text(cell_of(&page, TRACE, 0, "runtime_ns")->i, time));
    put_region(&page);
    put_efficiencies(&page);
    put_losses(&page);
    put_uncertainty(&page);
    return page.status;
}

/* ---- The command ---- */

static enum exit_code write_page(struct job *job, const struct quipu_tables *tables) {
    struct printing printing;
    const enum exit_code code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    job_set(job, print_page(tables, job->path, printing.sink, &job->err));
    return printing_end(&printing, job->code);
}

static void explain(struct job *job) {
    const struct quipu_render_options render = render_options_of(job->arguments);
    struct quipu_tables *tables;
    const enum quipu_status status = quipu_why(job->reader, &tables, &job->err);
    job_set(job, status);
    if (status == QUIPU_OK)
        job->code =
            render.style == QUIPU_STYLE_TEXT ? write_page(job, tables) : show_tables(job, tables, &render);
    if (status == QUIPU_OK)
        show_note(job, tables);
    quipu_tables_free(tables);
}

enum exit_code command_why(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        explain(&job);
    return job_end(&job);
}

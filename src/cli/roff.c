/* roff.c: see roff.h. */
#include "ending.h"
#include "roff.h"

#include "report.h"

#include <quipu/quipu.h>

#include <stdlib.h>
#include <string.h>

void roff_text_len(FILE *out, const char *text, size_t len) {
    bool at_start = true;
    for (size_t i = 0; i < len; i++) {
        const char c = text[i];
        if (at_start && (c == '.' || c == '\''))
            fputs("\\&", out);
        at_start = c == '\n';
        if (c == '-')
            fputs("\\-", out);
        else if (c == '\\')
            fputs("\\e", out);
        else if (c == '\n')
            fputs("\n.PP\n", out), i += strspn(text + i, "\n") - 1;
        else
            fputc(c, out);
    }
}

void roff_text(FILE *out, const char *text) {
    roff_text_len(out, text, strlen(text));
}

void roff_sentence(FILE *out, const char *text) {
    roff_text(out, text);
    fputs(".\n", out);
}

void roff_head(FILE *out, const char *page, int section, const char *doc) {
    fprintf(out, ".TH \"%s\" %d \"\" \"quipu %s\" \"Quipu\"\n.SH NAME\n", page, section, quipu_version());
    roff_text(out, page);
    fputs(" \\- ", out);
    roff_text(out, doc);
    fputc('\n', out);
}

/* Writes a page that is complete in memory: files appear as a whole or not at all. */
static enum exit_code save_page(const char *path, const char *text, size_t len) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_output *output;
    if (quipu_output_open(path, true, ending_guard(), &output, &err) != QUIPU_OK)
        return report_error(&err);
    const struct quipu_sink sink = quipu_output_sink(output);
    if (sink.write(sink.context, text, len, &err) != QUIPU_OK) {
        quipu_output_discard(output);
        return report_error(&err);
    }
    return quipu_output_close(output, &err) == QUIPU_OK ? EXIT_FINE : report_error(&err);
}

/* The page fills text, whose size is limited: streams over growing memory do not tell when there is no more of it. */
enum exit_code roff_page(const char *folder, const char *page, int section,
                         void (*write)(FILE *out, const char *page, const void *subject), const void *subject) {
    enum { PAGE_MOST = 1 << 20 };
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%d", folder, page, section);
    char *text = malloc(PAGE_MOST);
    FILE *out = text ? fmemopen(text, PAGE_MOST, "w") : NULL;
    if (out)
        write(out, page, subject);
    const bool is_whole = out && fflush(out) == 0 && !ferror(out);
    const long len = is_whole ? ftell(out) : -1;
    if (out)
        fclose(out);
    const enum exit_code code = len >= 0 ? save_page(path, text, (size_t)len) : report_no_memory();
    free(text);
    return code;
}

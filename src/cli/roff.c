/* roff.c: see roff.h. */
#include "roff.h"

#include "report.h"

#include <quipu/quipu.h>

#include <errno.h>
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

static enum exit_code report_system(const char *path) {
    report_usage("%s: %s", path, strerror(errno));
    return EXIT_OUTPUT;
}

enum exit_code roff_page(const char *folder, const char *page, int section,
                         void (*write)(FILE *out, const char *page, const void *subject), const void *subject) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%d", folder, page, section);
    FILE *out = fopen(path, "w");
    if (!out)
        return report_system(path);
    write(out, page, subject);
    return fclose(out) == 0 ? EXIT_FINE : report_system(path);
}

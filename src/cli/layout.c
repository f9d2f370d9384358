/* layout.c: wrapping text at 80 columns. */
#include "layout.h"

#include <string.h>

#define WIDTH 80

/* Prints words from a column on, indenting new lines, up to the end of the text or of its paragraph. Returns
 * what comes after. */
static const char *put_wrapped(FILE *out, const char *text, int position, int indent) {
    const int start = position;
    while (*text && *text != '\n') {
        const int len = (int)strcspn(text, " \n");
        if (position > indent && position > start && position + 1 + len > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            position = indent;
        } else if (position > start || (position > indent && position != start)) {
            fputc(' ', out);
            position++;
        }
        fwrite(text, 1, (size_t)len, out);
        position += len;
        text += len;
        text += *text == ' ';
    }
    fputc('\n', out);
    return text;
}

void layout_entry(FILE *out, const char *head, const char *text, int column) {
    int position = fprintf(out, "  %s", head);
    if (position + 2 > column) {
        fputc('\n', out);
        position = 0;
    }
    fprintf(out, "%*s", column - position, "");
    put_wrapped(out, text, column, column);
}

void layout_paragraphs(FILE *out, const char *text) {
    while (*text) {
        text = put_wrapped(out, text, 0, 0);
        if (*text)
            fputc('\n', out);
        text += strspn(text, "\n");
    }
}

bool layout_next_example(struct layout_example *example) {
    if (!*example->rest)
        return false;
    const char *line = example->rest, *mark = strstr(line, " # ");
    const size_t len = strcspn(line, "\n");
    example->command = line;
    example->command_len = (size_t)(mark - line);
    example->doc = mark + 3;
    example->doc_len = len - example->command_len - 3;
    example->rest = line + len + (line[len] == '\n');
    return true;
}

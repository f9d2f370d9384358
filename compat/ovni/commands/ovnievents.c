/* ovnievents.c: all events of all models as a page of Markdown. */
#include "formats/ovni/models.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_escaped(const char *text) {
    static const char *const entities[UCHAR_MAX + 1] = {['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;"};
    for (; *text; text++) {
        const char *entity = entities[(unsigned char)*text];
        if (entity)
            fputs(entity, stdout);
        else
            putchar(*text);
    }
}

static void put_event(const struct quipu__ovni_event_row *row) {
    const bool is_jumbo = quipu__ovni_is_jumbo_row(row);
    const char *arguments = row->arguments + is_jumbo;
    printf("<dt><a id=\"%s\" href=\"#%s\"><pre>%s%s", row->code, row->code, row->code, is_jumbo ? "+" : "");
    if (*arguments)
        printf("(%s)", arguments);
    fputs("</pre></a></dt>\n<dd>", stdout);
    put_escaped(row->sentence);
    fputs("</dd>\n", stdout);
}

static void put_model(uint32_t number) {
    const struct quipu__ovni_model_row *model = &quipu__ovni_models[number];
    printf("\n## Model %s\n\nThe model *%s* with identifier **`%c`** has version `%s`. Its events:\n\n<dl>\n",
           model->name, model->name, model->character, model->version);
    for (size_t i = 0; i < quipu__ovni_event_count; i++)
        if (quipu__ovni_events[i].model == number)
            put_event(&quipu__ovni_events[i]);
    puts("</dl>");
}

int main(void) {
    char date[40] = "";
    const time_t now = time(NULL);
    struct tm fields;
    if (gmtime_r(&now, &fields))
        strftime(date, sizeof date, "%Y-%m-%d", &fields);
    printf("# Events of the emulator\n\nThis page lists all events that the emulator knows. Made on %s.\n",
           date);
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++)
        put_model(quipu__ovni_models_by_character[i]);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

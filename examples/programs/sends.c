/* sends.c: how many bytes each process of a trace sends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <quipu/quipu.h>

static int report(const struct quipu_error *err) {
    char text[512];
    fprintf(stderr, "%s\n", quipu_error_text(err, text, sizeof text));
    return 1;
}

int main(int argc, char **argv) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_reader *reader;
    struct quipu_event event;
    if (argc != 2 || quipu_reader_open(argv[1], NULL, &reader, &err) != QUIPU_OK)
        return report(&err);

    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    const size_t count = definitions->locations.count;
    uint64_t *sent = calloc(count + 1, sizeof *sent);
    selection.where = "kind == send";
    enum quipu_status status = sent ? quipu_reader_select(reader, &selection, &err) : QUIPU_NO_MEMORY;
    while (status == QUIPU_OK && (status = quipu_reader_next(reader, &event, &err)) == QUIPU_OK)
        if (event.location < count)
            sent[event.location] += event.bytes;
    for (size_t i = 0; status == QUIPU_END && i < count; i++)
        printf("%s %" PRIu64 "\n", definitions->locations.items[i].name, sent[i]);

    free(sent);
    quipu_reader_close(reader);
    return status == QUIPU_END ? 0 : report(&err);
}

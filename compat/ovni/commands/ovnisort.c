/* ovnisort.c: sorts, in place, the events that were learned of late, or tells whether there are any that are out of order. */
#include "command.h"
#include "formats/ovni/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sort {
    struct command command;
    bool only_checks;
    uint64_t look_back, unsorted;
    struct quipu_error err;
};

static enum quipu_status overwrite(struct sort *sort, const struct quipu__ovni_stream *stream,
                                   const struct quipu__ovni_sorted *sorted) {
    FILE *file = fopen(stream->path, "r+b");
    const bool is_written = file && fwrite(sorted->bytes, 1, sorted->size, file) == sorted->size;
    const bool is_closed = file && fclose(file) == 0;
    return is_written && is_closed
               ? QUIPU_OK
               : quipu__fail(&sort->err, QUIPU_OUTPUT, "%s cannot be written", stream->path);
}

static enum quipu_status check(struct sort *sort, const struct quipu__ovni_stream *stream,
                               const struct quipu__ovni_sorted *sorted) {
    if (sorted->jumps_back == 0)
        return QUIPU_OK;
    sort->unsorted++;
    command_say(&sort->command, "ERROR", "stream %s is not sorted: the clock goes back %" PRIu64 " times",
                stream->name, sorted->jumps_back);
    return QUIPU_OK;
}

static enum quipu_status sort_stream(struct sort *sort, const struct quipu__ovni_stream *stream) {
    struct quipu__ovni_sorted sorted;
    enum quipu_status status =
        quipu__ovni_sort(&sort->command.files, stream, sort->look_back, &sorted, &sort->err);
    if (status != QUIPU_OK)
        return status;
    if (sorted.events == 0)
        status = quipu__fail(&sort->err, QUIPU_CORRUPT, "stream %s has no events", stream->name);
    else if (sort->only_checks)
        status = check(sort, stream, &sorted);
    else if (sorted.bytes)
        status = overwrite(sort, stream, &sorted);
    if (sorted.empty_regions > 0 && !sort->only_checks)
        command_say(&sort->command, "WARN", "stream %s contains %" PRIu64 " empty sort regions", stream->name,
                    sorted.empty_regions);
    quipu__ovni_sorted_release(&sort->command.files, &sorted);
    return status;
}

static int sort_streams(struct sort *sort) {
    if (!command_is_sound(&sort->command))
        return EXIT_FAILURE;
    for (size_t i = 0; i < sort->command.files.streams.count; i++)
        if (sort_stream(sort, &sort->command.files.streams.items[i]) != QUIPU_OK)
            return command_fail(&sort->command, &sort->err);
    if (sort->only_checks)
        command_say(&sort->command, "INFO", sort->unsorted ? "streams NOT sorted" : "all streams sorted");
    return sort->unsorted ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool parse_options(int argc, char **argv, struct sort *sort) {
    for (int letter; (letter = getopt(argc, argv, "cn:")) != -1;) {
        char *end = NULL;
        sort->only_checks |= letter == 'c';
        if (letter == 'n')
            sort->look_back = strtoull(optarg, &end, 10);
        if (letter == '?' || (end && (*end || end == optarg)))
            return false;
    }
    return optind < argc;
}

int main(int argc, char **argv) {
    static struct sort sort = {.look_back = QUIPU__OVNI_LOOK_BACK};
    if (!parse_options(argc, argv, &sort))
        return command_usage("ovnisort", "[-c] [-n EVENTS] TRACE\n"
                                         "  -c         only tell whether all streams are sorted\n"
                                         "  -n EVENTS  look back so far, at most");
    const int code = command_open(&sort.command, "ovnisort", argv[optind]) ? sort_streams(&sort) : EXIT_FAILURE;
    command_close(&sort.command);
    return code;
}

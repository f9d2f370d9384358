/* ovnisort.c: sorts, in place, the events that were learned of late, or tells whether there are any that are out of order. */
#include "command.h"
#include "formats/ovni/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sort {
    struct command command;
    bool only_checks;
    uint64_t look_back, unsorted;
    struct quipu__ovni_sorter sorter;
    uint8_t *buffer;
    size_t capacity;
    struct quipu_error err;
};

/* ---- Writing ---- */

/* Ranges that lie near each other are read and written as one. */
#define SPAN_MOST ((uint64_t)256 << 10)
#define GAP_MOST ((uint64_t)8 << 10)

static enum quipu_status cannot(struct sort *sort, const char *path, const char *what) {
    const enum quipu_status status =
        errno ? quipu__fail_errno(&sort->err, QUIPU_OUTPUT, errno, "cannot be %s", what)
              : quipu__fail(&sort->err, QUIPU_CORRUPT, "the file has become shorter");
    quipu__at(&sort->err, path, QUIPU_UNKNOWN);
    return status;
}

/* All bytes of a range from the file; false with errno, which is 0 when the file has become shorter. */
static bool read_all(int file, uint8_t *bytes, size_t size, uint64_t offset) {
    errno = 0;
    for (size_t done = 0; done < size;) {
        const ssize_t count = pread(file, bytes + done, size - done, (off_t)(offset + done));
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool write_all(int file, const uint8_t *bytes, size_t size, uint64_t offset) {
    for (size_t done = 0; done < size;) {
        const ssize_t count = pwrite(file, bytes + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno != EINTR)
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* How many of the ranges are handled together, when the buffer holds so many bytes from before. Those that are sorted again and again
 * for ranges that reach far back are half of all bytes at most. */
static size_t count_together(const struct quipu__ovni_range *ranges, size_t count, uint64_t offset,
                             uint64_t held) {
    const uint64_t most = SPAN_MOST > 2 * held ? SPAN_MOST : 2 * held;
    size_t together = 1;
    while (together < count && ranges[together].to - offset <= most &&
           (quipu__ovni_goes_on(&ranges[together - 1]) ||
            ranges[together].from - ranges[together - 1].to <= GAP_MOST))
        together++;
    return together;
}

/* Sorts what ranges cover in the buffer, which begins at an offset of the file. *done gets the bytes that are as they will be; the
 * others belong to a range that goes on. */
static enum quipu_status sort_ranges(struct sort *sort, const struct quipu__ovni_range *ranges, size_t count,
                                     uint64_t offset, size_t *done) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0, next; i < count && status == QUIPU_OK; i = next) {
        size_t before;
        for (next = i + 1; next < count && quipu__ovni_goes_on(&ranges[next - 1]);)
            next++;
        const size_t from = i > 0 ? (size_t)(ranges[i].from - offset) : 0, /* the first one may go on */
            to = (size_t)(ranges[next - 1].to - offset);
        status = quipu__ovni_sort_bytes(&sort->sorter, sort->buffer + from, to - from, ranges[next - 1].later,
                                        &before, &sort->err);
        *done = quipu__ovni_goes_on(&ranges[next - 1]) ? from + before : to;
    }
    return status;
}

static bool grow_buffer(struct sort *sort, size_t size) {
    if (size <= sort->capacity)
        return true;
    uint8_t *larger = quipu__resize(&sort->command.memory, sort->buffer, sort->capacity, size);
    if (!larger)
        return false;
    sort->buffer = larger;
    sort->capacity = size;
    return true;
}

/* Goes on with the ranges at the offset of the file with which the buffer begins; it holds so many bytes already. */
static enum quipu_status rewrite_ranges(struct sort *sort, int file, const char *path,
                                        const struct quipu__ovni_range *ranges, size_t count, uint64_t *offset,
                                        size_t *held) {
    const size_t size = (size_t)(ranges[count - 1].to - *offset);
    size_t done = 0;
    if (!grow_buffer(sort, size))
        return quipu__no_memory(&sort->err, size);
    if (!read_all(file, sort->buffer + *held, size - *held, *offset + *held))
        return cannot(sort, path, "read");
    *held = size;
    const enum quipu_status status = sort_ranges(sort, ranges, count, *offset, &done);
    if (status != QUIPU_OK)
        return status;
    if (!write_all(file, sort->buffer, done, *offset))
        return cannot(sort, path, "written");
    memmove(sort->buffer, sort->buffer + done, size - done);
    *offset += done;
    *held = size - done;
    return QUIPU_OK;
}

static enum quipu_status rewrite(struct sort *sort, int file, const char *path,
                                 const struct quipu__ovni_sorted *sorted) {
    enum quipu_status status = QUIPU_OK;
    uint64_t offset = 0;
    size_t held = 0, count;
    if (sorted->bytes && !write_all(file, sorted->bytes, sorted->size, 0))
        return cannot(sort, path, "written");
    for (size_t i = 0; i < sorted->ranges.count && status == QUIPU_OK; i += count) {
        const struct quipu__ovni_range *ranges = sorted->ranges.items + i;
        offset = i > 0 && quipu__ovni_goes_on(&ranges[-1]) ? offset : ranges->from;
        count = count_together(ranges, sorted->ranges.count - i, offset, held);
        status = rewrite_ranges(sort, file, path, ranges, count, &offset, &held);
    }
    /* What failed leaves all events in the file: others have been written where these were. */
    if (status != QUIPU_OK && !write_all(file, sort->buffer, held, offset))
        command_say(&sort->command, "ERROR", "%s: events are lost", path);
    return status;
}

static enum quipu_status overwrite(struct sort *sort, const struct quipu__ovni_stream *stream,
                                   const struct quipu__ovni_sorted *sorted) {
    const int file = open(stream->path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return cannot(sort, stream->path, "written");
    sort->sorter.is_big = sorted->is_big;
    enum quipu_status status = rewrite(sort, file, stream->path, sorted);
    if (close(file) != 0 && status == QUIPU_OK)
        status = cannot(sort, stream->path, "written");
    return status;
}

/* ---- Streams ---- */

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
    if (sorted.is_too_far)
        command_say(&sort->command, "ERROR",
                    "stream %s: cannot find a event previous to clock %" PRId64 " within %" PRIu64 " events",
                    stream->name, sorted.earliest, sort->look_back);
    if (status != QUIPU_OK)
        return status;
    if (sorted.events == 0)
        status = quipu__fail(&sort->err, QUIPU_CORRUPT, "stream %s has no events", stream->name);
    else if (sort->only_checks)
        status = check(sort, stream, &sorted);
    else if (sorted.changes)
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
    const bool is_open = command_open(&sort.command, "ovnisort", argv[optind]);
    sort.sorter.memory = &sort.command.memory;
    const int code = is_open ? sort_streams(&sort) : EXIT_FAILURE;
    quipu__ovni_sorter_release(&sort.sorter);
    quipu__release(&sort.command.memory, sort.buffer, sort.capacity);
    command_close(&sort.command);
    return code;
}

/* test_resume.c: a pass that goes on where another one was kept gives the events that the other would have given. */
#include "traces.h"

#include "core/memory/pack.h"
#include "formats/dumpi/mapping.h"
#include "trace/reader.h"

#include <dirent.h>
#include <sys/stat.h>

#define INT 9
#define WORLD 2
#define IGATHER (QUIPU__DUMPI_FIRST_LATER_TAG - QUIPU__DUMPI_LATER_Igather)

enum { SMALL_BATCH = 32, CANONICAL_BATCH = 4096, WINDOW = 16 << 10 };

/* ---- Events to compare ---- */

/* An event without the columns that its kind has not. */
struct seen {
    int64_t time, fields[8];
    uint64_t offset, attributes; /* a hash */
    uint32_t location;
    uint8_t kind;
};

struct list {
    struct seen *items;
    size_t count, capacity;
};

static uint64_t mixed(uint64_t hash, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_of(const struct quipu_event *event) {
    uint64_t hash = event->attribute_count;
    for (uint32_t i = 0; i < event->attribute_count; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        hash = mixed(hash, &value->key, sizeof value->key);
        hash = value->type < QUIPU_VALUE_BYTES ? mixed(hash, &value->u, sizeof value->u)
                                               : mixed(hash, value->data, value->size);
    }
    return hash;
}

static struct seen seen_of(const struct quipu_event *event) {
    struct seen seen = {.time = event->time,
                        .offset = event->byte_offset,
                        .attributes = hash_of(event),
                        .location = event->location,
                        .kind = event->kind};
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    assert_true(kind->field_count <= 8);
    for (size_t i = 0; i < kind->field_count; i++)
        seen.fields[i] = quipu_event_get(event, kind->fields[i].column);
    return seen;
}

static bool is_same(const struct seen *a, const struct seen *b) {
    return a->time == b->time && a->offset == b->offset && a->attributes == b->attributes &&
           a->location == b->location && a->kind == b->kind &&
           memcmp(a->fields, b->fields, sizeof a->fields) == 0;
}

static void add_batch(struct list *list, const struct quipu_batch *batch) {
    uint32_t cursor = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        if (list->count == list->capacity) {
            list->capacity = list->capacity ? 2 * list->capacity : 1024;
            list->items = realloc(list->items, list->capacity * sizeof *list->items);
        }
        list->items[list->count++] = seen_of(&event);
    }
}

/* ---- Passes ---- */

/* One substream of a trace. */
struct substream {
    struct quipu__trace *trace;
    struct quipu__filter filter;
    uint32_t stream, substream;
};

/* NULL when the stream cannot be read. */
static struct quipu__pass *opened_pass(const struct substream *substream) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__pass *pass = NULL;
    const struct quipu__pass common = {.trace = substream->trace,
                                       .stream = substream->stream,
                                       .substream = substream->substream,
                                       .filter = &substream->filter,
                                       .window = WINDOW};
    const enum quipu_status status = substream->trace->format->reading->pass_open(&common, &pass, &err);
    if (status != QUIPU_END)
        made_ok(status, &err);
    return pass;
}

static enum quipu_status next(const struct substream *substream, struct quipu__pass *pass,
                              struct quipu__batch *batch) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__batch_clear(batch);
    const enum quipu_status status = substream->trace->format->reading->next_batch(pass, batch, &err);
    if (status != QUIPU_END)
        made_ok(status, &err);
    return status;
}

static struct quipu__batch *new_batch(const struct substream *substream, uint32_t capacity) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__batch *batch;
    made_ok(quipu__batch_new(substream->trace->memory, capacity, &batch, &err), &err);
    return batch;
}

static void save(const struct quipu__pass *pass, struct quipu__buffer *blob) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    blob->len = 0;
    made_ok(pass->trace->format->resuming->save(pass, blob, &err), &err);
}

static enum quipu_status resume(struct quipu__pass *pass, const void *blob, size_t size) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    const enum quipu_status status =
        pass->trace->format->resuming->resume(pass, quipu__slice_of(blob, size), &err);
    assert_int_equal(err.status, status);
    return status;
}

static struct list all_events(const struct substream *substream) {
    struct quipu__pass *pass = opened_pass(substream);
    struct quipu__batch *batch = new_batch(substream, CANONICAL_BATCH);
    struct list list = {NULL, 0, 0};
    while (pass && next(substream, pass, batch) == QUIPU_OK)
        add_batch(&list, &batch->batch);
    quipu__batch_free(batch);
    substream->trace->format->reading->pass_close(pass);
    return list;
}

/* ---- Going on ---- */

/* Goes on at a blob and compares with what the list has from there on, up to so many events; attributes only when the
 * filter has them. */
static void assert_goes_on(const struct substream *substream, const struct quipu__buffer *blob,
                           const struct list *list, size_t from, size_t most) {
    struct quipu__pass *pass = opened_pass(substream);
    struct quipu__batch *batch = new_batch(substream, CANONICAL_BATCH);
    size_t i = from, compared = 0;
    assert_int_equal(resume(pass, blob->data, blob->len), QUIPU_OK);
    while (compared < most && next(substream, pass, batch) == QUIPU_OK) {
        struct list got = {NULL, 0, 0};
        add_batch(&got, &batch->batch);
        for (size_t k = 0; k < got.count; k++) {
            while (i < list->count &&
                   !quipu__filter_kind(&substream->filter, (enum quipu_kind)list->items[i].kind))
                i++;
            assert_true(i < list->count);
            struct seen want = list->items[i++];
            if (substream->filter.without_attributes)
                want.attributes = 0;
            if (!is_same(&got.items[k], &want))
                fail_msg("%s: stream %u substream %u: event %zu, a %s at %lld, is another one when going on "
                         "from event "
                         "%zu: a %s at %lld",
                         substream->trace->path, substream->stream, substream->substream, i - 1,
                         quipu_kind_at((enum quipu_kind)want.kind)->name, (long long)want.time, from,
                         quipu_kind_at((enum quipu_kind)got.items[k].kind)->name, (long long)got.items[k].time);
        }
        compared += got.count;
        free(got.items);
    }
    if (compared < most)
        for (; i < list->count; i++)
            assert_false(quipu__filter_kind(&substream->filter, (enum quipu_kind)list->items[i].kind));
    quipu__batch_free(batch);
    substream->trace->format->reading->pass_close(pass);
}

/* Goes through a substream in small batches and on from every place between them: some events further everywhere, to the
 * end from offsets of which there are about a hundred. Returns the length of the longest blob. */
static size_t check_substream(struct substream *substream) {
    static const quipu_kinds few =
        QUIPU_KIND_BIT(QUIPU_KIND_recv) | QUIPU_KIND_BIT(QUIPU_KIND_io_end) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    const struct quipu__filter everything = substream->filter;
    struct list list = all_events(substream), got = {NULL, 0, 0};
    struct quipu__pass *pass = opened_pass(substream);
    struct quipu__batch *batch = new_batch(substream, SMALL_BATCH);
    struct quipu__buffer blob;
    size_t longest = 0, offsets = 0;
    const size_t step = 1 + list.count / SMALL_BATCH / 100;
    quipu__buffer_init(&blob, substream->trace->memory, 0);
    for (enum quipu_status status = QUIPU_OK; pass && status == QUIPU_OK; offsets++) {
        save(pass, &blob);
        longest = blob.len > longest ? blob.len : longest;
        assert_goes_on(substream, &blob, &list, got.count, offsets % step == 0 ? SIZE_MAX : 3 * SMALL_BATCH);
        substream->filter.kinds = few;
        substream->filter.without_attributes = true;
        assert_goes_on(substream, &blob, &list, got.count, offsets % step == 0 ? SIZE_MAX : 3 * SMALL_BATCH);
        substream->filter = everything;
        status = next(substream, pass, batch);
        if (status == QUIPU_OK)
            add_batch(&got, &batch->batch);
    }
    assert_int_equal(got.count, list.count);
    for (size_t i = 0; i < list.count; i++)
        assert_true(is_same(&got.items[i], &list.items[i]));
    free(list.items);
    free(got.items);
    quipu__buffer_release(&blob);
    quipu__batch_free(batch);
    substream->trace->format->reading->pass_close(pass);
    return longest;
}

static size_t check_trace(const char *path) {
    struct quipu_reader *reader;
    size_t longest = 0;
    if (quipu_reader_open(path, NULL, &reader, NULL) != QUIPU_OK)
        return 0;
    struct quipu__trace *trace = quipu__reader_trace(reader);
    if (strcmp(trace->format->info.name, "dumpi") == 0)
        for (uint32_t i = 0; i < trace->streams.count; i++)
            for (uint32_t k = 0; k < trace->streams.items[i].substreams; k++) {
                struct substream substream = {
                    trace, {.from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS}, i, k};
                const size_t length = check_substream(&substream);
                longest = length > longest ? length : longest;
            }
    quipu_reader_close(reader);
    return longest;
}

/* All traces below a folder: metafiles and files of ranks, each alone. Returns how many there are. */
static size_t check_folder(const char *folder, size_t *longest) {
    DIR *directory = opendir(folder);
    size_t count = 0;
    assert_non_null(directory);
    for (struct dirent *file; (file = readdir(directory)) != NULL;) {
        const char *path = harness_text("%s/%s", folder, file->d_name);
        const char *suffix = strrchr(file->d_name, '.');
        struct stat info;
        if (file->d_name[0] == '.' || stat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode)) {
            count += check_folder(path, longest);
        } else if (suffix && (strcmp(suffix, ".bin") == 0 || strcmp(suffix, ".meta") == 0)) {
            const size_t length = check_trace(path);
            *longest = length > *longest ? length : *longest;
            count++;
        }
    }
    closedir(directory);
    return count;
}

static void test_resume_goes_on_in_all_traces(void **state) {
    (void)state;
    size_t longest = 0;
    assert_true(check_folder(harness_data("dumpi"), &longest) >= 7);
    assert_in_range(longest, 10, 400);
}

/* needs: shared */
static void test_resume_goes_on_in_all_shared_traces(void **state) {
    (void)state;
    size_t longest = 0;
    assert_true(check_folder(harness_shared("traces/dumpi"), &longest) >= 100);
    assert_in_range(longest, 10, 1000);
}

/* ---- A trace that has everything under way ---- */

static void put_round(struct made *made, int32_t i) {
    CALL(made, irecv, .count = i, .datatype = INT, .source = 1, .tag = i, .comm = WORLD, .request = 2 + i % 7);
    CALL(made, isend, .count = i, .datatype = INT, .dest = 1, .tag = i, .comm = 4, .request = 20);
    CALL(made, start, .request = 30);
    CALL(made, file_iread, .file = 2, .count = i, .datatype = INT, .request = 2 + i % 3);
    CALL(made, put, .origincount = i, .origintype = INT, .targetrank = i % 2, .win = (int16_t)(2 + i % 2));
    CALL(made, allreduce, .count = i, .datatype = INT, .op = 3, .comm = 4);
    CALL(made, recv_init, .count = i, .datatype = INT, .tag = IGATHER, .comm = WORLD, .request = 90 + i % 4);
    CALL(made, send_init, .count = 1, .datatype = INT, .tag = IGATHER, .comm = WORLD, .request = 90 + i % 4);
    CALL(made, wait, .request = 90 + (i + 1) % 4);
    CALL(made, wait, .request = i % 2 ? 20 : 77);
    CALL(made, wait, .request = i % 5 ? 30 : 20);
    CALL(made, wait, .request = 2 + (i + 3) % 7, .status = STATUS(i, 1, i));
    CALL(made, file_seek, .file = 2, .offset = i);
    if (i % 40 == 7)
        CALL(made, comm_dup, .oldcomm = WORLD, .newcomm = 4);
    if (i % 50 == 9)
        CALL(made, file_read_all_begin, .file = 2, .count = i, .datatype = INT);
    if (i % 50 == 19)
        CALL(made, file_read_all_end, .file = 2);
    if (i % 40 == 30)
        made->common.wall_stop += INT64_C(30000) * 1000000000;
    if (i % 30 == 11)
        CALL(made, cancel, .request = 2 + i % 7);
}

static const char *busy_trace(void) {
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        CALL(&made, win_create, .size = 8, .comm = WORLD, .win = 2);
        CALL(&made, win_create, .size = 8, .comm = 3, .win = 3);
        CALL(&made, comm_dup, .oldcomm = WORLD, .newcomm = 4);
        CALL(&made, file_open, .comm = WORLD, .filename = text("data"), .file = 2);
        CALL(&made, send_init, .count = 1, .datatype = INT, .dest = 1, .tag = 1, .comm = WORLD, .request = 30);
        for (int32_t i = 0; i < 300; i++)
            put_round(&made, i);
    }
    return made_close(&made);
}

static void test_resume_goes_on_with_everything_under_way(void **state) {
    (void)state;
    assert_in_range(check_trace(busy_trace()), 50, 400);
}

/* Bytes in the middle are damaged: what comes after is found again, from wherever one goes on. */
static void test_resume_goes_on_over_damage(void **state) {
    (void)state;
    struct made made = {.path = busy_trace()};
    const char *path = made_file(&made, 0);
    size_t size;
    char *bytes = harness_read(path, &size);
    for (size_t position = size / 4; position < size / 4 * 3; position += 9000)
        memset(bytes + position, 0x5a, 37);
    harness_write(path, bytes, size);
    assert_true(findings_of(made.path, "DAMAGE") > 3 || findings_of(made.path, NULL) > 3);
    assert_in_range(check_trace(made.path), 50, 400);
}

/* ---- Bytes that cannot be right ---- */

/* What is kept after the first batches of the busy trace, and its substream. */
static void save_checkpoint(struct substream *substream, struct quipu__buffer *blob) {
    struct quipu__pass *pass = opened_pass(substream);
    struct quipu__batch *batch = new_batch(substream, SMALL_BATCH);
    for (int i = 0; i < 20; i++)
        assert_int_equal(next(substream, pass, batch), QUIPU_OK);
    quipu__buffer_init(blob, substream->trace->memory, 0);
    save(pass, blob);
    quipu__batch_free(batch);
    substream->trace->format->reading->pass_close(pass);
}

static enum quipu_status resumed_with(const struct substream *substream, const void *blob, size_t size) {
    struct quipu__pass *pass = opened_pass(substream);
    struct quipu__batch *batch = new_batch(substream, CANONICAL_BATCH);
    const enum quipu_status status = resume(pass, blob, size);
    while (status == QUIPU_OK && next(substream, pass, batch) == QUIPU_OK)
        continue;
    quipu__batch_free(batch);
    substream->trace->format->reading->pass_close(pass);
    return status;
}

static void test_resume_refuses_what_cannot_be_right(void **state) {
    (void)state;
    struct quipu_reader *reader = opened(busy_trace());
    struct substream substream = {
        quipu__reader_trace(reader), {.from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS}, 0, 0};
    struct quipu__buffer blob, other;
    save_checkpoint(&substream, &blob);
    assert_int_equal(resumed_with(&substream, blob.data, blob.len), QUIPU_OK);
    for (size_t len = 0; len < blob.len; len++)
        assert_int_equal(resumed_with(&substream, blob.data, len), QUIPU_CORRUPT);
    quipu__put_u8(&blob, 0);
    assert_int_equal(resumed_with(&substream, blob.data, blob.len), QUIPU_CORRUPT);
    quipu__buffer_init(&other, substream.trace->memory, 0);
    quipu__pack_u64(&other, UINT64_C(1) << 40); /* the place is outside of the file */
    size_t first = 1;
    while (blob.data[first - 1] >= 0x80)
        first++;
    quipu__put(&other, blob.data + first, blob.len - 1 - first);
    assert_int_equal(resumed_with(&substream, other.data, other.len), QUIPU_CORRUPT);
    quipu__buffer_release(&other);
    quipu__buffer_release(&blob);
    quipu_reader_close(reader);
}

/* Whatever the bytes are, reading comes to an end. */
static void test_resume_survives_any_bytes(void **state) {
    (void)state;
    static const uint8_t changes[] = {0x01, 0x10, 0x40, 0x7f, 0x80, 0xff};
    struct quipu_reader *reader = opened(busy_trace());
    struct substream substream = {
        quipu__reader_trace(reader), {.from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS}, 0, 0};
    struct quipu__buffer blob;
    save_checkpoint(&substream, &blob);
    size_t refused = 0;
    for (size_t i = 0; i < blob.len; i++)
        for (size_t k = 0; k < sizeof changes; k++) {
            blob.data[i] ^= changes[k];
            const enum quipu_status status = resumed_with(&substream, blob.data, blob.len);
            assert_true(status == QUIPU_OK || status == QUIPU_CORRUPT);
            refused += status == QUIPU_CORRUPT;
            blob.data[i] ^= changes[k];
        }
    assert_true(refused > 0);
    quipu__buffer_release(&blob);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_resume_goes_on_in_all_traces),
            cmocka_unit_test(test_resume_goes_on_in_all_shared_traces),
            cmocka_unit_test(test_resume_goes_on_with_everything_under_way),
            cmocka_unit_test(test_resume_goes_on_over_damage),
            cmocka_unit_test(test_resume_refuses_what_cannot_be_right),
            cmocka_unit_test(test_resume_survives_any_bytes))

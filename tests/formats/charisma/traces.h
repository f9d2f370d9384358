/* traces.h: CHARISMA files that tests make: record by record, or valid ones by a seed. */
#ifndef QUIPU_TESTS_CHARISMA_TRACES_H
#define QUIPU_TESTS_CHARISMA_TRACES_H

#include "formats/charisma/format.h"

/* A file that grows. */
struct made {
    struct quipu__memory memory;
    struct quipu__charisma_machine_codec codec;
    struct quipu__buffer out;
    struct quipu__scratch scratch;
    uint64_t offset; /* of the record put last */
    uint64_t narrowed;
};

static inline struct quipu_number ticks(const struct made *made, int64_t count) {
    const uint8_t kind = made->codec.profile.types[QUIPU__CHARISMA_WIRE_TimestampType].kind;
    if (kind == QUIPU__NUMBER_FLOAT)
        return (struct quipu_number){.f = (double)count / 1024, .is_real = true};
    return (struct quipu_number){.i = count, .is_signed = kind == QUIPU__NUMBER_SIGNED};
}

static inline const char *sized_text(struct made *made, const char *text) {
    return quipu__scratch_text(&made->scratch, text, strlen(text));
}

static inline void put(struct made *made, uint32_t type, union quipu__charisma_any any) {
    made->offset = made->out.len;
    any.app_exit.record_type = type == QUIPU__CHARISMA_TYPE_comp_rw ? any.app_exit.record_type : (uint16_t)type;
    quipu__charisma_encode(&made->codec, type, &any, &made->out, &made->narrowed);
}
#define PUT(made, type, ...)                                                                                   \
    put(made, QUIPU__CHARISMA_TYPE_##type, (union quipu__charisma_any){.type = {__VA_ARGS__}})

static inline void put_header(struct made *made) {
    PUT(made, header, .start_date = 760000000, .timestamp = ticks(made, 0), .SystemId = 2130706433,
        .system_type = (uint8_t)made->codec.profile.system_type, .md_version = made->codec.profile.md_version,
        .release_data = sized_text(made, "made by a test"), .num_processors = 4, .memory_per_proc = 8,
        .num_disks = 2, .num_IO_nodes = 2, .memory_per_disk = 760,
        .timestamp_unit = made->codec.profile.timestamp_unit);
}

/* Begins a file of a machine: magic number, version and, unless bare, a header. */
static inline void make_with(struct made *made, const struct quipu__charisma_profile *profile, bool bare) {
    memset(made, 0, sizeof *made);
    quipu__memory_init(&made->memory, NULL, 0);
    quipu__buffer_init(&made->out, &made->memory, 0);
    quipu__scratch_init(&made->scratch, &made->memory);
    assert_int_equal(quipu__charisma_codec_init(&made->codec, &made->memory, profile, NULL), QUIPU_OK);
    quipu__put(&made->out, profile->is_big_endian ? "\x01\x23\x45\x67\0\0\0\1" : "\x67\x45\x23\x01\1\0\0\0", 8);
    if (!bare)
        put_header(made);
}

static inline void make(struct made *made, const char *profile_name, bool bare) {
    struct quipu__charisma_profile profile;
    assert_true(quipu__charisma_profile_find(profile_name, &profile));
    make_with(made, &profile, bare);
}

/* The built-in profile, with stamps of another type. */
static inline struct quipu__charisma_profile profile_with_stamps(const char *name,
                                                                 struct quipu__number_type stamps) {
    struct quipu__charisma_profile profile;
    assert_true(quipu__charisma_profile_find(name, &profile));
    profile.types[QUIPU__CHARISMA_WIRE_TimestampType] = stamps;
    return profile;
}

/* A profile as the text of its file. */
static inline const char *profile_text(const struct quipu__charisma_profile *profile) {
    static const char *const states[] = {"reconstruction", "ours", "public"};
    static const char *const tails[] = {
        [QUIPU__TAIL_EXACT] = "exact", [QUIPU__TAIL_SIZEOF] = "sizeof", [QUIPU__TAIL_ALIGN] = "align"};
    static const char *const wires[] = {
#define WIRE(name) [QUIPU__CHARISMA_WIRE_##name] = #name,
#include "formats/charisma/wires.def"
#undef WIRE
    };
    const char *text = harness_text("profile = %s\nstatus = %s\nbyte_order = %s\n", profile->name,
                                    states[profile->status], profile->is_big_endian ? "big" : "little");
    for (unsigned i = QUIPU__CHARISMA_WIRE_FIRST; i < QUIPU__CHARISMA_WIRE_COUNT; i++)
        text = harness_text("%stype.%s = %u/%u/%c\n", text, wires[i], profile->types[i].bytes,
                            profile->types[i].alignment, "usf"[profile->types[i].kind]);
    return harness_text("%sname_length = %u\npath_length = %u\nno_app = -1\nno_client = -1\nsystem_type = %d\n"
                        "md_version = 1\ntimestamp_unit = %.17g\ncomp_rw = 16\ncomp_word = 4\ntail = %s\n"
                        "bitfields = auto\ncomp_scope = client_file\ncomp_replace = fifo\n"
                        "comp_order = size,stride,memstride\n",
                        text, profile->lengths[QUIPU__CHARISMA_NAME_LENGTH],
                        profile->lengths[QUIPU__CHARISMA_PATH_LENGTH], (int)profile->system_type,
                        profile->timestamp_unit, tails[profile->tail]);
}

/* The same as a file that the option "machine" takes. */
static inline const char *profile_file(const struct quipu__charisma_profile *profile) {
    const char *path = harness_text("%s/machine.prof", harness_folder()), *text = profile_text(profile);
    harness_write(path, text, strlen(text));
    return path;
}

static inline void unmake(struct made *made) {
    quipu__scratch_release(&made->scratch);
    quipu__buffer_release(&made->out);
    quipu__charisma_codec_release(&made->codec);
    assert_int_equal(made->memory.used, 0);
}

static inline void put_load(struct made *made, int64_t time, int64_t application, unsigned count) {
    int64_t *clients = quipu__scratch_sized(&made->scratch, count, sizeof *clients);
    for (unsigned i = 0; i < count; i++)
        clients[i] = i + 1;
    PUT(made, app_load, .timestamp = ticks(made, time), .name = sized_text(made, "solver"),
        .path = sized_text(made, "/bin"), .user_id = 17, .initial_load_size = 4096, .appl_id = application,
        .num_clients = (uint16_t)count, .clients = clients);
}

static inline void put_open(struct made *made, int64_t time, int64_t client, int64_t descriptor, int64_t file,
                            uint8_t flags) {
    PUT(made, client_open, .timestamp = ticks(made, time), .client_id = client,
        .name = sized_text(made, harness_text("file%d", (int)file)), .path = sized_text(made, "/cfs"),
        .file_id = {.i = file}, .file_desc = descriptor, .creation_date = 750000000, .open_flags = flags);
}

static inline void put_close(struct made *made, int64_t time, int64_t client, int64_t descriptor) {
    PUT(made, client_close, .timestamp = ticks(made, time), .client_id = client, .file_desc = descriptor,
        .file_size = 4096);
}

static inline void put_rw(struct made *made, int64_t time, int64_t client, int64_t descriptor,
                          uint8_t operation, int64_t async_id, int64_t offset, int64_t size) {
    struct quipu__charisma_request *request = quipu__scratch_sized(&made->scratch, 1, sizeof *request);
    *request = (struct quipu__charisma_request){offset, 64, size, client};
    PUT(made, rw, .starttime = ticks(made, time), .endtime = ticks(made, time + 5), .file_desc = descriptor,
        .operation_type = operation, .async_id = async_id, .appl_id = -1, .num_clients = 1,
        .requests = request);
}

/* Writes the file; its path. */
static inline const char *save(const struct made *made) {
    const char *path = harness_text("%s/made.ctrace", harness_folder());
    harness_write(path, made->out.data, made->out.len);
    return path;
}

/* ---- By a seed ---- */

static inline uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static inline void put_group(struct made *made, uint64_t *seed, int64_t time) {
    const uint32_t count = 1 + (uint32_t)(next_random(seed) % 4);
    struct quipu__charisma_request *requests = quipu__scratch_sized(&made->scratch, count, sizeof *requests);
    for (uint32_t i = 0; i < count; i++)
        requests[i] =
            (struct quipu__charisma_request){(int64_t)next_random(seed) % 100000, next_random(seed) % 65536,
                                             (int64_t)next_random(seed) % 9000, 1 + i};
    PUT(made, rw, .starttime = ticks(made, time), .endtime = ticks(made, time + 3), .file_desc = 30,
        .operation_type = (uint8_t)(next_random(seed) % 2 ? QUIPU__CHARISMA_WRITE : 0), .appl_id = 7,
        .num_clients = (uint16_t)count, .requests = requests);
}

static inline void put_random(struct made *made, uint64_t *seed, int64_t time) {
    const int64_t client = 1 + (int64_t)(next_random(seed) % 4), value = (int64_t)(next_random(seed) % 5000);
    const struct quipu_number stamp = ticks(made, time), file = {.i = 70 + client};
    switch (next_random(seed) % 12) {
    case 0:
        PUT(made, extend, .timestamp = stamp, .client_id = client, .file_id = file, .original_size = value,
            .new_size = 2 * value);
        break;
    case 1:
        PUT(made, truncate, .timestamp = stamp, .client_id = client, .file_id = file, .original_size = value);
        break;
    case 2:
        PUT(made, link, .timestamp = stamp, .client_id = client, .file_id = file, .new_link_count = 2);
        break;
    case 3:
        PUT(made, unlink, .timestamp = stamp, .client_id = client, .file_id = file, .new_link_count = 1);
        break;
    case 4:
        PUT(made, fcntl, .timestamp = stamp, .client_id = client, .file_desc = {.i = 10 + client},
            .request = value, .arg = -value);
        break;
    case 5:
        put_group(made, seed, time);
        break;
    case 6:
        put_rw(made, time, client, 10 + client, QUIPU__CHARISMA_OF_CLIENT | QUIPU__CHARISMA_ASYNCHRONOUS, time,
               value, 100);
        PUT(made, asynch_end, .call_time = ticks(made, time + 6), .end_time = ticks(made, time + 8),
            .async_id = time, .client_id = client, .appl_id = -1);
        break;
    default:
        put_rw(made, time, client, 10 + client,
               (uint8_t)(QUIPU__CHARISMA_OF_CLIENT | (value % 2 ? QUIPU__CHARISMA_WRITE : 0)), 0,
               value / 100 * 512, value % 3 ? 512 : 100);
    }
}

/* A valid trace with records of all types but COMP_RW. */
static inline void make_by_seed(struct made *made, const char *profile_name, uint64_t seed, unsigned records) {
    make(made, profile_name, false);
    put_load(made, 10, 7, 3);
    PUT(made, client_join, .timestamp = ticks(made, 15), .appl_id = 7, .client_id = 4);
    PUT(made, app_open, .timestamp = ticks(made, 16), .appl_id = 7, .name = sized_text(made, "shared"),
        .path = sized_text(made, ""), .file_id = {.i = 99}, .file_desc = 30, .open_flags = 2);
    for (int64_t client = 1; client <= 4; client++)
        put_open(made, 20, client, 10 + client, 70 + client, QUIPU__CHARISMA_OPEN_READ_WRITE);
    for (unsigned i = 0; i < records; i++)
        put_random(made, &seed, 100 + 10 * (int64_t)i);
    const int64_t end = 200 + 10 * (int64_t)records;
    for (int64_t client = 1; client <= 4; client++)
        put_close(made, end, client, 10 + client);
    PUT(made, app_close, .timestamp = ticks(made, end), .appl_id = 7, .file_desc = 30, .file_size = 5);
    PUT(made, client_leave, .timestamp = ticks(made, end), .appl_id = 7, .client_id = 4);
    PUT(made, app_exit, .timestamp = ticks(made, end), .appl_id = 7);
    assert_int_equal(made->narrowed, 0);
}

/* ---- Reading ---- */

static inline struct quipu_reader *open_as(const char *path, const char *machine) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    char text[400];
    options.variant = machine;
    if (quipu_reader_open(path, &options, &reader, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    return reader;
}

#endif

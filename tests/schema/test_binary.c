/* test_binary.c: one table on several machines. The records are those of a format of the 1990s that stored C structs as they
 * lay in memory; the lengths are those that a C compiler gives for the same structs on each machine. */
#include "harness.h"

#include "core/memory/buffer.h"
#include "schema/binary.h"

/* ---- The machines ---- */

enum wire {
    WIRE_NONE,
    SHORT,
    INT,
    LONG,
    BYTE,
    DOUBLE,
    STAMP,
    BIG,
    USER,
    CLIENT,
    DESCRIPTOR,
    ASYNC,
    WIRE_COUNT
};
enum length { NAME, PATH, RELEASE, LENGTHS };

#define U QUIPU__NUMBER_UNSIGNED
#define S QUIPU__NUMBER_SIGNED
#define F QUIPU__NUMBER_FLOAT
static const struct quipu__number_type ipsc860_types[WIRE_COUNT] = {
    [SHORT] = {2, 2, U},  [INT] = {4, 4, S},        [LONG] = {4, 4, S}, [BYTE] = {1, 1, U},
    [DOUBLE] = {8, 8, F}, [STAMP] = {8, 4, U},      [BIG] = {8, 4, S},  [USER] = {2, 2, U},
    [CLIENT] = {4, 4, S}, [DESCRIPTOR] = {4, 4, S}, [ASYNC] = {4, 4, S}};
static const struct quipu__number_type paragon_types[WIRE_COUNT] = {
    [SHORT] = {2, 2, U},  [INT] = {4, 4, S},        [LONG] = {4, 4, S}, [BYTE] = {1, 1, U},
    [DOUBLE] = {8, 8, F}, [STAMP] = {8, 8, F},      [BIG] = {8, 4, S},  [USER] = {4, 4, S},
    [CLIENT] = {4, 4, S}, [DESCRIPTOR] = {4, 4, S}, [ASYNC] = {4, 4, S}};
static const struct quipu__number_type cm5_types[WIRE_COUNT] = {
    [SHORT] = {2, 2, U},  [INT] = {4, 4, S},        [LONG] = {4, 4, S}, [BYTE] = {1, 1, U},
    [DOUBLE] = {8, 8, F}, [STAMP] = {8, 8, U},      [BIG] = {8, 8, S},  [USER] = {4, 4, S},
    [CLIENT] = {2, 2, S}, [DESCRIPTOR] = {2, 2, S}, [ASYNC] = {4, 4, S}};
static const struct quipu__number_type lp64_types[WIRE_COUNT] = {
    [SHORT] = {2, 2, U},  [INT] = {4, 4, S},        [LONG] = {8, 8, S}, [BYTE] = {1, 1, U},
    [DOUBLE] = {8, 8, F}, [STAMP] = {8, 8, U},      [BIG] = {8, 8, S},  [USER] = {4, 4, U},
    [CLIENT] = {4, 4, S}, [DESCRIPTOR] = {4, 4, S}, [ASYNC] = {8, 8, S}};

static const uint16_t lengths[][LENGTHS] = {{32, 96, 80}, {64, 192, 80}, {48, 128, 80}, {64, 256, 80}};

/* With the lengths of a header, an end of an application, and a load and a request with one client each. */
static const struct machine {
    const char *name;
    struct quipu__machine machine;
    size_t header, exit, load, request;
} machines[] = {
    {"ipsc860",
     {.types = ipsc860_types,
      .type_count = WIRE_COUNT,
      .count_type = INT,
      .lengths = lengths[0],
      .tail = QUIPU__TAIL_SIZEOF},
     144,
     16,
     160,
     64},
    {"paragon",
     {.types = paragon_types,
      .type_count = WIRE_COUNT,
      .count_type = INT,
      .lengths = lengths[1],
      .tail = QUIPU__TAIL_SIZEOF},
     144,
     24,
     296,
     72},
    {"cm5",
     {.is_big_endian = true,
      .types = cm5_types,
      .type_count = WIRE_COUNT,
      .count_type = INT,
      .lengths = lengths[2],
      .tail = QUIPU__TAIL_SIZEOF},
     144,
     24,
     208,
     72},
    {"lp64",
     {.types = lp64_types,
      .type_count = WIRE_COUNT,
      .count_type = INT,
      .lengths = lengths[3],
      .tail = QUIPU__TAIL_SIZEOF},
     160,
     24,
     368,
     80},
};
enum { MACHINES = sizeof machines / sizeof *machines };

/* ---- The table ---- */

struct header {
    uint16_t record_type;
    int64_t start_date, gmt_offset, timestamp, system_id;
    uint8_t system_type;
    int64_t md_version;
    const char *release_data;
    int64_t processors, memory, disks, io_nodes, disk_memory;
    double unit;
};
struct finish {
    uint16_t record_type;
    double timestamp; /* whatever the machine has */
    int32_t application;
};
struct stamp {
    uint16_t record_type;
    struct quipu_number timestamp; /* as the machine has it */
    uint16_t count;
    const int32_t *clients;
};
struct client {
    int64_t client;
};
struct load {
    uint16_t record_type;
    int64_t timestamp;
    const char *name, *path;
    int64_t user, size, application;
    uint16_t client_count;
    const struct client *clients;
};
struct entry {
    int64_t offset, memory_offset, size;
    int32_t client;
};
struct request {
    uint16_t record_type;
    int64_t start, end, descriptor, async, application;
    uint8_t client_count; /* narrower than in the file, and not alone in its word */
    uint8_t operation;
    const struct entry *entries;
};

static const struct quipu_domain number_domain = {.name = "number"};
static const struct quipu_domain name_domain = {.name = "name", .wire = NAME},
                                 path_domain = {.name = "path", .wire = PATH},
                                 release_domain = {.name = "release", .wire = RELEASE};

#define ROW(of, its_member, store, its_wire, its_domain, its_shape, its_count, its_element)                    \
    {                                                                                                          \
        .name = #its_member, .doc = "a field", .domain = &its_domain, .element = its_element,                  \
        .offset = offsetof(struct of, its_member), .storage = QUIPU_STORE_##store, .wire = (its_wire),         \
        .shape = QUIPU_##its_shape, .count = its_count, .when = -1, .equals = -1                               \
    }
#define FIELD(of, member, store, wire) ROW(of, member, store, wire, number_domain, ONE, -1, NULL)
#define TEXT(of, member, domain) ROW(of, member, STRING, QUIPU__FORM_CHARACTERS, domain, ONE, -1, NULL)
#define ARRAY(of, member, element, count)                                                                      \
    ROW(of, member, RECORD, QUIPU__FORM_FROM_FIELD, number_domain, LIST, count, &element)
#define TYPE(of, its_fields)                                                                                   \
    {                                                                                                          \
        .name = #of, .doc = "a record", .fields = its_fields,                                                  \
        .field_count = sizeof its_fields / sizeof *its_fields, .size = sizeof(struct of)                       \
    }

static const struct quipu_field header_fields[] = {
    FIELD(header, record_type, U16, SHORT), FIELD(header, start_date, I64, LONG),
    FIELD(header, gmt_offset, I64, LONG),   FIELD(header, timestamp, I64, STAMP),
    FIELD(header, system_id, I64, LONG),    FIELD(header, system_type, U8, BYTE),
    FIELD(header, md_version, I64, INT),    TEXT(header, release_data, release_domain),
    FIELD(header, processors, I64, INT),    FIELD(header, memory, I64, INT),
    FIELD(header, disks, I64, INT),         FIELD(header, io_nodes, I64, INT),
    FIELD(header, disk_memory, I64, INT),   FIELD(header, unit, F64, DOUBLE),
};
static const struct quipu_field finish_fields[] = {
    FIELD(finish, record_type, U16, SHORT),
    FIELD(finish, timestamp, F64, STAMP),
    FIELD(finish, application, I32, INT),
};
static const struct quipu_domain client_domain = {.name = "client", .wire = CLIENT};
static const struct quipu_field stamp_fields[] = {
    FIELD(stamp, record_type, U16, SHORT),
    FIELD(stamp, timestamp, NUMBER, STAMP),
    FIELD(stamp, count, U16, SHORT),
    ROW(stamp, clients, I32, QUIPU__FORM_FROM_FIELD, client_domain, LIST, 2, NULL),
};
static const struct quipu_field client_fields[] = {FIELD(client, client, I64, CLIENT)};
static const struct quipu_record_type client_type = TYPE(client, client_fields);
static const struct quipu_field load_fields[] = {
    FIELD(load, record_type, U16, SHORT), FIELD(load, timestamp, I64, STAMP),
    TEXT(load, name, name_domain),        TEXT(load, path, path_domain),
    FIELD(load, user, I64, USER),         FIELD(load, size, I64, LONG),
    FIELD(load, application, I64, INT),   FIELD(load, client_count, U16, SHORT),
    ARRAY(load, clients, client_type, 7),
};
static const struct quipu_field entry_fields[] = {
    FIELD(entry, offset, I64, BIG),
    FIELD(entry, memory_offset, I64, LONG),
    FIELD(entry, size, I64, BIG),
    FIELD(entry, client, I32, CLIENT),
};
static const struct quipu_record_type entry_type = TYPE(entry, entry_fields);
static const struct quipu_field request_fields[] = {
    FIELD(request, record_type, U16, SHORT), FIELD(request, start, I64, STAMP),
    FIELD(request, end, I64, STAMP),         FIELD(request, descriptor, I64, DESCRIPTOR),
    FIELD(request, operation, U8, BYTE),     FIELD(request, async, I64, ASYNC),
    FIELD(request, application, I64, INT),   FIELD(request, client_count, U8, SHORT),
    ARRAY(request, entries, entry_type, 7),
};
enum type { HEADER, FINISH, LOAD, REQUEST, STAMPED, TYPES };
static const struct quipu_record_type types[TYPES] = {
    [HEADER] = TYPE(header, header_fields), [FINISH] = TYPE(finish, finish_fields),
    [LOAD] = TYPE(load, load_fields),       [REQUEST] = TYPE(request, request_fields),
    [STAMPED] = TYPE(stamp, stamp_fields),
};

/* ---- Support ---- */

static struct quipu__memory memory;
static struct quipu__scratch scratch;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__scratch_init(&scratch, &memory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    quipu__scratch_release(&scratch);
    return memory.used != 0;
}

static struct quipu__binary_codec *codec_of(const struct quipu__machine *machine) {
    struct quipu__binary_codec *codec;
    assert_int_equal(quipu__binary_codec_new(&memory, types, TYPES, machine, &codec, NULL), QUIPU_OK);
    return codec;
}

static const char *text(const char *of) {
    return quipu__scratch_text(&scratch, of, strlen(of));
}

static struct header a_header(void) {
    return (struct header){0,   753926400, -18000, 5,  2130706433, 3,   1, text("release 1"),
                           128, 8,         10,     10, 760,        1e-6};
}

static struct request a_request(uint8_t clients) {
    struct entry *entries = quipu__scratch_sized(&scratch, clients, sizeof *entries);
    for (uint8_t i = 0; i < clients; i++)
        entries[i] = (struct entry){4096 * i, 64, 4096 - i, 100 + i};
    return (struct request){9, 1000, 2000, 7, 0, -1, clients, 2, entries};
}

static size_t encode(const struct quipu__binary_codec *codec, enum type type, const void *data,
                     struct quipu__buffer *out) {
    struct quipu__binary_encoder encoder = {.codec = codec};
    const size_t before = out->len;
    quipu__binary_encode(&encoder, type, data, out);
    assert_false(out->failed);
    return out->len - before;
}

/* ---- Tests ---- */

static void test_binary_structs_have_the_lengths_of_each_machine(void **state) {
    (void)state;
    for (size_t i = 0; i < MACHINES; i++) {
        struct quipu__binary_codec *codec = codec_of(&machines[i].machine);
        struct quipu__buffer out;
        const struct header header = a_header();
        const struct finish finish = {2, 3.0, 9};
        const struct request one = a_request(1), none = a_request(0), three = a_request(3);
        struct client *client = quipu__scratch_sized(&scratch, 1, sizeof *client);
        client->client = 5;
        const struct load load = {1, 10, text("a"), text("/bin"), 500, 1 << 20, 77, 1, client};
        const uint16_t stride = codec->plans[REQUEST].steps ? codec->plans[codec->plan_count - 1].stride : 0;
        quipu__buffer_init(&out, &memory, 0);
        assert_int_equal(encode(codec, HEADER, &header, &out), machines[i].header);
        assert_int_equal(encode(codec, FINISH, &finish, &out), machines[i].exit);
        assert_int_equal(encode(codec, LOAD, &load, &out), machines[i].load);
        assert_int_equal(encode(codec, REQUEST, &one, &out), machines[i].request);
        assert_int_equal(encode(codec, REQUEST, &none, &out), machines[i].request - stride);
        assert_int_equal(encode(codec, REQUEST, &three, &out), machines[i].request + 2u * stride);
        quipu__buffer_release(&out);
        quipu__binary_codec_free(codec);
    }
}

static void test_binary_records_come_back_on_every_machine(void **state) {
    (void)state;
    for (size_t i = 0; i < MACHINES; i++) {
        struct quipu__binary_codec *codec = codec_of(&machines[i].machine);
        struct quipu__binary_decoder decoder;
        struct quipu__buffer out;
        const struct header header = a_header();
        const struct request request = a_request(3);
        struct header header_back;
        struct request back;
        const uint8_t *next;
        quipu__binary_decoder_init(&decoder, &memory, codec, 1 << 20);
        quipu__buffer_init(&out, &memory, 0);
        encode(codec, HEADER, &header, &out);
        encode(codec, REQUEST, &request, &out);
        assert_int_equal(
            quipu__binary_decode(&decoder, HEADER, &header_back, out.data, out.data + out.len, &next),
            QUIPU__BINARY_OK);
        assert_int_equal(header_back.start_date, 753926400);
        assert_int_equal(header_back.gmt_offset, -18000);
        assert_string_equal(header_back.release_data, "release 1");
        assert_int_equal(header_back.disk_memory, 760);
        assert_true(header_back.unit == 1e-6);
        assert_int_equal(quipu__binary_decode(&decoder, REQUEST, &back, next, out.data + out.len, &next),
                         QUIPU__BINARY_OK);
        assert_ptr_equal(next, out.data + out.len);
        assert_int_equal(back.start, 1000);
        assert_int_equal(back.application, -1);
        assert_int_equal(back.client_count, 3);
        assert_int_equal(quipu_sized_count(back.entries), 3);
        assert_int_equal(back.entries[2].offset, 8192);
        assert_int_equal(back.entries[2].size, 4094);
        assert_int_equal(back.entries[2].client, 102);
        quipu__binary_decoder_release(&decoder);
        quipu__buffer_release(&out);
        quipu__binary_codec_free(codec);
    }
}

/* The stamp of one machine is a double in seconds, of the others a number of ticks. */
static void test_binary_numbers_become_doubles_where_the_struct_has_one(void **state) {
    static const uint8_t paragon[24] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 9};
    static const uint8_t cm5[24] = {0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 9};
    struct finish finish;
    const uint8_t *next;
    (void)state;
    for (int big = 0; big < 2; big++) {
        const uint8_t *bytes = big ? cm5 : paragon;
        struct quipu__binary_codec *codec = codec_of(&machines[big ? 2 : 1].machine);
        struct quipu__binary_decoder decoder;
        quipu__binary_decoder_init(&decoder, &memory, codec, 1 << 20);
        assert_int_equal(quipu__binary_decode(&decoder, FINISH, &finish, bytes, bytes + 24, &next),
                         QUIPU__BINARY_OK);
        assert_true(finish.timestamp == (big ? 256.0 : 1.5));
        assert_int_equal(finish.application, 9);
        quipu__binary_decoder_release(&decoder);
        quipu__binary_codec_free(codec);
    }
}

/* The struct with three clients of 2 (CM-5) or 4 bytes: they begin at 18 or 20, and sizeof is 24 for one client. */
static void test_binary_numbers_stay_what_the_machine_has(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const bool is_cm5 = i == 1, is_paragon = i == 0;
        struct quipu__binary_codec *codec = codec_of(&machines[1 + i].machine);
        int32_t *clients = quipu__scratch_sized(&scratch, 3, sizeof *clients);
        struct stamp stamp = {2, {.i = -1}, 3, clients}, back;
        struct quipu__binary_decoder decoder;
        struct quipu__buffer out;
        const uint8_t *next;
        clients[0] = 1, clients[1] = -2, clients[2] = 3;
        if (is_paragon)
            stamp.timestamp = (struct quipu_number){.f = 0.1, .is_real = true};
        quipu__buffer_init(&out, &memory, 0);
        assert_int_equal(encode(codec, STAMPED, &stamp, &out), is_cm5 ? 28 : 32);
        quipu__binary_decoder_init(&decoder, &memory, codec, 1 << 20);
        assert_int_equal(quipu__binary_decode(&decoder, STAMPED, &back, out.data, out.data + out.len, &next),
                         QUIPU__BINARY_OK);
        assert_ptr_equal(next, out.data + out.len);
        assert_int_equal(back.timestamp.i, stamp.timestamp.i);
        assert_int_equal(back.timestamp.is_real, is_paragon);
        assert_false(back.timestamp.is_signed);
        assert_memory_equal(back.clients, clients, 3 * sizeof *clients);
        quipu__binary_decoder_release(&decoder);
        quipu__buffer_release(&out);
        quipu__binary_codec_free(codec);
    }
}

/* A stamp with a fraction is cut to a whole one, and a whole one that no double holds to one near it; both are counted. */
static void test_binary_numbers_of_another_kind_are_counted_when_they_change(void **state) {
    static const struct {
        struct quipu_number stamp;
        unsigned machine, narrowed;
    } cases[] = {{{.f = 2.5, .is_real = true}, 3, 1},
                 {{.f = 2.0, .is_real = true}, 3, 0},
                 {{.i = 7}, 1, 0},
                 {{.i = (INT64_C(1) << 54) + 1}, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu__binary_codec *codec = codec_of(&machines[cases[i].machine].machine);
        struct quipu__binary_encoder encoder = {.codec = codec};
        const struct stamp stamp = {2, cases[i].stamp, 0, NULL};
        struct quipu__buffer out;
        quipu__buffer_init(&out, &memory, 0);
        quipu__binary_encode(&encoder, STAMPED, &stamp, &out);
        assert_int_equal(encoder.narrowed, cases[i].narrowed);
        quipu__buffer_release(&out);
        quipu__binary_codec_free(codec);
    }
}

/* request of two clients on the machine with the two-byte client numbers: 40 + 2 * 32 bytes, and what each tail adds. */
static void test_binary_tails_follow_the_rule_of_the_machine(void **state) {
    static const size_t ends[] = {
        [QUIPU__TAIL_EXACT] = 156 + 2 * 4 - 4, [QUIPU__TAIL_SIZEOF] = 160 + 4, [QUIPU__TAIL_ALIGN] = 164};
    (void)state;
    for (unsigned tail = QUIPU__TAIL_EXACT; tail <= QUIPU__TAIL_ALIGN; tail++) {
        struct quipu__machine machine = machines[0].machine;
        struct client *clients = quipu__scratch_sized(&scratch, 2, sizeof *clients);
        struct quipu__buffer out;
        clients[0].client = 1, clients[1].client = 2;
        const struct load load = {1, 10, text("a"), text("/bin"), 500, 1 << 20, 77, 2, clients};
        machine.tail = (enum quipu__binary_tail)tail;
        struct quipu__binary_codec *codec = codec_of(&machine);
        quipu__buffer_init(&out, &memory, 0);
        /* the array begins at 156 and the struct has an alignment of 4 */
        assert_int_equal(encode(codec, LOAD, &load, &out), tail == QUIPU__TAIL_EXACT ? 164 : ends[tail]);
        quipu__buffer_release(&out);
        quipu__binary_codec_free(codec);
    }
}

static void test_binary_a_record_that_is_cut_anywhere_asks_for_more(void **state) {
    struct quipu__binary_codec *codec = codec_of(&machines[3].machine);
    struct quipu__binary_decoder decoder;
    struct quipu__buffer out;
    struct request back;
    const struct request request = a_request(3);
    const uint8_t *next;
    (void)state;
    quipu__binary_decoder_init(&decoder, &memory, codec, 1 << 20);
    quipu__buffer_init(&out, &memory, 0);
    const size_t size = encode(codec, REQUEST, &request, &out);
    for (size_t len = 0; len < size; len++) {
        uint8_t *cut = malloc(len + 1);
        if (len > 0)
            memcpy(cut, out.data, len);
        assert_int_equal(quipu__binary_decode(&decoder, REQUEST, &back, cut, cut + len, &next),
                         QUIPU__BINARY_MORE);
        assert_true(decoder.need > len && decoder.need <= size);
        free(cut);
    }
    quipu__binary_decoder_release(&decoder);
    quipu__buffer_release(&out);
    quipu__binary_codec_free(codec);
}

static void test_binary_a_count_beyond_the_stream_allocates_nothing(void **state) {
    struct quipu__binary_codec *codec = codec_of(&machines[3].machine);
    struct quipu__binary_decoder decoder;
    struct quipu__buffer out;
    struct request back;
    const struct request request = a_request(1);
    const uint8_t *next;
    (void)state;
    quipu__binary_decoder_init(&decoder, &memory, codec, 1000);
    quipu__buffer_init(&out, &memory, 0);
    encode(codec, REQUEST, &request, &out);
    out.data[44] = out.data[45] = 0xff; /* the number of clients */
    const size_t used = memory.used;
    assert_int_equal(quipu__binary_decode(&decoder, REQUEST, &back, out.data, out.data + out.len, &next),
                     QUIPU__BINARY_BAD);
    assert_string_equal(decoder.fault, "a length goes beyond the end of the stream");
    assert_int_equal(memory.used, used);
    quipu__binary_decoder_release(&decoder);
    quipu__buffer_release(&out);
    quipu__binary_codec_free(codec);
}

/* Descriptor 70000 does not fit into two bytes, client 40000 neither; a name of 50 letters not into 48. */
static void test_binary_values_too_wide_for_a_machine_are_counted(void **state) {
    struct quipu__binary_codec *codec = codec_of(&machines[2].machine);
    struct quipu__binary_encoder encoder = {.codec = codec};
    struct quipu__buffer out;
    struct entry *entry = quipu__scratch_sized(&scratch, 1, sizeof *entry);
    *entry = (struct entry){0, 0, 0, 40000};
    const struct request request = {9, 1, 2, 70000, 0, 0, 1, 0, entry};
    const struct load load = {
        1, 0, text("abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"), text("/"), 0, 0, 0, 0, NULL};
    (void)state;
    quipu__buffer_init(&out, &memory, 0);
    quipu__binary_encode(&encoder, REQUEST, &request, &out);
    assert_int_equal(encoder.narrowed, 2);
    quipu__binary_encode(&encoder, LOAD, &load, &out);
    assert_int_equal(encoder.narrowed, 3);
    quipu__buffer_release(&out);
    quipu__binary_codec_free(codec);
}

QUIPU_TESTS(
    cmocka_unit_test_setup_teardown(test_binary_structs_have_the_lengths_of_each_machine, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_binary_records_come_back_on_every_machine, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_binary_numbers_become_doubles_where_the_struct_has_one, set_up,
                                    tear_down),
    cmocka_unit_test_setup_teardown(test_binary_numbers_stay_what_the_machine_has, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_binary_numbers_of_another_kind_are_counted_when_they_change, set_up,
                                    tear_down),
    cmocka_unit_test_setup_teardown(test_binary_tails_follow_the_rule_of_the_machine, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_binary_a_record_that_is_cut_anywhere_asks_for_more, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_binary_a_count_beyond_the_stream_allocates_nothing, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_binary_values_too_wide_for_a_machine_are_counted, set_up, tear_down))

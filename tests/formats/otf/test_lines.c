/* Lines: the table's records encoded and decoded again, and the odd spellings that OTF's library reads. */
#include "harness.h"

#include "formats/otf/lines.h"

#include "formats/otf/fast_lines.h"

static struct quipu__memory memory;
static struct quipu__scratch scratch;

static void start(void) {
    quipu__memory_init(&memory, NULL, 0);
    quipu__scratch_init(&scratch, &memory);
}

static void stop(void) {
    quipu__scratch_release(&scratch);
    assert_int_equal(memory.used, 0);
}

static struct quipu__keyed_lines lines_of(enum quipu__otf_file file, const char *text, size_t len) {
    struct quipu__keyed_lines lines = {.grammar = &quipu__otf_grammar,
                                       .kind = (uint8_t)file,
                                       .p = (const uint8_t *)text,
                                       .end = (const uint8_t *)text + len,
                                       .ended = true,
                                       .state = QUIPU__KEYED_STATE_INIT};
    return lines;
}

/* ---- The table ---- */

/* Fills every field with a value of its own; bigger numbers in later rounds. */
static void fill(const struct quipu_record_type *type, uint32_t round, union quipu__otf_any *data) {
    memset(data, 0, sizeof *data);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if (field->shape == QUIPU_LIST) {
            uint32_t *list = quipu__scratch_sized(&scratch, round * 2, sizeof *list);
            for (uint32_t k = 0; k < round * 2; k++)
                list[k] = k * 1000 + i;
            *(const uint32_t **)quipu__member(field, data) = list;
        } else if (field->storage == QUIPU_STORE_STRING) {
            const char *text = harness_text("text %u of round %u", i, round);
            *(const char **)quipu__member(field, data) = quipu__scratch_text(&scratch, text, strlen(text));
        } else {
            const int64_t values[] = {0, i + 1, -1};
            quipu__store_i64(field, data, values[round]);
        }
    }
}

static void assert_same(const struct quipu_record_type *type, const void *left, const void *right) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if (field->shape == QUIPU_LIST || field->storage == QUIPU_STORE_STRING) {
            const void *a = *(const void *const *)quipu__member_const(field, left);
            const void *b = *(const void *const *)quipu__member_const(field, right);
            assert_non_null(b);
            assert_int_equal(quipu_sized_count(a), quipu_sized_count(b));
            assert_memory_equal(a, b, quipu_sized_count(a) * (field->shape == QUIPU_LIST ? 4 : 1));
        } else {
            int64_t a, b;
            assert_true(quipu_field_get_i64(field, left, &a));
            assert_true(quipu_field_get_i64(field, right, &b));
            assert_int_equal(a, b);
        }
    }
}

static void test_lines_every_record_reads_back_in_both_forms(void **state) {
    (void)state;
    start();
    for (uint32_t t = 0; t < QUIPU__OTF_MasterStream; t++)
        for (uint32_t round = 0; round < 3; round++)
            for (int long_form = 0; long_form < 2; long_form++) {
                const struct quipu_record_type *type = &quipu__otf_schema.types[t];
                union quipu__otf_any in, out;
                struct quipu__buffer text;
                quipu__buffer_init(&text, &memory, 0);
                fill(type, round, &in);
                quipu__otf_encode(&text, (enum quipu__otf_type)t, &in, long_form);
                assert_false(text.failed);
                struct quipu__keyed_lines lines =
                    lines_of((enum quipu__otf_file)type->group, (const char *)text.data, text.len);
                assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_RECORD);
                assert_int_equal(lines.form->type, t);
                assert_int_equal(quipu__keyed_decode(&lines, lines.form, &scratch, &out, NULL),
                                 QUIPU__KEYED_DECODED);
                assert_ptr_equal(lines.p, lines.end);
                assert_same(type, &in, &out);
                quipu__buffer_release(&text);
                quipu__scratch_reset(&scratch);
            }
    stop();
}

static void assert_spelled_alike(enum quipu__otf_type type, const void *data, const uint8_t *line, size_t len,
                                 bool long_form) {
    struct quipu__buffer expected;
    quipu__buffer_init(&expected, &memory, 0);
    quipu__otf_encode(&expected, type, data, long_form);
    assert_int_equal(len, expected.len);
    assert_memory_equal(line, expected.data, len);
    quipu__buffer_release(&expected);
}

static void test_lines_of_numbers_are_spelled_alike_by_both_encoders(void **state) {
    (void)state;
    start();
    unsigned compared = 0;
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t round = i / 2;
        const bool long_form = i % 2;
        union quipu__otf_any data;
#define RECORD_ROW(record, ...)                                                                                \
    if (NUMBERS_##record && quipu__otf_schema.types[QUIPU__OTF_##record].group != QUIPU__OTF_MASTER) {         \
        uint8_t line[MOST_##record];                                                                           \
        fill(&quipu__otf_schema.types[QUIPU__OTF_##record], round, &data);                                     \
        const size_t len = (size_t)(put_##record(line, &data.record, long_form) - line);                       \
        assert_true(len <= sizeof line);                                                                       \
        assert_spelled_alike(QUIPU__OTF_##record, &data, line, len, long_form);                                \
        compared++;                                                                                            \
    }
#include "formats/otf/records.def"
    }
    assert_true(compared >= 6 * 30);
    stop();
}

static void test_lines_schema_has_all_types(void **state) {
    (void)state;
    assert_int_equal(quipu__otf_schema.type_count, 59 + 3);
    assert_int_equal(quipu__otf_type_of_id(2), QUIPU__OTF_Enter);
    assert_int_equal(quipu__otf_type_of_id(67), QUIPU__OTF_CounterSnapshot);
    assert_int_equal(quipu__otf_type_of_id(3), QUIPU__OTF_TYPE_COUNT);
}

/* ---- Spellings ---- */

/* What a text of lines reads as, written again in canonical form. A record line gives its short line, a time line "@"
 * and the time, a process line "*" and the process, a value its short line, an empty line "-", another line "?" and
 * its text, a bad line "!" and the rest of it. Reading goes on behind a bad line. */
static const char *reading_of(enum quipu__otf_file file, const char *text, bool long_form) {
    struct quipu__buffer out;
    struct quipu__keyed_lines lines = lines_of(file, text, strlen(text));
    quipu__buffer_init(&out, &memory, 0);
    for (;;) {
        const enum quipu__keyed_line line = quipu__keyed_recognise(&lines);
        union quipu__otf_any data;
        struct quipu__otf_value_line value;
        bool bad = false;
        if (line == QUIPU__KEYED_MORE)
            break;
        if (line == QUIPU__KEYED_TIME) {
            quipu__put_format(&out, "@%llx\n", (unsigned long long)lines.state.time);
        } else if (line == QUIPU__KEYED_PROCESS) {
            quipu__put_format(&out, "*%x\n", lines.state.process);
        } else if (line == QUIPU__KEYED_EMPTY) {
            quipu__put_text(&out, "-\n");
        } else if (line == QUIPU__KEYED_RECORD) {
            bad = quipu__keyed_decode(&lines, lines.form, &scratch, &data, NULL) != QUIPU__KEYED_DECODED;
            if (!bad)
                quipu__otf_encode(&out, lines.form->type, &data, long_form);
        } else if (line == QUIPU__KEYED_VALUE) {
            struct quipu__otf_values values;
            quipu__otf_values_init(&values, &memory);
            bad = quipu__otf_decode_value(&lines, &value) != QUIPU__KEYED_DECODED;
            if (!bad) {
                assert_int_equal(quipu__otf_values_add(&values, &value), QUIPU__OTF_VALUE_ADDED);
                quipu__otf_encode_values(&out, quipu__otf_values_list(&values, &scratch), long_form);
            }
            quipu__otf_values_release(&values);
        }
        if (bad || line == QUIPU__KEYED_OTHER) {
            const uint8_t *newline = memchr(lines.p, '\n', (size_t)(lines.end - lines.p));
            quipu__put_format(&out, "%c%.*s\n", bad ? '!' : '?', (int)(newline - lines.p),
                              (const char *)lines.p);
            quipu__keyed_skip_line(&lines);
        }
    }
    quipu__put_u8(&out, '\0');
    assert_false(out.failed);
    const char *result = harness_text("%s", (const char *)out.data);
    quipu__buffer_release(&out);
    return result;
}

struct spelling {
    enum quipu__otf_file file;
    const char *text, *reading;
};

static void test_lines_odd_spellings_read_as_in_the_library(void **state) {
    static const struct spelling spellings[] = {
        /* the probes of OTF's library, with what it makes of them */
        {QUIPU__OTF_EVENTS, "5\n*1\nE1\n6\n*1\nL\n", "@5\n*1\nE1\n@6\n*1\nL\n"},
        {QUIPU__OTF_EVENTS, "  E1\n\tE2\n E 3\n", "E1\nE2\nE3\n"},
        {QUIPU__OTF_EVENTS, "  5\n  *  1\n", "@5\n*1\n"},
        {QUIPU__OTF_EVENTS, "E 1 X 3\nE 1X 3\n", "!X 3\nE1X3\n"},
        {QUIPU__OTF_EVENTS, "ENTER1SCL3\nENTER 1X3\nE1 SCL 3\nE1SCL3\n", "E1X3\nE1X3\nE1X3\nE1X3\n"},
        {QUIPU__OTF_EVENTS, "E1S3\nE1 S 3\n", "E1X3\nE1X3\n"},
        {QUIPU__OTF_EVENTS, "EA\nE1F\nEab\n", "?EA\n!F\nEab\n"},
        {QUIPU__OTF_EVENTS, "A\n", "?A\n"},
        {QUIPU__OTF_EVENTS, "5\r\n*1\r\nE1\r\n", "@5\n*1\n!\r\n"},
        {QUIPU__OTF_EVENTS, "\nE1\n   \n", "-\nE1\n-\n"},
        {QUIPU__OTF_EVENTS, "Zfoo bar\nghello\nabc hello\n", "?Zfoo bar\n?ghello\n@abc\n"},
        {QUIPU__OTF_EVENTS, "E1 junk\nE1X2 junk\n", "!junk\nE1X2\n"},
        {QUIPU__OTF_EVENTS, "L1X2 junk\nL \nL junk\n", "L1X2\nL\n!junk\n"},
        {QUIPU__OTF_EVENTS, "S2L400T7\nS2T7L400C1\nS 1 L 2 T 3 C 4\n", "!\n!T7L400C1\n!L 2 T 3 C 4\n"},
        {QUIPU__OTF_EVENTS, "5zzz\n5 6\n*1 2\n*\n*x\n", "@5\n@5\n*1\n?*\n?*x\n"},
        {QUIPU__OTF_EVENTS, "Enter 5\nLEAVEX 3\nENT 5\nEN\n", "!nter 5\n?LEAVEX 3\n?ENT 5\n?EN\n"},
        {QUIPU__OTF_EVENTS, "L0X9\nE#5\nL##\n", "L0X9\nE5\nL\n"},
        {QUIPU__OTF_EVENTS, "F51H123456789OP0B123456789D123456789\nS100000002L100000400T7C1\n",
         "F51H123456789OP0B123456789D123456789\nS2L400T7C1\n"},
        {QUIPU__OTF_EVENTS, "COP1C1RT1S123456789R1D1\nCNT100000041V1ffffffffffffffff\n",
         "COP1C1RT1S23456789R1D1\nCNT41Vffffffffffffffff\n"},
        {QUIPU__OTF_EVENTS, "TE1O2\nT1P2C3T4L5\nTRMAPUT 1 PROCESS 2 COMM 3 TAG 4 LEN 5\nTRMAPU1\nTC\"x\"\n",
         "TE1O2\nT1P2C3T4L5\nT1P2C3T4L5\n?RMAPU1\nTC\"x\"\n"},
        {QUIPU__OTF_EVENTS, "FB5\nFB5X1\nFE1H2OP3B4\nFE1H2OP3B4X5\nFILEOPBEGIN 5 SCL 2\nFA5\n",
         "FA5\nFA5X1\nFF1MI2H0OP3B4\nFF1MI2H0OP3B4X5\nFA5X2\nFA5\n"},
        {QUIPU__OTF_EVENTS, "FILEOPEND 1 HANDLEID 2 OPERATION 3 BYTES 4\nFILEOPBEGINNEW 5\n",
         "FF1MI2H0OP3B4\nFA5\n"},
        {QUIPU__OTF_EVENTS, "#\"x\"\n#EVTCOMMENT \"y\"\n#z\n# \"w\"\n#FOO \"v\"\n#\n",
         "#\"x\"\n#\"y\"\n#\"\"\n#\"w\"\n?#FOO \"v\"\n#\"\"\n"},
        {QUIPU__OTF_EVENTS,
         "URMAPUTRE 1 PROCESS 2 COMM 3 TAG 4 LEN 5 SCL 6\nMRMAEND 1 COMM 2 TAG 3 SCL 4\nPROCESSBEGIN\nNOOP\n",
         "U1P2C3T4L5X6\nM1C2T3X4\nPB\nN\n"},
        {QUIPU__OTF_EVENTS, "K1Y5V7\nKEY 1 TYPE 5 VALUE 9\nKX1\n", "K1Y5V7\nK1Y5V9\n?KX1\n"},
        {QUIPU__OTF_EVENTS, "\x80\xff\xfe\n", "?\x80\xff\xfe\n"},
        {QUIPU__OTF_DEFINITIONS, "DP1N\"x\"P2\nDF1G2N\"f\"S3\nDCO1N\"c\"T2\nDS1F2L3\nDPG1M1,2,N\"g\"\n",
         "DP1NM\"x\"PT2\nDF1G2NM\"f\"X3\nDCO1NM\"c\"Y2\nDS1F2LN3\nDPG1M1,2,NM\"g\"\n"},
        {QUIPU__OTF_DEFINITIONS, "DCNT1G2NM\"c\"P3G4U\"u\"\nDCNT1G2NM\"c\"P3U\"u\"\n",
         "DCNT1G4NM\"c\"P3U\"u\"\nDCNT1G2NM\"c\"P3U\"u\"\n"},
        {QUIPU__OTF_DEFINITIONS,
         "DPROCESS 1 NAME \"x\" PARENT 2\nDEFP1NM\"x\"PT2\n DP1NM\"x\"\n\tDEFPROCESS 1\n",
         "DP1NM\"x\"PT2\nDP1NM\"x\"PT2\nDP1NM\"x\"\n?EFPROCESS 1\n"},
        {QUIPU__OTF_DEFINITIONS, "DP2NM\"x\"\nDP3PT1\nDP4NM\"x\"junk\nDEFPROCESS 1 PARENT 2\n",
         "DP2NM\"x\"\nDP3PT1\nDP4NM\"x\"\nDP1PT2\n"},
        {QUIPU__OTF_DEFINITIONS, "DZZ1\nXYZ\n#hello\n5\n*1\n", "?ZZ1\n?XYZ\n?#hello\n@5\n*1\n"},
        {QUIPU__OTF_DEFINITIONS, "DP1NM\"x\nDP2NM\"y\"\nDCR\"a\\\"b\\n\"\n", "DP1NM\"x DP2NM\"\nDCR\"a\\\"\n"},
        {QUIPU__OTF_DEFINITIONS, "DCRabc\nDCMT\"x\"\nDCR\n", "DCR\"\"\nDCMT\"x\"\nDCR\"\"\n"},
        {QUIPU__OTF_DEFINITIONS,
         "DPG1M1,2NM\"g\"\nDPG1M 1 , 2 ,NM\"g\"\nDEFPROCESSGROUP 1 MEMBERS 1 , 2 , NAME \"g\"\n",
         "!2NM\"g\"\nDPG1M1,2,NM\"g\"\nDPG1M1,2,NM\"g\"\n"},
        {QUIPU__OTF_DEFINITIONS,
         "DPG1MNM\"g\"\nDEFPROCESSGROUP 1 MEMBERS NAME \"g\"\nDEFPROCESSGROUP 1 MEMBERSNAME \"g\"\nDPG1M "
         "NM\"g\"\n",
         "DPG1MNM\"g\"\nDPG1MNM\"g\"\nDPG1MNM\"g\"\n!NM\"g\"\n"},
        {QUIPU__OTF_DEFINITIONS, "DCA1M\nDA1M\nDPS1M\nDFG1\n", "DCA1M\nDA1M\nDPS1M\n!\n"},
        {QUIPU__OTF_DEFINITIONS, "DP\nDPNM\"x\"\nDTR\nDTRffffffffffffffffff\nDTRG1T2\nDTRGT\n",
         "DP0\n?PNM\"x\"\nDTR0\nDTRffffffffffffffff\nDTRG1T2\n?TRGT\n"},
        {QUIPU__OTF_DEFINITIONS, "DV1.2\nDV101.1ff.5\"x\"\n", "!\nDV1.ff.5\"x\"\n"},
        {QUIPU__OTF_DEFINITIONS,
         "K1Y5Vffffffff\nK1YcVff\nK1YbV010203\nK1YbVAB\nK1Y0V4\nK1Y0V414243\nK1Y1V1ff\n",
         "K1Y5Vffffffff\n!Vff\nK1YbV010203L3\n!VAB\nK1Y0V4\nK1Y0V41\nK1Y1Vff\n"},
        {QUIPU__OTF_DEFINITIONS, "DP1NM\"x\"\r\nDTRf4240\r\nDF1G2NM\"f\"junk\n",
         "DP1NM\"x\"\nDTRf4240\n!junk\n"},
        {QUIPU__OTF_SNAPSHOTS, "TS2O1G1T1\nTS2O1G1T1L5X6\nTSEND 1 OTIME 1 GROUP 1 TAG 1 SCL 4\n TE1O1\n",
         "TS2O1G1T1L0\nTS2O1G1T1L5X6\nTS1O1G1T1L0X4\n?TE1O1\n"},
        {QUIPU__OTF_STATISTICS, "SF1C2E3I4\nSM1C2A3NS1NR2S3R4\nSUMF1N2E3I4\nSZ\nSUMCOMMENT \"c\"\n",
         "SF1N2E3I4\nSM1C2T3NS1NR2S3R4\nSF1N2E3I4\n?Z\nSC\"c\"\n"},
        {QUIPU__OTF_MARKERS, "MARKERDEF 1 NAME \"a\" TYPE 1\nMDEF1NM\"a\"Y1\nMS1T5P1V\"t\"\nMX\nfoo\nMS1T5P1\n",
         "MD1NM\"a\"Y1\nMD1NM\"a\"Y1\nMS1T5P1V\"t\"\n?X\n@f\n!\n"},
        {QUIPU__OTF_MARKERS, "MD1\"x\"Y2\nMS1T5P2\"t\"\nMS1 5P2V\"t\"\n",
         "MD1NM\"x\"Y0\nMS1T5P2V\"t\"\n!P2V\"t\"\n"},
    };
    (void)state;
    start();
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        assert_string_equal(reading_of(spellings[i].file, spellings[i].text, false), spellings[i].reading);
    stop();
}

static void test_lines_long_form_is_spelled_as_in_the_specification(void **state) {
    (void)state;
    start();
    assert_string_equal(
        reading_of(QUIPU__OTF_DEFINITIONS,
                   "DV1.c.5\"salmon\"\nDP1NM\"Process 1\"PT2\nDPG2001M1,2,NM\"MPI_COMM_WORLD\"\n", true),
        "DEFVERSION 1.c.5\"salmon\"\nDEFPROCESS 1 NAME \"Process 1\" PARENT 2\n"
        "DEFPROCESSGROUP 2001 MEMBERS 1,2, NAME \"MPI_COMM_WORLD\"\n");
    assert_string_equal(reading_of(QUIPU__OTF_EVENTS, "E5X21\nS2L400T7C2001\nN\nL\nPB\nTE1O2fd\nL0X9\n", true),
                        "ENTER 5 SCL 21\nSEND 2 LEN 400 TAG 7 COMM 2001\nNOOP \nLEAVE \nPROCESSBEGIN \n"
                        "TENTER 1 OTIME 2fd\nLEAVE 0 SCL 9\n");
    assert_string_equal(reading_of(QUIPU__OTF_STATISTICS, "SF1NaEc8Ibb8\n", true),
                        "SUMFUNCTION 1 COUNT a EXCL c8 INCL bb8\n");
    assert_string_equal(reading_of(QUIPU__OTF_MARKERS, "MS1T40P1V\"text\"\n", true),
                        "MARKERSPOT 1 TIME 40 PROCESS 1 VALUE \"text\"\n");
    assert_string_equal(reading_of(QUIPU__OTF_EVENTS, "K1YbV0102L2\n", true), "KEY 1 TYPE b VALUE 0102LEN2\n");
    stop();
}

/* ---- State lines ---- */

static void test_lines_state_follows_the_writer_of_the_library(void **state) {
    (void)state;
    struct quipu__buffer out;
    struct quipu__keyed_state clock = QUIPU__OTF_NOTHING_WRITTEN;
    start();
    quipu__buffer_init(&out, &memory, 0);
    quipu__otf_encode_trailer(&out, &clock);
    assert_int_equal(out.len, 0);
    assert_true(quipu__otf_encode_state(&out, &clock, 0, 1));
    assert_true(quipu__otf_encode_state(&out, &clock, 0, 1));
    assert_true(quipu__otf_encode_state(&out, &clock, 5, 1));
    assert_true(quipu__otf_encode_state(&out, &clock, 5, 1));
    assert_true(quipu__otf_encode_state(&out, &clock, 5, 2));
    assert_true(quipu__otf_encode_state(&out, &clock, 0x1f, 2));
    assert_false(quipu__otf_encode_state(&out, &clock, 0x1e, 2));
    assert_true(quipu__otf_encode_state(&out, &clock, 0, 2));
    quipu__otf_encode_trailer(&out, &clock);
    quipu__put_u8(&out, '\0');
    assert_string_equal((const char *)out.data, "0\n*1\n0\n*1\n5\n*1\n*2\n1f\n*2\n0\n*2\n0\n*2\n");
    quipu__buffer_release(&out);
    stop();
}

/* ---- The master control file ---- */

static void test_lines_master_lines_are_read_leniently(void **state) {
    (void)state;
    static const char text[] = "1:1,2,a\n # comment\n\n2 : 3 , 4 junk\r\n5:\n6:1,\nA:1\ni2:1:ff\ni2:3:ff\ni2\n";
    static const char *const readings[] = {"1:1,2,a\n", "", "",          "2:3,4\n", "5:0\n",
                                           "6:1,0\n",   "", "i2:1:ff\n", "!",       "!"};
    union quipu__otf_any data;
    struct quipu__buffer out;
    start();
    quipu__buffer_init(&out, &memory, 0);
    struct quipu__keyed_lines lines = lines_of(QUIPU__OTF_MASTER, text, strlen(text));
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        out.len = 0;
        switch (quipu__otf_parse_master(&lines, &scratch, &data)) {
        case QUIPU__OTF_MASTER_STREAM:
            quipu__otf_encode(&out, QUIPU__OTF_MasterStream, &data, true);
            break;
        case QUIPU__OTF_MASTER_SERVERS:
            quipu__otf_encode(&out, QUIPU__OTF_MasterServers, &data, true);
            break;
        case QUIPU__OTF_MASTER_MALFORMED:
            quipu__put_u8(&out, '!');
            break;
        default:
            break;
        }
        quipu__put_u8(&out, '\0');
        assert_string_equal((const char *)out.data, readings[i]);
    }
    assert_ptr_equal(lines.p, lines.end);
    quipu__buffer_release(&out);
    stop();
}

QUIPU_TESTS(cmocka_unit_test(test_lines_every_record_reads_back_in_both_forms),
            cmocka_unit_test(test_lines_of_numbers_are_spelled_alike_by_both_encoders),
            cmocka_unit_test(test_lines_schema_has_all_types),
            cmocka_unit_test(test_lines_odd_spellings_read_as_in_the_library),
            cmocka_unit_test(test_lines_long_form_is_spelled_as_in_the_specification),
            cmocka_unit_test(test_lines_state_follows_the_writer_of_the_library),
            cmocka_unit_test(test_lines_master_lines_are_read_leniently))

/* lines.c: what schema/keyed_text.h leaves to OTF: when state lines are written, and the lines of the master control file. */
#include "formats/otf/lines.h"

#include <string.h>

/* ---- State lines ---- */

static void put_process(struct quipu__buffer *out, uint32_t process) {
    quipu__put_u8(out, QUIPU__OTF_PROCESS_MARK);
    quipu__put_hex(out, process);
    quipu__put_u8(out, '\n');
}

void quipu__otf_encode_both_states(struct quipu__buffer *out, struct quipu__keyed_state *written, uint64_t time,
                                   uint32_t process) {
    written->time = time;
    written->process = process;
    quipu__put_hex(out, time);
    quipu__put_u8(out, '\n');
    put_process(out, process);
}

bool quipu__otf_encode_state(struct quipu__buffer *out, struct quipu__keyed_state *written, uint64_t time,
                             uint32_t process) {
    if (time != 0 && time < written->time)
        return false;
    if (time == 0 || time > written->time) {
        quipu__otf_encode_both_states(out, written, time, process);
    } else if (process != written->process) {
        written->process = process;
        put_process(out, process);
    }
    return true;
}

void quipu__otf_encode_trailer(struct quipu__buffer *out, const struct quipu__keyed_state *written) {
    struct quipu__keyed_state last = *written;
    if (written->process != QUIPU__KEYED_NO_PROCESS)
        quipu__otf_encode_both_states(out, &last, written->time, written->process);
}

/* ---- Lines ---- */

static void put_unknown(struct quipu__buffer *out, const struct quipu__otf_UnknownRecord *unknown) {
    quipu__put(out, unknown->text, quipu_sized_count(unknown->text));
    quipu__put_u8(out, '\n');
}

/* The lines of the master file have no comma behind their last number. */
static void put_master_stream(struct quipu__buffer *out, const struct quipu__otf_MasterStream *stream) {
    const uint8_t mark = (uint8_t)quipu__otf_schema.types[QUIPU__OTF_MasterStream]
                             .fields[QUIPU__OTF_MasterStream_processes]
                             .key[0];
    quipu__put_hex(out, stream->stream);
    for (uint32_t i = 0; i < quipu_sized_count(stream->processes); i++) {
        quipu__put_u8(out, i ? ',' : mark);
        quipu__put_hex(out, stream->processes[i]);
    }
    quipu__put_u8(out, '\n');
}

void quipu__otf_encode(struct quipu__buffer *out, enum quipu__otf_type type, const void *data, bool long_form) {
    if (type == QUIPU__OTF_UnknownRecord)
        put_unknown(out, data);
    else if (type == QUIPU__OTF_MasterStream)
        put_master_stream(out, data);
    else
        quipu__keyed_encode(out, &quipu__otf_schema.types[type], data, long_form);
}

/* ---- The master control file ---- */

/* The mark before a field of a type. */
static bool take_mark_of(struct quipu__keyed_lines *lines, enum quipu__otf_type type, uint32_t field) {
    return quipu__keyed_take_mark(lines, quipu__otf_schema.types[type].fields[field].key[0]);
}

/* "i servers : mode : bits", after the i. */
static enum quipu__otf_master_line parse_servers(struct quipu__keyed_lines *lines,
                                                 struct quipu__otf_MasterServers *servers) {
    memset(servers, 0, sizeof *servers);
    servers->servers = (uint32_t)quipu__keyed_take_number(lines);
    const bool has_mode = take_mark_of(lines, QUIPU__OTF_MasterServers, QUIPU__OTF_MasterServers_mode);
    if (has_mode)
        servers->mode = (uint32_t)quipu__keyed_take_number(lines);
    const bool has_bits =
        has_mode && take_mark_of(lines, QUIPU__OTF_MasterServers, QUIPU__OTF_MasterServers_streamBits);
    if (has_bits)
        servers->streamBits = (uint32_t)quipu__keyed_take_number(lines);
    const bool is_good = has_bits && (servers->mode == 1 || servers->mode == 2);
    return is_good ? QUIPU__OTF_MASTER_SERVERS : QUIPU__OTF_MASTER_MALFORMED;
}

/* "stream : process , process"; a missing process between the marks is process 0. */
static enum quipu__otf_master_line parse_mapping(struct quipu__keyed_lines *lines,
                                                 struct quipu__scratch *scratch,
                                                 struct quipu__otf_MasterStream *mapping) {
    uint32_t room = 1, count = 0;
    mapping->stream = (uint32_t)quipu__keyed_take_number(lines);
    if (!take_mark_of(lines, QUIPU__OTF_MasterStream, QUIPU__OTF_MasterStream_processes))
        return QUIPU__OTF_MASTER_OTHER;
    for (const uint8_t *p = lines->p; quipu__keyed_is_in_list(*p); p++)
        room += *p == ',';
    uint32_t *processes = quipu__scratch_sized(scratch, room, sizeof *processes);
    if (!processes)
        return QUIPU__OTF_MASTER_NO_ROOM;
    do {
        processes[count++] = (uint32_t)quipu__keyed_take_number(lines);
    } while (quipu__keyed_take_mark(lines, ',') && count < room);
    ((struct quipu_sized *)(void *)processes)[-1].count = count;
    mapping->processes = processes;
    return QUIPU__OTF_MASTER_STREAM;
}

enum quipu__otf_master_line quipu__otf_parse_master(struct quipu__keyed_lines *lines,
                                                    struct quipu__scratch *scratch,
                                                    union quipu__otf_any *data) {
    const bool is_servers =
        quipu__keyed_take_mark(lines, quipu__otf_schema.types[QUIPU__OTF_MasterServers].key[0]);
    const enum quipu__otf_master_line line = is_servers ? parse_servers(lines, &data->MasterServers)
                                                        : parse_mapping(lines, scratch, &data->MasterStream);
    quipu__keyed_skip_line(lines);
    return line;
}

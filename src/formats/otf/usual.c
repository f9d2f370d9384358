/* usual.c: lines that are as most are, straight from the window into the columns.
 *
 * Nearly all lines of an event file are time lines, process lines and seven kinds of records without optional parts. And
 * nearly all of these come in threes: a time with as many digits as the one before, the same process again, a function that
 * is entered or left. read_calls takes the threes; usual_lines takes the others of the usual lines one at a time, and sets
 * up what the next threes have to look like. Everything else is left to the caller.
 */
#include "formats/otf/format.h"

#include "formats/otf/pair.h"

/* The longest usual line: COPB, six numbers of 16 digits and their keywords, and what reading a number looks at. */
#define LINE_MOST (4 + 6 * 16 + 7 + QUIPU__OTF_HEX_BYTES)

/* With a time line and a process line before it. */
#define LINES_MOST (17 + 18 + LINE_MOST)

enum line { LINE_OTHER, LINE_TIME, LINE_PROCESS, LINE_REGION, LINE_SEND, LINE_RECV, LINE_COUNTER };
static const uint8_t line_of[256] = {
    ['0'] = LINE_TIME, ['1'] = LINE_TIME,    ['2'] = LINE_TIME,   ['3'] = LINE_TIME,   ['4'] = LINE_TIME,
    ['5'] = LINE_TIME, ['6'] = LINE_TIME,    ['7'] = LINE_TIME,   ['8'] = LINE_TIME,   ['9'] = LINE_TIME,
    ['a'] = LINE_TIME, ['b'] = LINE_TIME,    ['c'] = LINE_TIME,   ['d'] = LINE_TIME,   ['e'] = LINE_TIME,
    ['f'] = LINE_TIME, ['*'] = LINE_PROCESS, ['E'] = LINE_REGION, ['L'] = LINE_REGION, ['S'] = LINE_SEND,
    ['R'] = LINE_RECV, ['C'] = LINE_COUNTER};

/* What a time line was like: of the next one all but the last eight digits will be the same. */
struct time_line {
    unsigned len;                 /* digits; 0: there was none yet */
    unsigned last;                /* where the last eight begin, or all if there are fewer */
    unsigned shift;               /* that moves them to the end of a word */
    uint64_t before, before_mask; /* the digits before them */
    uint64_t value;               /* of those */
};

struct usual {
    struct quipu__otf_pass *pass;
    struct quipu_batch *batch;
    const uint8_t *p, *limit; /* the line at hand, and where it is too close to the end of the window */
    uint64_t offset;          /* of p = NULL: the place of a line is offset + p */
    int64_t time;
    uint32_t location;
    uint32_t process;
    quipu_kinds kinds;        /* that are wanted */
    uint64_t lines, records;  /* that were read */
    uint64_t star, star_mask; /* the last process line, when it fits into a word */
    unsigned star_len;
    struct time_line time_line;
};

/* The number of a token that was met before; QUIPU_NONE for others, for values that are no token and for 0, which stands for
 * nothing unless it is defined. */
QUIPU__INLINE uint32_t known_number(const struct quipu__otf_pass *pass, enum quipu__otf_class class_of,
                                    uint64_t token) {
    if (QUIPU__UNLIKELY(token > UINT32_MAX))
        return QUIPU_NONE;
    const uint32_t number = quipu__otf_defined(pass->own, class_of, (uint32_t)token);
    if (QUIPU__LIKELY(number != QUIPU_NONE) || token == 0)
        return number;
    return quipu__tokens_get(&pass->late[class_of], token);
}

/* A number that the text end follows: its length with that text, 0 when it is none. */
QUIPU__INLINE unsigned read_until(const uint8_t *p, const char *end, unsigned end_len, uint64_t *out) {
    const unsigned count = quipu__otf_read_hex_until(p, end[0] == ' ', out);
    return QUIPU__LIKELY(count && memcmp(p + count, end, end_len) == 0) ? count + end_len : 0;
}
#define READ_UNTIL(p, end, out) read_until(p, end, sizeof end - 1, out)

static struct time_line time_line_of(const uint8_t *p, unsigned len, uint64_t time) {
    const unsigned more = len > 8 ? len - 8 : 0;
    const uint64_t mask = more == 0 ? 0 : UINT64_MAX >> (64 - 8 * more);
    return (struct time_line){.len = len,
                              .last = more,
                              .shift = len < 8 ? 64 - 8 * len : 0,
                              .before = quipu__load_le64(p) & mask,
                              .before_mask = mask,
                              .value = more ? time >> 32 << 32 : 0};
}

QUIPU__INLINE bool usual_time(struct usual *u) {
    uint64_t time;
    const unsigned len = READ_UNTIL(u->p, "\n", &time);
    if (QUIPU__UNLIKELY(!len || time > INT64_MAX || (int64_t)time < u->time ||
                        (int64_t)time >= u->pass->next_due))
        return false;
    u->time = (int64_t)time;
    u->time_line = time_line_of(u->p, len - 1, time);
    u->p += len;
    u->lines++;
    return true;
}

/* Most process lines repeat the one before: that is seen without reading the number. */
QUIPU__INLINE bool usual_process(struct usual *u) {
    uint64_t process;
    const uint64_t word = quipu__load_le64(u->p);
    if (QUIPU__LIKELY((word & u->star_mask) == u->star)) {
        u->p += u->star_len;
        u->lines++;
        return true;
    }
    const unsigned len = READ_UNTIL(u->p + 1, "\n", &process);
    const uint32_t location = len && process < QUIPU__OTF_NO_PROCESS
                                  ? quipu__tokens_get(&u->pass->late[QUIPU__OTF_CLASS_process], process)
                                  : QUIPU_NONE;
    if (location == QUIPU_NONE)
        return false;
    u->location = location;
    u->process = (uint32_t)process;
    u->star_len = len + 1;
    u->star_mask = len + 1 < 8 ? ((uint64_t)1 << 8 * (len + 1)) - 1 : UINT64_MAX;
    u->star = len + 1 <= 8 ? word & u->star_mask : 0; /* no line begins with a NUL */
    u->p += u->star_len;
    u->lines++;
    return true;
}

/* Adds the event of a record. One that is not wanted gets its columns too, but they are left to the next one. */
QUIPU__INLINE uint32_t usual_event(struct usual *u, enum quipu_kind kind, enum quipu__otf_type type) {
    u->pass->records_of[type]++;
    u->records++;
    u->lines++;
    const uint32_t event = quipu__batch_add(u->batch, u->time, kind, u->location, u->offset + (uintptr_t)u->p);
    u->batch->count = event + (uint32_t)(u->kinds >> kind & 1);
    return event;
}

/* E<function> and L<function>, or the same behind the long keywords. Which of the two it is depends on the program, so
 * it is computed rather than asked: a wrong guess of the processor would cost more than all the rest. */
QUIPU__INLINE bool usual_region(struct usual *u, unsigned key_len) {
    uint64_t function;
    const bool enters = *u->p == 'E';
    const enum quipu_kind kind = enters ? QUIPU_KIND_enter : QUIPU_KIND_leave;
    const enum quipu__otf_type type = enters ? QUIPU__OTF_Enter : QUIPU__OTF_Leave;
    const unsigned len = READ_UNTIL(u->p + key_len, "\n", &function);
    const uint32_t region = len ? known_number(u->pass, QUIPU__OTF_CLASS_function, function) : QUIPU_NONE;
    if (QUIPU__UNLIKELY(region == QUIPU_NONE))
        return false;
    u->batch->object[usual_event(u, kind, type)] = region;
    u->p += key_len + len;
    return true;
}

/* Leaves whatever was entered last. */
QUIPU__INLINE bool usual_leave(struct usual *u, unsigned key_len) {
    if (*u->p != 'L')
        return false;
    u->batch->object[usual_event(u, QUIPU_KIND_leave, QUIPU__OTF_Leave)] = QUIPU_NONE;
    u->p += key_len + 1;
    return true;
}

/* Numbers, each with the text that ends it. Returns their length, 0 when it is not so. */
static unsigned read_numbers(const uint8_t *p, const char *const *ends, unsigned count, uint64_t *numbers) {
    const uint8_t *at = p;
    for (unsigned i = 0; i < count; i++) {
        const unsigned len = read_until(at, ends[i], (unsigned)strlen(ends[i]), &numbers[i]);
        if (!len)
            return 0;
        at += len;
    }
    return (unsigned)(at - p);
}

/* The digits at *p, at most eight, as a bare word (pair.h); goes behind the byte that must end them. Without digits that
 * byte is what the word begins with, and makes it no number. */
QUIPU__INLINE uint64_t take_digits(const uint8_t **p, uint8_t end, unsigned *wrong) {
    const uint64_t word = quipu__load_le64(*p);
    const unsigned count = quipu__otf_count_digits(word);
    *wrong |= (*p)[count] ^ end;
    *p += count + 1;
    return quipu__otf_bare_digits(word) << ((64 - 8 * count) & 63);
}

enum { PEER, BYTES, TAG, COMMUNICATOR, MESSAGE_NUMBERS };

/* <peer>L<length>T<tag>C<communicator> of at most eight digits each: half the instructions of read_numbers. */
QUIPU__INLINE unsigned read_short_message(const uint8_t *p, uint64_t numbers[MESSAGE_NUMBERS]) {
    const uint8_t *at = p;
    unsigned wrong = 0;
    bool first_valid, second_valid;
    const uint64_t peer = take_digits(&at, 'L', &wrong), length = take_digits(&at, 'T', &wrong);
    const uint64_t tag = take_digits(&at, 'C', &wrong), communicator = take_digits(&at, '\n', &wrong);
    const uint64_t first = quipu__otf_pack_pair(peer, length, &first_valid);
    const uint64_t second = quipu__otf_pack_pair(tag, communicator, &second_valid);
    numbers[PEER] = first >> 32;
    numbers[BYTES] = first & UINT32_MAX;
    numbers[TAG] = second >> 32;
    numbers[COMMUNICATOR] = second & UINT32_MAX;
    return first_valid && second_valid && !wrong ? (unsigned)(at - p) : 0;
}

/* <peer> L <length> T <tag> C <communicator>, behind a keyword of that length. */
QUIPU__INLINE bool usual_message(struct usual *u, unsigned key_len, bool long_form, enum quipu_kind kind,
                                 enum quipu__otf_type type) {
    static const char *const ends[][MESSAGE_NUMBERS] = {{"L", "T", "C", "\n"},
                                                        {" LEN ", " TAG ", " COMM ", "\n"}};
    uint64_t numbers[MESSAGE_NUMBERS];
    unsigned len = long_form ? 0 : read_short_message(u->p + key_len, numbers);
    if (QUIPU__UNLIKELY(!len))
        len = read_numbers(u->p + key_len, ends[long_form], MESSAGE_NUMBERS, numbers);
    if (QUIPU__UNLIKELY(!len || (numbers[BYTES] | numbers[TAG]) > UINT32_MAX))
        return false;
    const uint32_t peer = known_number(u->pass, QUIPU__OTF_CLASS_process, numbers[PEER]);
    const uint32_t group = known_number(u->pass, QUIPU__OTF_CLASS_process_group, numbers[COMMUNICATOR]);
    if (QUIPU__UNLIKELY(peer == QUIPU_NONE || group == QUIPU_NONE))
        return false;
    const uint32_t event = usual_event(u, kind, type);
    u->batch->peer[event] = peer;
    u->batch->group[event] = group;
    u->batch->tag[event] = (int64_t)numbers[TAG];
    u->batch->bytes[event] = numbers[BYTES];
    u->batch->id[event] = QUIPU_UNKNOWN;
    u->p += key_len + len;
    return true;
}

/* CNT<counter>V<value> */
QUIPU__INLINE bool usual_counter(struct usual *u, unsigned key_len, bool long_form) {
    uint64_t counter, value;
    const uint8_t *p = u->p + key_len;
    const unsigned counter_len = long_form ? READ_UNTIL(p, " VALUE ", &counter) : READ_UNTIL(p, "V", &counter);
    const unsigned value_len = counter_len ? READ_UNTIL(p + counter_len, "\n", &value) : 0;
    const uint32_t metric = value_len ? known_number(u->pass, QUIPU__OTF_CLASS_counter, counter) : QUIPU_NONE;
    if (QUIPU__UNLIKELY(metric == QUIPU_NONE))
        return false;
    const uint32_t event = usual_event(u, QUIPU_KIND_metric, QUIPU__OTF_Counter);
    u->batch->object[event] = metric;
    u->batch->value[event] = quipu__otf_metric_value(u->pass->own, metric, value);
    u->p = p + counter_len + value_len;
    return true;
}

/* True when the line begins so; the length is that of the keyword with its blank. */
#define STARTS(u, key) (memcmp((u)->p, key, sizeof key - 1) == 0)
#define LENGTH(key) (sizeof key - 1)

/* COPB<operation>H<number>C<communicator>RT<root>S<sent>R<received> */
static bool usual_collective_begin(struct usual *u) {
    enum { OPERATION, ID, GROUP, ROOT, SENT, RECEIVED, NUMBERS };
    static const char *const ends[NUMBERS] = {"H", "C", "RT", "S", "R", "\n"};
    uint64_t numbers[NUMBERS];
    struct quipu_batch *batch = u->batch;
    const uint32_t event = batch->count;
    const unsigned len = read_numbers(u->p + LENGTH("COPB"), ends, NUMBERS, numbers);
    if (!len || numbers[OPERATION] > UINT32_MAX)
        return false;
    batch->location[event] = u->location;
    batch->object[event] = quipu__tokens_get(&u->pass->late[QUIPU__OTF_CLASS_collop], numbers[OPERATION]);
    batch->group[event] = known_number(u->pass, QUIPU__OTF_CLASS_process_group, numbers[GROUP]);
    batch->peer[event] = known_number(u->pass, QUIPU__OTF_CLASS_process, numbers[ROOT]);
    batch->id[event] = numbers[ID];
    batch->bytes[event] = numbers[SENT];
    batch->value[event] = numbers[RECEIVED];
    const bool has_root = batch->peer[event] != QUIPU_NONE || numbers[ROOT] == 0;
    if (batch->object[event] == QUIPU_NONE || batch->group[event] == QUIPU_NONE || !has_root ||
        !quipu__otf_begin_collective(u->pass, batch, event))
        return false;
    usual_event(u, QUIPU_KIND_collective_begin, QUIPU__OTF_BeginCollectiveOperation);
    u->p += LENGTH("COPB") + len;
    return true;
}

/* COPE<number> */
static bool usual_collective_end(struct usual *u) {
    struct quipu_batch *batch = u->batch;
    const uint32_t event = batch->count;
    const unsigned len = READ_UNTIL(u->p + LENGTH("COPE"), "\n", &batch->id[event]);
    batch->location[event] = u->location;
    if (!len || !quipu__otf_end_collective(u->pass, batch, event))
        return false;
    usual_event(u, QUIPU_KIND_collective_end, QUIPU__OTF_EndCollectiveOperation);
    u->p += LENGTH("COPE") + len;
    return true;
}

QUIPU__INLINE bool usual_record(struct usual *u) {
    const bool long_form = u->p[1] >= 'A' && u->p[1] <= 'Z';
    switch ((enum line)line_of[*u->p]) {
    case LINE_REGION:
        if (QUIPU__UNLIKELY(long_form)) {
            const unsigned key_len = LENGTH("ENTER ");
            if (!STARTS(u, "ENTER ") && !STARTS(u, "LEAVE "))
                return false;
            return u->p[key_len] == '\n' ? usual_leave(u, key_len) : usual_region(u, key_len);
        }
        return u->p[1] == '\n' ? usual_leave(u, 1) : usual_region(u, 1);
    case LINE_SEND:
        if (QUIPU__LIKELY(!long_form))
            return usual_message(u, 1, false, QUIPU_KIND_send, QUIPU__OTF_SendMsg);
        return STARTS(u, "SEND ") &&
               usual_message(u, LENGTH("SEND "), true, QUIPU_KIND_send, QUIPU__OTF_SendMsg);
    case LINE_RECV:
        if (QUIPU__LIKELY(!long_form))
            return usual_message(u, 1, false, QUIPU_KIND_recv, QUIPU__OTF_RecvMsg);
        return STARTS(u, "RECEIVE ") &&
               usual_message(u, LENGTH("RECEIVE "), true, QUIPU_KIND_recv, QUIPU__OTF_RecvMsg);
    case LINE_COUNTER:
        if (STARTS(u, "CNT"))
            return usual_counter(u, LENGTH("CNT"), false);
        if (STARTS(u, "COPB"))
            return usual_collective_begin(u);
        if (STARTS(u, "COPE"))
            return usual_collective_end(u);
        return STARTS(u, "COUNTER ") && usual_counter(u, LENGTH("COUNTER "), true);
    case LINE_TIME:
    case LINE_PROCESS:
    case LINE_OTHER:
        break;
    }
    return false;
}

/* A time line, a process line and a record, or what there is of them. False when the next line is of another sort. */
QUIPU__INLINE bool usual_lines(struct usual *u) {
    if (line_of[*u->p] == LINE_TIME && !usual_time(u))
        return false;
    if (*u->p == '*' && !usual_process(u))
        return false;
    return line_of[*u->p] == LINE_TIME || usual_record(u);
}

/* ---- Threes ---- */

/* Time, process as before, enter or leave; see pair.h for the numbers. The place of each line follows from the lengths
 * that are expected, so that nothing waits for the reading of a number: 120 instructions, where usual_lines takes more than
 * twice as many. */
static void read_calls(struct usual *u) {
    const struct quipu__tokens *const functions = &u->pass->own->classes[QUIPU__OTF_CLASS_function].tokens;
    const struct time_line line = u->time_line;
    const uint64_t star = u->star, star_mask = u->star_mask;
    const uint32_t location = u->location, most = u->batch->capacity;
    const int64_t next_due = u->pass->next_due;
    const bool wants_enter = (u->kinds >> QUIPU_KIND_enter & 1) != 0;
    const bool wants_leave = (u->kinds >> QUIPU_KIND_leave & 1) != 0;
    const struct quipu_batch batch = *u->batch;
    uint32_t count = batch.count;
    uint64_t calls = 0, leaves = 0;
    int64_t now = u->time;
    const uint8_t *p = u->p;
    while (p < u->limit && count < most) {
        const uint8_t *const process = p + line.len + 1, *const record = process + u->star_len;
        const uint64_t word = quipu__load_le64(record);
        const uint64_t function = quipu__otf_bare_digits(word) >> 8;
        const unsigned bits = quipu__trailing_zeros(~(word >> 8) & QUIPU__OTF_EACH(0x20)) & 56;
        const bool leaves_it = *record == 'L';
        if ((p[line.len] ^ '\n') | ((quipu__load_le64(p) & line.before_mask) ^ line.before) |
            ((quipu__load_le64(process) & star_mask) ^ star) | (record[1 + bits / 8] ^ '\n'))
            break;
        if (!leaves_it & (*record != 'E'))
            break;
        bool valid;
        const uint64_t pair =
            quipu__otf_pack_pair(quipu__otf_bare_digits(quipu__load_le64(p + line.last)) << line.shift,
                                 function << ((64 - bits) & 63), &valid);
        const int64_t time = (int64_t)(line.value | pair >> 32);
        const uint32_t token = (uint32_t)pair;
        if (!valid || time < now || time >= next_due || token >= functions->table_size)
            break;
        const uint32_t region = functions->table[token];
        if (region == QUIPU_NONE)
            break;
        batch.time[count] = time;
        batch.kind[count] = leaves_it ? QUIPU_KIND_leave : QUIPU_KIND_enter;
        batch.location[count] = location;
        batch.byte_offset[count] = u->offset + (uintptr_t)record;
        batch.object[count] = region;
        count += leaves_it ? wants_leave : wants_enter;
        leaves += leaves_it;
        calls++;
        now = time;
        p = record + 2 + bits / 8;
    }
    u->pass->records_of[QUIPU__OTF_Enter] += calls - leaves;
    u->pass->records_of[QUIPU__OTF_Leave] += leaves;
    u->batch->count = count;
    u->records += calls;
    u->lines += 3 * calls;
    u->time = now;
    u->p = p;
}

/* ---- The loop ---- */

void quipu__otf_read_usual(struct quipu__otf_pass *pass, struct quipu__batch *batch) {
    struct quipu__input *input = pass->input;
    if (input->end - input->at < 2 * LINES_MOST && !input->ended)
        (void)quipu__input_more(input, 2 * LINES_MOST, NULL); /* a failure comes again with the next line */
    if (input->end - input->at < LINES_MOST || pass->state.time > INT64_MAX || pass->location == QUIPU_NONE)
        return;
    const uint32_t first = batch->batch.count, most = batch->batch.capacity;
    struct usual u = {.pass = pass,
                      .batch = &batch->batch,
                      .p = input->at,
                      .limit = input->end - LINES_MOST,
                      .offset = input->end_offset - (uintptr_t)input->end,
                      .time = pass->time,
                      .location = pass->location,
                      .process = pass->state.process,
                      .kinds = pass->pass.filter->kinds,
                      .star = 1}; /* no line begins so */
    while (u.p < u.limit && batch->batch.count < most && usual_lines(&u))
        read_calls(&u);
    input->at = u.p;
    pass->line += u.lines;
    pass->time = u.time;
    pass->location = u.location;
    pass->state = (struct quipu__otf_state){(uint64_t)u.time, u.process};
    pass->lines.state = pass->state;
    pass->pass.records += u.records;
    pass->index += u.records;
    if (!quipu__filter_is_of_kinds(pass->pass.filter))
        quipu__batch_select(batch, first, pass->pass.filter);
}

/* rank.c: the file of a rank: its threads' calls in the order in which they ended, and the sections behind them. */
#include "record/mpi/collection.h"

#include "core/error.h"
#include "core/os.h"

#include <string.h>

#define FUNCTION_KEYS                                                                                          \
    UINT64_C(0x4d50490000000000) /* keys of calls without a record, behind which are their rows */

/* How long a thread has waited for a processor, as far as it has asked: when its call began, and by now. */
struct delays {
    int64_t at_begin, latest;
    bool is_new;
};

struct rank {
    struct quipu__mpi_collection *all;
    const struct quipu__mpi_program *program;
    struct quipu__mpi_recorded *threads;
    struct quipu__mpi_numbers numbers;
    uint32_t statuses; /* bits of the mask */
    bool is_finalized;
    uint32_t called[QUIPU__DUMPI_SLOTS], ignored[QUIPU__DUMPI_SLOTS];
    uint32_t *thread_ignored; /* by thread and row: what its latest record of counts says */
    struct delays *delays;    /* by thread */
    QUIPU__VEC(struct quipu__dumpi_label) labels;
    bool has_label[QUIPU__MPI_ROWS];
    QUIPU__VEC(char) counters; /* their names, each with its end */
    struct quipu__mpi_modules modules;
    QUIPU__VEC(bool) has_site_label; /* by number of the place */
};

/* A time on the clock of rank 0. */
static int64_t synchronized(const struct quipu__mpi_clock_line *clock, int64_t time) {
    const int64_t span = clock->last_time - clock->first_time;
    const double share = span > 0 ? (double)(time - clock->first_time) / (double)span : 0;
    return time + clock->first_offset + (int64_t)((double)(clock->last_offset - clock->first_offset) * share);
}

static enum quipu_status put(const struct rank *rank, uint32_t type, const struct quipu__dumpi_call *common,
                             const void *data, struct quipu_error *err) {
    const struct quipu_record record = {.type = &quipu__dumpi_types[type], .data = data, .common = common};
    return quipu_writer_put_record(rank->all->writer, &record, err);
}

static struct quipu__dumpi_call common_of(const struct rank *rank, const struct quipu__mpi_recorded *thread,
                                          int64_t start, int64_t stop) {
    const uint32_t clocks = thread->head.clocks;
    const unsigned mask = QUIPU__DUMPI_MASK_THREAD | (rank->statuses & QUIPU__DUMPI_MASK_STATUS) |
                          (clocks & QUIPU__MPI_CPU ? QUIPU__DUMPI_MASK_CPU : 0u) |
                          (clocks & QUIPU__MPI_WALL ? QUIPU__DUMPI_MASK_WALL : 0u);
    return (struct quipu__dumpi_call){.mask = (uint8_t)mask,
                                      .thread = (uint16_t)thread->head.number,
                                      .wall_start = synchronized(&rank->program->clock, start),
                                      .wall_stop = synchronized(&rank->program->clock, stop)};
}

static int64_t load_time(const uint8_t *at) {
    int64_t time;
    memcpy(&time, at, sizeof time);
    return time;
}

static void set_cpu(struct quipu__dumpi_call *common, const struct quipu__mpi_recorded *thread) {
    if (!(thread->head.clocks & QUIPU__MPI_CPU) || thread->begin.count < 8)
        return;
    common->cpu_start = common->cpu_stop = load_time(thread->begin.items);
    if (thread->data && thread->size >= 8)
        common->cpu_stop = load_time(thread->data);
}

static void count_ignored(struct rank *rank, unsigned row, uint32_t count) {
    const uint32_t number = quipu__mpi_calls[row].number;
    if (number >= QUIPU__DUMPI_SLOTS)
        return;
    rank->called[number] += count;
    rank->ignored[number] += count;
}

/* ---- Functions ---- */

static enum quipu_status add_label(struct rank *rank, uint64_t key, const char *name, size_t length,
                                   struct quipu_error *err) {
    struct quipu__dumpi_label *label = QUIPU__VEC_ADD(&rank->all->memory, &rank->labels);
    char *text = quipu__arena_alloc(&rank->all->arena, sizeof(struct quipu_sized) + length + 1);
    if (!label || !text)
        return quipu__no_memory(err, sizeof *label);
    *(struct quipu_sized *)(void *)text = (struct quipu_sized){(uint32_t)length, 0};
    text += sizeof(struct quipu_sized);
    memcpy(text, name, length);
    text[length] = '\0';
    *label = (struct quipu__dumpi_label){key, text};
    return QUIPU_OK;
}

/* ---- Counters ---- */

static bool add_site_label(struct rank *rank, uint32_t number, struct quipu_error *err) {
    const size_t known = rank->has_site_label.count;
    const struct quipu__mpi_site *site = &rank->all->sites.items.items[number];
    if (number >= known) {
        if (!QUIPU__VEC_RESERVE(&rank->all->memory, &rank->has_site_label, number + 1 - known))
            return false;
        rank->has_site_label.count = (size_t)number + 1;
    }
    if (rank->has_site_label.items[number])
        return true;
    rank->has_site_label.items[number] = true;
    return (site->caller == QUIPU_NONE || add_site_label(rank, site->caller, err)) &&
           add_label(rank, QUIPU__DUMPI_CALL_SITE_KEYS | number, site->text, strlen(site->text), err) ==
               QUIPU_OK;
}

static bool has_sites(const struct rank *rank, const struct quipu__mpi_recorded *thread) {
    return rank->all->options->frames && thread->head.call_sites;
}

/* The key of the place where the call was made, behind what was measured when it began. */
static int64_t site_key(struct rank *rank, const struct quipu__mpi_recorded *thread) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    const uint64_t address =
        (uint64_t)load_time(thread->begin.items + quipu__mpi_measured_bytes(&thread->head));
    const uint32_t number = quipu__mpi_site_of(&rank->all->sites, &rank->modules, address);
    rank->numbers.has_failed |= number == QUIPU_NONE || !add_site_label(rank, number, &err);
    return (int64_t)(QUIPU__DUMPI_CALL_SITE_KEYS | number);
}

/* How long the thread had waited for a processor when a call began and when it ended, where that was asked in it; -1: it was not. */
static struct quipu__dumpi_counter take_delay(struct delays *delays) {
    const struct quipu__dumpi_counter counter = {delays->is_new ? delays->at_begin : -1,
                                                 delays->is_new ? delays->latest : -1};
    delays->at_begin = delays->latest;
    delays->is_new = false;
    return counter;
}

/* What a record is of: a call, or of one without a record its beginning, its end, or what it has done. */
enum record_of { OF_CALL, OF_ENTER, OF_LEAVE, OF_INSIDE };

/* Values of counters at the beginning of a call and at its end, behind that which says where the call was made and what it waited for
 * a processor; of what only enters a function, just where. Scratch memory of the converter, whose record is at hand. */
static void set_counters(struct rank *rank, struct quipu__dumpi_call *common,
                         const struct quipu__mpi_recorded *thread, enum record_of of) {
    struct delays none = {0}, *delays = &rank->delays[thread - rank->threads];
    const uint32_t sites = has_sites(rank, thread), own = of == OF_ENTER ? 0 : thread->head.counters,
                   asked = of != OF_ENTER && thread->head.has_delays, count = own + sites + asked;
    const bool has_news = asked && delays->is_new && of != OF_INSIDE;
    const size_t measured = quipu__mpi_measured_bytes(&thread->head),
                 first = measured - (size_t)thread->head.counters * 8;
    rank->all->out->sites_left_out += thread->head.call_sites && !sites && of != OF_LEAVE;
    if (!has_news && (own + sites == 0 || of == OF_LEAVE))
        return;
    if (thread->begin.count < quipu__mpi_begin_bytes(&thread->head))
        return;
    struct quipu__dumpi_counter *counters =
        quipu__scratch_sized(&rank->all->converter.scratch, count, sizeof *counters);
    if (counters && sites)
        counters[0].in = counters[0].out = site_key(rank, thread);
    if (counters && asked)
        counters[sites] = take_delay(has_news ? delays : &none);
    for (uint32_t i = 0; counters && i < own; i++) {
        struct quipu__dumpi_counter *counter = &counters[sites + asked + i];
        counter->in = counter->out = load_time(thread->begin.items + first + (size_t)i * 8);
        if (thread->data && thread->size >= measured)
            counter->out = load_time(thread->data + first + (size_t)i * 8);
    }
    common->counters = counters;
    common->mask |= counters ? QUIPU__DUMPI_MASK_COUNTERS : 0;
}

static enum quipu_status put_function(const struct rank *rank, const struct quipu__mpi_recorded *thread,
                                      bool is_enter, uint64_t key, const struct quipu__dumpi_call *at,
                                      struct quipu_error *err) {
    const struct quipu__dumpi_function_enter function = {key};
    struct quipu__dumpi_call common = common_of(rank, thread, at->wall_start, at->wall_start);
    common.cpu_start = common.cpu_stop = is_enter ? at->cpu_start : at->cpu_stop;
    common.counters = at->counters;
    common.mask |= at->mask;
    return put(rank, is_enter ? QUIPU__DUMPI_TYPE_function_enter : QUIPU__DUMPI_TYPE_function_exit, &common,
               &function, err);
}

/* The label of a call that is a function, once. */
static enum quipu_status add_name(struct rank *rank, uint16_t row, struct quipu_error *err) {
    const char *name = quipu__mpi_calls[row].name;
    if (rank->has_label[row])
        return QUIPU_OK;
    rank->has_label[row] = true;
    return add_label(rank, FUNCTION_KEYS + row, name, strlen(name), err);
}

/* A call that DUMPI has no record for: a function that is entered and left. */
static enum quipu_status put_own(struct rank *rank, const struct quipu__mpi_recorded *thread, bool is_enter,
                                 struct quipu_error *err) {
    const uint16_t row = thread->start.row;
    if (is_enter) {
        rank->all->out->calls++;
        rank->all->out->functions++;
    }
    if (!rank->all->options->has_functions)
        return QUIPU_OK;
    const enum quipu_status status = add_name(rank, row, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__dumpi_call at = {.wall_start = is_enter ? thread->start.time : thread->record.time};
    set_cpu(&at, thread);
    set_counters(rank, &at, thread, is_enter ? OF_ENTER : OF_LEAVE);
    return put_function(rank, thread, is_enter, FUNCTION_KEYS + row, &at, err);
}

/* ---- Calls ---- */

/* Behind MPI_Finalize a reader may take the number of MPI_Send for the end of the file (section 4.1 of DUMPI's format). */
static bool can_stand(const struct rank *rank, uint32_t type) {
    return !rank->is_finalized || type != QUIPU__DUMPI_TYPE_send;
}

/* The record of a call, or the one inside of it: what the converter has made. */
static enum quipu_status put_converted(struct rank *rank, const struct quipu__mpi_recorded *thread,
                                       uint32_t type, enum record_of of, struct quipu_error *err) {
    struct quipu__dumpi_call common = common_of(rank, thread, thread->start.time, thread->record.time);
    rank->called[quipu__dumpi_types[type].id]++;
    set_cpu(&common, thread);
    set_counters(rank, &common, thread, of);
    return put(rank, type, &common, &rank->all->converter.record, err);
}

/* ---- Calls without a record ---- */

static enum quipu_status put_inside(struct rank *rank, const struct quipu__mpi_recorded *thread, uint32_t type,
                                    const void *data, struct quipu_error *err) {
    const struct quipu__dumpi_call common = common_of(rank, thread, thread->start.time, thread->record.time);
    rank->called[quipu__dumpi_types[type].id]++;
    return put(rank, type, &common, data, err);
}

/* What a process sends or receives in a collective call, as a count and a datatype: those of vectors are added up. */
struct amount {
    int32_t count;
    int16_t datatype;
};

static int64_t size_of_type(const struct rank *rank, int16_t datatype) {
    const size_t number = (uint16_t)datatype;
    return number < rank->numbers.sizes.count ? rank->numbers.sizes.items[number] : 1;
}

static const void *member_at(const struct rank *rank, const struct quipu__dumpi_call_row *like,
                             enum quipu__dumpi_use use) {
    const bool has = (like->has >> use & 1) != 0;
    return has ? (const uint8_t *)&rank->all->converter.record + like->offsets[use] : NULL;
}

static void add_up(const struct rank *rank, const int32_t *counts, const int16_t *types,
                   struct amount *amount) {
    int64_t total = 0;
    for (uint32_t i = 0; i < quipu_sized_count(counts); i++)
        if (!types || i < quipu_sized_count(types))
            total += types ? counts[i] * size_of_type(rank, types[i]) : counts[i];
    amount->count = (int32_t)(total < INT32_MAX ? total : INT32_MAX);
    amount->datatype = types ? QUIPU__DUMPI_BYTE : amount->datatype;
}

/* Of a reduction that is scattered it is the block of a member, on average. */
static struct amount amount_of(const struct rank *rank, const struct quipu__dumpi_call_row *like,
                               enum quipu__dumpi_use count, enum quipu__dumpi_use datatype,
                               enum quipu__dumpi_use counts, enum quipu__dumpi_use datatypes) {
    struct amount amount = {0, QUIPU__DUMPI_BYTE};
    const void *at = member_at(rank, like, datatype);
    const int32_t *list = NULL;
    const int16_t *types = NULL;
    if (at)
        memcpy(&amount.datatype, at, sizeof amount.datatype);
    if ((at = member_at(rank, like, count)))
        memcpy(&amount.count, at, sizeof amount.count);
    if ((at = member_at(rank, like, datatypes)))
        memcpy(&types, at, sizeof types);
    if ((at = member_at(rank, like, counts))) {
        memcpy(&list, at, sizeof list);
        add_up(rank, list, types, &amount);
        if (like->received_blocks == QUIPU__DUMPI_BLOCKS_OWN && quipu_sized_count(list) > 0)
            amount.count = amount.count / (int32_t)quipu_sized_count(list) +
                           (amount.count % (int32_t)quipu_sized_count(list) != 0);
    }
    return amount;
}
#define USE(name) QUIPU__DUMPI_USE_##name

/* A collective call: what it is and its arguments are said by MPI_Send_init, which does nothing by itself, so that whoever replays the trace has a
 * request to wait for (formats/dumpi/README.md). */
static enum quipu_status put_later(struct rank *rank, const struct quipu__mpi_recorded *thread, uint32_t later,
                                   struct quipu_error *err) {
    const struct quipu__mpi_plan *plan = &rank->all->converter.plans[thread->start.row];
    const struct quipu__dumpi_call_row *like = &quipu__dumpi_calls[plan->inside];
    const struct amount sent =
        amount_of(rank, like, USE(sendcount), USE(sendtype), USE(sendcounts), USE(sendtypes));
    const struct amount received =
        amount_of(rank, like, USE(recvcount), USE(recvtype), USE(recvcounts), USE(recvtypes));
    const void *comm = member_at(rank, like, USE(comm)), *root = member_at(rank, like, USE(root));
    struct quipu__dumpi_send_init sending = {.count = sent.count,
                                             .datatype = sent.datatype,
                                             .tag = QUIPU__DUMPI_FIRST_LATER_TAG - (int32_t)later,
                                             .request = (int32_t)rank->all->converter.request};
    if (comm)
        memcpy(&sending.comm, comm, sizeof sending.comm);
    if (root)
        memcpy(&sending.dest, root, sizeof sending.dest);
    const struct quipu__dumpi_recv_init receiving = {.count = received.count,
                                                     .datatype = received.datatype,
                                                     .source = sending.dest,
                                                     .tag = sending.tag,
                                                     .comm = sending.comm,
                                                     .request = sending.request};
    const bool differs = received.count != sent.count || received.datatype != sent.datatype;
    enum quipu_status status = QUIPU_OK;
    if (differs)
        status = put_inside(rank, thread, QUIPU__DUMPI_TYPE_recv_init, &receiving, err);
    return status == QUIPU_OK ? put_inside(rank, thread, QUIPU__DUMPI_TYPE_send_init, &sending, err) : status;
}

/* A probe that takes a message posts its receive, which MPI_Mrecv, or whatever waits for the request of MPI_Imrecv, completes. */
static enum quipu_status put_probed(struct rank *rank, const struct quipu__mpi_recorded *thread, uint32_t type,
                                    struct quipu_error *err) {
    const struct quipu__dumpi_probe probe = rank->all->converter.record.probe;
    const struct quipu__dumpi_iprobe iprobe = rank->all->converter.record.iprobe;
    const bool is_blocking = type == QUIPU__DUMPI_TYPE_probe;
    const struct quipu__dumpi_status *found = is_blocking ? probe.status : iprobe.status;
    struct quipu__dumpi_irecv receive = {.datatype = QUIPU__DUMPI_BYTE,
                                         .source = is_blocking ? probe.source : iprobe.source,
                                         .tag = is_blocking ? probe.tag : iprobe.tag,
                                         .comm = is_blocking ? probe.comm : iprobe.comm,
                                         .request = (int32_t)rank->all->converter.request};
    if (found) {
        receive.count = found->bytes;
        receive.source = found->source;
        receive.tag = found->tag;
    }
    if (!is_blocking && iprobe.flag == 0)
        return QUIPU_OK;
    const enum quipu_status status = put_inside(rank, thread, type, &rank->all->converter.record, err);
    return status == QUIPU_OK ? put_inside(rank, thread, QUIPU__DUMPI_TYPE_irecv, &receive, err) : status;
}

/* MPI_Mrecv; MPI_Imrecv is completed by others. */
static enum quipu_status put_received(struct rank *rank, const struct quipu__mpi_recorded *thread,
                                      struct quipu_error *err) {
    rank->all->converter.record.wait.request = (int32_t)rank->all->converter.request;
    const bool is_over = quipu__mpi_calls[thread->start.row].status >= 0;
    return is_over ? put_inside(rank, thread, QUIPU__DUMPI_TYPE_wait, &rank->all->converter.record, err)
                   : QUIPU_OK;
}

static enum quipu_status put_records_inside(struct rank *rank, const struct quipu__mpi_recorded *thread,
                                            struct quipu_error *err) {
    const struct quipu__mpi_plan *plan = &rank->all->converter.plans[thread->start.row];
    if (plan->later < QUIPU__DUMPI_LATER_CALLS)
        return put_later(rank, thread, plan->later, err);
    switch (plan->inside) {
    case QUIPU__DUMPI_TYPE_probe:
    case QUIPU__DUMPI_TYPE_iprobe:
        return put_probed(rank, thread, plan->inside, err);
    case QUIPU__DUMPI_TYPE_wait:
        return put_received(rank, thread, err);
    default:
        return put_converted(rank, thread, plan->inside, OF_INSIDE, err);
    }
}

/* A call without a record ends. What it has done or made, which later calls refer to, is said by records inside. */
static enum quipu_status end_own(struct rank *rank, const struct quipu__mpi_recorded *thread,
                                 struct quipu_error *err) {
    const uint32_t inside = rank->all->converter.plans[thread->start.row].inside;
    const bool has_made = rank->all->options->has_functions && thread->record.record == QUIPU__MPI_END &&
                          quipu__mpi_convert(&rank->all->converter, &rank->numbers, thread);
    const enum quipu_status status =
        has_made && inside != QUIPU_NONE ? put_records_inside(rank, thread, err) : QUIPU_OK;
    return status == QUIPU_OK ? put_own(rank, thread, false, err) : status;
}

static enum quipu_status put_call(struct rank *rank, const struct quipu__mpi_recorded *thread,
                                  struct quipu_error *err) {
    const uint16_t row = thread->start.row;
    const struct quipu__mpi_plan *plan = &rank->all->converter.plans[row];
    if (plan->type == QUIPU_NONE)
        return end_own(rank, thread, err);
    if (!can_stand(rank, plan->type) || !quipu__mpi_convert(&rank->all->converter, &rank->numbers, thread)) {
        count_ignored(rank, row, 1);
        return QUIPU_OK;
    }
    rank->all->out->calls++;
    rank->is_finalized |= row == QUIPU__MPI_Finalize;
    return put_converted(rank, thread, plan->type, OF_CALL, err);
}

/* A call that never ended has no record in DUMPI, whose calls are written when they end: it is a function of its name that is entered and
 * not left, so that what a killed program was doing is known. Only MPI_Abort is not expected to end. */
static enum quipu_status put_left(struct rank *rank, const struct quipu__mpi_recorded *thread,
                                  struct quipu_error *err) {
    if (thread->start.row == QUIPU__MPI_Abort)
        return put_call(rank, thread, err);
    count_ignored(rank, thread->start.row, 1);
    const bool is_entered = quipu__mpi_calls[thread->start.row].number == QUIPU__MPI_OWN;
    return is_entered ? QUIPU_OK : put_own(rank, thread, true, err);
}

static void note_counts(struct rank *rank, size_t thread, const uint8_t *data, size_t size) {
    struct quipu__mpi_count count;
    for (size_t i = 0; i + sizeof count <= size; i += sizeof count) {
        memcpy(&count, data + i, sizeof count);
        if (count.row < QUIPU__MPI_ROWS)
            rank->thread_ignored[thread * QUIPU__MPI_ROWS + count.row] = count.ignored;
    }
}

/* All threads of a process count the same. */
static enum quipu_status note_counters(struct rank *rank, const struct quipu__mpi_recorded *thread,
                                       struct quipu_error *err) {
    if (rank->counters.count > 0 || thread->size == 0 || thread->data[thread->size - 1] != 0)
        return QUIPU_OK;
    if (!QUIPU__VEC_RESERVE(&rank->all->memory, &rank->counters, thread->size))
        return quipu__no_memory(err, thread->size);
    memcpy(rank->counters.items, thread->data, thread->size);
    rank->counters.count = thread->size;
    return QUIPU_OK;
}

static void note_delay(struct rank *rank, const struct quipu__mpi_recorded *thread) {
    struct delays *delays = &rank->delays[thread - rank->threads];
    if (thread->size < sizeof delays->latest || !thread->head.has_delays)
        return;
    delays->latest = load_time(thread->data);
    if (thread->record.row == 0)
        delays->at_begin = delays->latest;
    delays->is_new = true;
}

static enum quipu_status put_about(struct rank *rank, size_t number, struct quipu_error *err) {
    const struct quipu__mpi_recorded *thread = &rank->threads[number];
    switch (thread->record.record) {
    case QUIPU__MPI_PREDEFINED:
        quipu__mpi_predefine(&rank->numbers, thread->record.row, thread->data, thread->size);
        return QUIPU_OK;
    case QUIPU__MPI_SIZES:
        quipu__mpi_set_sizes(&rank->numbers, &rank->all->memory, thread->data, thread->size);
        return QUIPU_OK;
    case QUIPU__MPI_COUNTS:
        note_counts(rank, number, thread->data, thread->size);
        return QUIPU_OK;
    case QUIPU__MPI_RENUMBERED:
        quipu__mpi_renumber(&rank->numbers, thread->data, thread->size);
        return QUIPU_OK;
    case QUIPU__MPI_STATUSES:
        rank->statuses = thread->record.row;
        return QUIPU_OK;
    case QUIPU__MPI_DELAY:
        note_delay(rank, thread);
        return QUIPU_OK;
    case QUIPU__MPI_COUNTERS:
        return note_counters(rank, thread, err);
    case QUIPU__MPI_MODULE:
        return !rank->all->options->frames ||
                       quipu__mpi_modules_add(&rank->modules, &rank->all->sites, thread->data, thread->size)
                   ? QUIPU_OK
                   : quipu__no_memory(err, thread->size);
    case QUIPU__MPI_LABEL:
        if (thread->size < 8)
            return QUIPU_OK;
        return add_label(rank, (uint64_t)load_time(thread->data), (const char *)thread->data + 8,
                         strnlen((const char *)thread->data + 8, thread->size - 8), err);
    default:
        return QUIPU_OK;
    }
}

static enum quipu_status put_region(const struct rank *rank, const struct quipu__mpi_recorded *thread,
                                    struct quipu_error *err) {
    struct quipu__mpi_region region = {0, 0};
    memcpy(&region, thread->data, thread->size < sizeof region ? thread->size : sizeof region);
    const struct quipu__dumpi_call at = {
        .wall_start = thread->record.time, .cpu_start = region.cpu, .cpu_stop = region.cpu};
    return put_function(rank, thread, thread->happening == QUIPU__MPI_ENTERED, region.key, &at, err);
}

static enum quipu_status put_happening(struct rank *rank, size_t number, struct quipu_error *err) {
    const struct quipu__mpi_recorded *thread = &rank->threads[number];
    switch (thread->happening) {
    case QUIPU__MPI_CALL:
        return put_call(rank, thread, err);
    case QUIPU__MPI_CALL_STARTED:
        return put_own(rank, thread, true, err);
    case QUIPU__MPI_CALL_LEFT:
        return put_left(rank, thread, err);
    case QUIPU__MPI_ENTERED:
    case QUIPU__MPI_LEFT:
        if (thread->size < 8)
            return QUIPU_OK;
        return put_region(rank, thread, err);
    default:
        return put_about(rank, number, err);
    }
}

/* ---- Threads by time ---- */

/* What is known of the process comes before its calls. Calls come in the order in which they ended, but those that free handles in the
 * order in which they began: meanwhile another thread may have got a handle of the same value, which is a new one. */
static int64_t order_of(const struct rank *rank, const struct quipu__mpi_recorded *thread) {
    if (thread->happening == QUIPU__MPI_ABOUT && thread->record.record != QUIPU__MPI_STATUSES)
        return INT64_MIN;
    const bool frees =
        thread->happening == QUIPU__MPI_CALL && rank->all->converter.plans[thread->start.row].frees_handles;
    return frees ? thread->start.time : thread->record.time;
}

static size_t next_thread(const struct rank *rank) {
    size_t next = rank->program->count;
    for (size_t i = 0; i < rank->program->count; i++) {
        const struct quipu__mpi_recorded *thread = &rank->threads[i];
        if (thread->happening == QUIPU__MPI_NO_MORE)
            continue;
        if (next == rank->program->count || order_of(rank, thread) < order_of(rank, &rank->threads[next]))
            next = i;
    }
    return next;
}

static enum quipu_status put_calls(struct rank *rank, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    size_t next;
    while (status == QUIPU_OK && (next = next_thread(rank)) < rank->program->count) {
        status = put_happening(rank, next, err);
        if (status == QUIPU_OK)
            status = quipu__mpi_next(&rank->threads[next], err);
    }
    return status;
}

/* ---- Sections ---- */

static enum quipu_status put_header(struct rank *rank, struct quipu__scratch *scratch,
                                    struct quipu_error *err) {
    const struct quipu__mpi_stream_head *head = quipu__mpi_head_of(rank->all, rank->program);
    const char *user = head->user[0] ? head->user : "<none>";
    const struct quipu__dumpi_header header = {
        .version = 13,
        .starttime = (uint64_t)(head->real_time / QUIPU__MPI_SECOND),
        .hostname = quipu__scratch_text(scratch, head->host, strnlen(head->host, sizeof head->host)),
        .username = quipu__scratch_text(scratch, user, strnlen(user, sizeof head->user))};
    return put(rank, QUIPU__DUMPI_TYPE_header, NULL, &header, err);
}

static enum quipu_status put_footer(struct rank *rank, struct quipu__scratch *scratch,
                                    struct quipu_error *err) {
    uint32_t *called = quipu__scratch_sized(scratch, QUIPU__DUMPI_SLOTS, sizeof *called);
    uint32_t *ignored = quipu__scratch_sized(scratch, QUIPU__DUMPI_SLOTS, sizeof *ignored);
    const uint32_t total = QUIPU__DUMPI_SLOTS - 1;
    if (!called || !ignored)
        return quipu__no_memory(err, sizeof rank->called);
    for (size_t i = 0; i < rank->program->count * (size_t)QUIPU__MPI_ROWS; i++)
        count_ignored(rank, (unsigned)(i % QUIPU__MPI_ROWS), rank->thread_ignored[i]);
    memcpy(called, rank->called, sizeof rank->called);
    memcpy(ignored, rank->ignored, sizeof rank->ignored);
    called[total] = ignored[total] = 0;
    for (uint32_t i = 0; i < total; i++) {
        called[total] += called[i];
        ignored[total] += ignored[i];
    }
    const struct quipu__dumpi_footer footer = {QUIPU__DUMPI_FOOTER_MAGIC, called, ignored};
    return put(rank, QUIPU__DUMPI_TYPE_footer, NULL, &footer, err);
}

/* At least those of the predefined datatypes. */
static enum quipu_status put_sizes(struct rank *rank, struct quipu__scratch *scratch, struct quipu_error *err) {
    const size_t known = rank->numbers.sizes.count;
    const size_t count = known > QUIPU__DUMPI_USER_DATATYPE ? known : QUIPU__DUMPI_USER_DATATYPE;
    int32_t *sizes = quipu__scratch_sized(scratch, (uint32_t)count, sizeof *sizes);
    if (!sizes)
        return quipu__no_memory(err, count * sizeof *sizes);
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = i < known && rank->numbers.sizes.items[i] ? rank->numbers.sizes.items[i]
                                                             : quipu__dumpi_default_size(i);
    const struct quipu__dumpi_sizes section = {sizes};
    return put(rank, QUIPU__DUMPI_TYPE_sizes, NULL, &section, err);
}

static enum quipu_status put_labels(struct rank *rank, struct quipu__scratch *scratch,
                                    struct quipu_error *err) {
    struct quipu__dumpi_label *labels =
        quipu__scratch_sized(scratch, (uint32_t)rank->labels.count, sizeof *labels);
    if (!labels)
        return quipu__no_memory(err, sizeof *labels);
    if (rank->labels.count > 0)
        memcpy(labels, rank->labels.items, rank->labels.count * sizeof *labels);
    const struct quipu__dumpi_addresses section = {labels};
    return put(rank, QUIPU__DUMPI_TYPE_addresses, NULL, &section, err);
}

/* Behind the names are blanks that fill the record up. */
static uint32_t count_names(const struct rank *rank) {
    uint32_t count = 0;
    for (size_t i = 0; i < rank->counters.count && rank->counters.items[i]; count++)
        i += strlen(rank->counters.items + i) + 1;
    return count;
}

static enum quipu_status put_counters(struct rank *rank, struct quipu__scratch *scratch,
                                      struct quipu_error *err) {
    const uint32_t sites = has_sites(rank, &rank->threads[0]), delays = rank->threads[0].head.has_delays,
                   count = count_names(rank) + sites + delays;
    const char **names = quipu__scratch_sized(scratch, count, sizeof *names);
    const char *name = rank->counters.items;
    if (count == 0)
        return QUIPU_OK;
    if (!names)
        return quipu__no_memory(err, sizeof *names);
    if (sites)
        names[0] = quipu__scratch_text(scratch, QUIPU__DUMPI_CALL_SITES, strlen(QUIPU__DUMPI_CALL_SITES));
    if (delays)
        names[sites] = quipu__scratch_text(scratch, QUIPU__RUN_DELAY, strlen(QUIPU__RUN_DELAY));
    for (uint32_t i = sites + delays; i < count; i++) {
        names[i] = quipu__scratch_text(scratch, name, strlen(name));
        name += strlen(name) + 1;
    }
    const struct quipu__dumpi_counters section = {names};
    return put(rank, QUIPU__DUMPI_TYPE_counters, NULL, &section, err);
}

static enum quipu_status put_sections(struct rank *rank, struct quipu_error *err) {
    static enum quipu_status (*const sections[])(struct rank *, struct quipu__scratch *,
                                                 struct quipu_error *) = {put_header, put_footer, put_sizes,
                                                                          put_labels, put_counters};
    struct quipu__scratch scratch;
    enum quipu_status status = QUIPU_OK;
    quipu__scratch_init(&scratch, &rank->all->memory);
    for (size_t i = 0; i < sizeof sections / sizeof *sections && status == QUIPU_OK; i++)
        status = sections[i](rank, &scratch, err);
    quipu__scratch_release(&scratch);
    return status;
}

/* ---- Ranks ---- */

static enum quipu_status open_thread(struct rank *rank, size_t number, struct quipu_error *err) {
    struct quipu__mpi_recorded *thread = &rank->threads[number];
    const char *path = rank->all->paths.items[rank->program->first + number].text;
    thread->memory = &rank->all->memory;
    const enum quipu_status status = quipu__mpi_recorded_open(thread, &rank->all->files, path, err);
    return status == QUIPU_OK ? quipu__mpi_next(thread, err) : status;
}

static enum quipu_status open_threads(struct rank *rank, struct quipu_error *err) {
    const size_t count = rank->program->count;
    struct quipu__memory *memory = &rank->all->memory;
    rank->threads = quipu__alloc_zero(memory, count * sizeof *rank->threads);
    rank->thread_ignored = quipu__alloc_zero(memory, count * QUIPU__MPI_ROWS * sizeof *rank->thread_ignored);
    rank->delays = quipu__alloc_zero(memory, count * sizeof *rank->delays);
    if (!rank->threads || !rank->thread_ignored || !rank->delays)
        return quipu__no_memory(err, count * sizeof *rank->threads);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = open_thread(rank, i, err);
    return status;
}

static void close_threads(struct rank *rank) {
    const size_t count = rank->program->count;
    struct quipu__memory *memory = &rank->all->memory;
    for (size_t i = 0; rank->threads && i < count; i++)
        if (rank->threads[i].input)
            quipu__mpi_recorded_close(&rank->threads[i]);
    quipu__release(memory, rank->threads, count * sizeof *rank->threads);
    quipu__release(memory, rank->thread_ignored, count * QUIPU__MPI_ROWS * sizeof *rank->thread_ignored);
    quipu__release(memory, rank->delays, count * sizeof *rank->delays);
    QUIPU__VEC_RELEASE(memory, &rank->labels);
    QUIPU__VEC_RELEASE(memory, &rank->counters);
    QUIPU__VEC_RELEASE(memory, &rank->has_site_label);
    quipu__mpi_modules_release(&rank->modules, memory);
    quipu__mpi_numbers_release(&rank->numbers, memory);
}

static enum quipu_status begin_file(struct rank *rank, struct quipu_error *err) {
    const struct quipu_stream stream = {.native_id = (uint64_t)rank->program->rank};
    const int64_t first =
        synchronized(&rank->program->clock, quipu__mpi_head_of(rank->all, rank->program)->time);
    const struct quipu__dumpi_begin begin = {.wall_bias = (int32_t)(first / QUIPU__MPI_SECOND),
                                             .version = QUIPU__DUMPI_NEWEST};
    rank->statuses = quipu__mpi_head_of(rank->all, rank->program)->statuses;
    const enum quipu_status status = quipu_writer_begin_stream(rank->all->writer, &stream, err);
    return status == QUIPU_OK ? put(rank, QUIPU__DUMPI_TYPE_begin, NULL, &begin, err) : status;
}

enum quipu_status quipu__mpi_write_rank(struct quipu__mpi_collection *all,
                                        const struct quipu__mpi_program *program, struct quipu_error *err) {
    static enum quipu_status (*const steps[])(struct rank *, struct quipu_error *) = {open_threads, begin_file,
                                                                                      put_calls, put_sections};
    struct rank *rank = quipu__alloc_zero(&all->memory, sizeof *rank);
    if (!rank)
        return quipu__no_memory(err, sizeof *rank);
    rank->all = all;
    rank->program = program;
    quipu__mpi_numbers_init(&rank->numbers, &all->memory);
    quipu__mpi_modules_init(&rank->modules, &all->memory);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == QUIPU_OK; i++)
        status = steps[i](rank, err);
    if (status == QUIPU_OK && rank->numbers.has_failed)
        status = quipu__no_memory(err, sizeof *rank);
    close_threads(rank);
    quipu__release(&all->memory, rank, sizeof *rank);
    all->out->ranks++;
    return status;
}

/* rebuild.c: the arguments of a call from what happened during it. The events fill the members that mapping.def names, the
 * reverse of to_model.c: bytes become numbers of MPI_BYTE, locations become ranks in the world. Attributes with the name of
 * a member restore the rest exactly. */
#include "formats/dumpi/rebuild.h"

#include "core/text.h"

/* A call and its struct. */
struct filling {
    struct quipu__dumpi_rebuilding *all;
    struct quipu__dumpi_substream *substream;
    const struct quipu__dumpi_call_row *row;
    uint8_t *data;
};

/* An event counts as approximated once, whatever it loses. */
static void count_once(const struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_inner_event *inner,
                       bool is_approximated) {
    all->writer->writing->approximated[inner->kind] += is_approximated && !inner->is_counted;
    inner->is_counted |= is_approximated;
}

/* ---- Setting members ---- */

#define HAS_USE(filling, use) (((filling)->row->has >> (use)&1) != 0)

static void set_number(const struct filling *filling, enum quipu__dumpi_use use, int64_t value) {
    const int32_t number = (int32_t)value;
    if (HAS_USE(filling, use))
        memcpy(filling->data + filling->row->offsets[use], &number, sizeof number);
}

static void set_handle(const struct filling *filling, enum quipu__dumpi_use use, int64_t value) {
    const int16_t handle = (int16_t)value;
    if (HAS_USE(filling, use))
        memcpy(filling->data + filling->row->offsets[use], &handle, sizeof handle);
}

static void set_wide(const struct filling *filling, enum quipu__dumpi_use use, uint64_t value) {
    if (HAS_USE(filling, use))
        memcpy(filling->data + filling->row->offsets[use], &value, sizeof value);
}

static void set_list(const struct filling *filling, enum quipu__dumpi_use use, const void *list) {
    if (HAS_USE(filling, use))
        memcpy(filling->data + filling->row->offsets[use], &list, sizeof list);
}

static void *make_list(const struct filling *filling, uint32_t count, size_t size) {
    void *list = count ? quipu__scratch_sized(&filling->all->scratch, count, size) : NULL;
    if (list)
        memset(list, 0, (size_t)count * size);
    return list;
}

#define USE(name) QUIPU__DUMPI_USE_##name

/* More bytes than fit are cut; of an unknown number there are none. */
static int32_t count_of(uint64_t bytes) {
    if (bytes == QUIPU_UNKNOWN)
        return 0;
    return bytes < INT32_MAX ? (int32_t)bytes : INT32_MAX;
}

/* Bytes as that many MPI_BYTE. */
static void set_bytes(const struct filling *filling, enum quipu__dumpi_use count,
                      enum quipu__dumpi_use datatype, uint64_t bytes) {
    set_number(filling, count, count_of(bytes));
    set_handle(filling, datatype, QUIPU__DUMPI_BYTE);
}

/* ---- Parts ---- */

static const struct quipu__dumpi_inner_event *find_event(const struct filling *filling, enum quipu_kind kind) {
    for (size_t i = 0; i < filling->substream->inner_events.count; i++)
        if (filling->substream->inner_events.items[i].kind == kind)
            return &filling->substream->inner_events.items[i];
    return NULL;
}

static int32_t partner(const struct filling *filling, const struct quipu__dumpi_inner_event *inner) {
    return inner ? quipu__dumpi_rank_of(filling->all, inner->peer) : QUIPU__DUMPI_PROC_NULL;
}

/* The other side of a message, by its rank in the communicator that is recorded. */
static int32_t message_partner(const struct filling *filling, const struct quipu__dumpi_inner_event *inner) {
    const int32_t rank = partner(filling, inner);
    if (!inner || inner->group == QUIPU_NONE)
        return rank;
    const int32_t in_group = quipu__dumpi_rank_in_group(filling->all, inner->group, rank);
    return in_group < 0 ? QUIPU__DUMPI_PROC_NULL : in_group;
}

static void set_status(const struct filling *filling, struct quipu__dumpi_status *status,
                       const struct quipu__dumpi_inner_event *inner) {
    *status = (struct quipu__dumpi_status){.source = QUIPU__DUMPI_ANY_SOURCE, .tag = QUIPU__DUMPI_ANY_TAG};
    if (!inner || (inner->kind != QUIPU_KIND_recv && inner->kind != QUIPU_KIND_probe))
        return;
    status->bytes = count_of(inner->bytes);
    status->source = message_partner(filling, inner);
    status->tag = (int32_t)inner->tag;
}

static void set_one_status(const struct filling *filling, const struct quipu__dumpi_inner_event *inner) {
    struct quipu__dumpi_status *status = inner ? make_list(filling, 1, sizeof *status) : NULL;
    if (status)
        set_status(filling, status, inner);
    set_list(filling, USE(status), status);
}

/* ---- Communicators ---- */

/* Communicators other than the world get their own numbers. If no split makes one, its members are not recorded. */
static int16_t comm_of(const struct filling *filling, uint32_t group) {
    const struct quipu_groups *groups = &filling->all->definitions->groups;
    if (quipu__dumpi_is_world(filling->all, group))
        return QUIPU__DUMPI_COMM_WORLD;
    if (groups->items[group].member_count == 1 && !groups->items[group].remote_members)
        return QUIPU__DUMPI_COMM_SELF;
    if (filling->all->splits[group] == QUIPU_NONE)
        filling->all->writer->writing->approximated[QUIPU_KIND_collective_begin]++;
    return (int16_t)(QUIPU__DUMPI_COMM_USER + group % (INT16_MAX - QUIPU__DUMPI_COMM_USER));
}

static int16_t message_comm(const struct filling *filling, const struct quipu__dumpi_inner_event *inner) {
    return inner && inner->group != QUIPU_NONE ? comm_of(filling, inner->group) : QUIPU__DUMPI_COMM_WORLD;
}

/* A call has one communicator: messages that are in several are recorded in the world. */
static void agree_on_communicator(const struct filling *filling) {
    struct quipu__dumpi_inner_event *items = filling->substream->inner_events.items;
    const size_t count = HAS_USE(filling, USE(comm)) ? filling->substream->inner_events.count : 0;
    const struct quipu__dumpi_inner_event *first = NULL;
    bool agrees = true;
    for (size_t i = 0; i < count; i++) {
        if (!quipu__dumpi_is_message(items[i].kind))
            continue;
        first = first ? first : &items[i];
        agrees = agrees && items[i].group == first->group;
    }
    for (size_t i = 0; !agrees && i < count; i++)
        if (quipu__dumpi_is_message(items[i].kind) && items[i].group != QUIPU_NONE) {
            items[i].group = QUIPU_NONE;
            count_once(filling->all, &items[i], true);
        }
}

/* ---- Messages ---- */

static void fill_send(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_send);
    set_number(filling, USE(dest), message_partner(filling, inner));
    set_number(filling, USE(tag), inner ? inner->tag : 0);
    set_handle(filling, USE(comm), message_comm(filling, inner));
    set_bytes(filling, USE(count), USE(datatype), inner ? inner->bytes : 0);
    set_bytes(filling, USE(sendcount), USE(sendtype), inner ? inner->bytes : 0);
    set_number(filling, USE(request),
               inner ? quipu__dumpi_request_number(filling->all, inner->id) : QUIPU__DUMPI_REQUEST_NULL);
}

static void fill_recv(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *post = find_event(filling, QUIPU_KIND_recv_post);
    const struct quipu__dumpi_inner_event *inner = post ? post : find_event(filling, QUIPU_KIND_recv);
    const enum quipu__dumpi_use tag = HAS_USE(filling, USE(recvtag)) ? USE(recvtag) : USE(tag);
    const bool is_any = post && post->peer == QUIPU_NONE;
    set_number(filling, USE(source), is_any ? QUIPU__DUMPI_ANY_SOURCE : message_partner(filling, inner));
    set_number(filling, tag, inner ? inner->tag : 0);
    set_handle(filling, USE(comm), message_comm(filling, inner));
    set_bytes(filling, USE(count), USE(datatype), inner ? inner->bytes : 0);
    set_bytes(filling, USE(recvcount), USE(recvtype), inner ? inner->bytes : 0);
    set_number(filling, USE(request),
               inner ? quipu__dumpi_request_number(filling->all, inner->id) : QUIPU__DUMPI_REQUEST_NULL);
    set_one_status(filling, find_event(filling, QUIPU_KIND_recv));
}

static void fill_probe(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_probe);
    set_number(filling, USE(source), message_partner(filling, inner));
    set_number(filling, USE(tag), inner ? inner->tag : 0);
    set_handle(filling, USE(comm), message_comm(filling, inner));
    set_one_status(filling, inner);
}

static void fill_sendrecv(const struct filling *filling) {
    fill_send(filling);
    fill_recv(filling);
}

static void fill_start(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *send = find_event(filling, QUIPU_KIND_send);
    const struct quipu__dumpi_inner_event *inner = send ? send : find_event(filling, QUIPU_KIND_recv_post);
    set_number(filling, USE(request),
               inner ? quipu__dumpi_request_number(filling->all, inner->id) : QUIPU__DUMPI_REQUEST_NULL);
}

/* ---- Completions ---- */

static bool completes(const struct quipu__dumpi_inner_event *inner) {
    return inner->kind == QUIPU_KIND_send_complete || inner->kind == QUIPU_KIND_recv ||
           inner->kind == QUIPU_KIND_collective_end;
}

static uint32_t count_completions(const struct filling *filling) {
    uint32_t count = 0;
    for (size_t i = 0; i < filling->substream->inner_events.count; i++)
        count += completes(&filling->substream->inner_events.items[i]);
    return count;
}

static const struct quipu__dumpi_inner_event *first_completion(const struct filling *filling) {
    for (size_t i = 0; i < filling->substream->inner_events.count; i++)
        if (completes(&filling->substream->inner_events.items[i]))
            return &filling->substream->inner_events.items[i];
    return NULL;
}

static void fill_wait(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = first_completion(filling);
    const int32_t number =
        inner ? quipu__dumpi_request_number(filling->all, inner->id) : QUIPU__DUMPI_REQUEST_NULL;
    set_number(filling, USE(waited), number);
    set_number(filling, USE(request), number);
    set_number(filling, USE(flag), inner != NULL);
    set_one_status(filling, inner);
}

/* The number of requests is the first member of all calls that have a list of them. */
static void set_requests(const struct filling *filling, const int32_t *requests, uint32_t count) {
    const int32_t number = (int32_t)count;
    memcpy(filling->data, &number, sizeof number);
    set_list(filling, USE(requests), requests);
}

static void fill_startall(const struct filling *filling) {
    const uint32_t count = (uint32_t)filling->substream->inner_events.count;
    int32_t *requests = make_list(filling, count, sizeof *requests);
    uint32_t n = 0;
    for (uint32_t i = 0; requests && i < count; i++)
        requests[n++] = quipu__dumpi_request_number(filling->all, filling->substream->inner_events.items[i].id);
    set_requests(filling, requests, n);
}

/* Requests, statuses and indexes of everything that was complete. */
static void fill_completions(const struct filling *filling) {
    const uint32_t count = count_completions(filling);
    int32_t *requests = make_list(filling, count, sizeof *requests);
    int32_t *indices = make_list(filling, count, sizeof *indices);
    struct quipu__dumpi_status *statuses = make_list(filling, count, sizeof *statuses);
    uint32_t n = 0;
    for (size_t i = 0; requests && indices && statuses && i < filling->substream->inner_events.count; i++) {
        const struct quipu__dumpi_inner_event *inner = &filling->substream->inner_events.items[i];
        if (!completes(inner))
            continue;
        requests[n] = quipu__dumpi_request_number(filling->all, inner->id);
        indices[n] = (int32_t)n;
        set_status(filling, &statuses[n++], inner);
    }
    set_requests(filling, requests, n);
    set_list(filling, USE(indices), indices);
    set_list(filling, USE(status), statuses);
    set_number(filling, USE(flag), n > 0);
    set_number(filling, USE(outcount), n);
}

static void fill_waitany(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = first_completion(filling);
    int32_t *requests = make_list(filling, inner != NULL, sizeof *requests);
    if (requests)
        requests[0] = quipu__dumpi_request_number(filling->all, inner->id);
    set_requests(filling, requests, requests != NULL);
    set_number(filling, USE(index), inner ? 0 : QUIPU__DUMPI_UNDEFINED);
    set_number(filling, USE(flag), inner != NULL);
    set_one_status(filling, inner);
}

static void fill_cancel(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_cancel);
    if (inner)
        set_number(filling, USE(request), quipu__dumpi_request_number(filling->all, inner->id));
}

/* ---- Collectives ---- */

static uint32_t members_of(const struct filling *filling, uint32_t group) {
    const struct quipu_groups *groups = &filling->all->definitions->groups;
    const uint32_t count = group < groups->count ? groups->items[group].member_count : filling->all->rank_count;
    return count ? count : 1;
}

static int32_t rank_in(const struct filling *filling, uint32_t group, uint32_t location) {
    const struct quipu_groups *groups = &filling->all->definitions->groups;
    if (group >= groups->count)
        return quipu__dumpi_rank_of(filling->all, location);
    for (uint32_t i = 0; i < groups->items[group].member_count; i++)
        if (groups->items[group].members[i] == location)
            return (int32_t)i;
    return -1;
}

/* Bytes of one side as counts: evenly over the blocks, the remainder in the first. */
static void fill_side(const struct filling *filling, uint8_t blocks, uint64_t bytes, uint32_t members,
                      enum quipu__dumpi_use count, enum quipu__dumpi_use datatype,
                      enum quipu__dumpi_use counts) {
    bytes = bytes == QUIPU_UNKNOWN ? 0 : bytes;
    set_bytes(filling, count, datatype, blocks == QUIPU__DUMPI_BLOCKS_MEMBERS ? bytes / members : bytes);
    if (blocks != QUIPU__DUMPI_BLOCKS_VECTOR || bytes == 0)
        return;
    int32_t *list = make_list(filling, members, sizeof *list);
    for (uint32_t i = 0; list && i < members; i++)
        list[i] = (int32_t)(bytes / members + (i == 0 ? bytes % members : 0));
    set_list(filling, counts, list);
}

static void fill_collective(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *end = find_event(filling, QUIPU_KIND_collective_end);
    const struct quipu__dumpi_inner_event *inner = end ? end : find_event(filling, QUIPU_KIND_collective_begin);
    if (!inner) {
        set_handle(filling, USE(comm), QUIPU__DUMPI_COMM_WORLD);
        return;
    }
    const uint32_t members = members_of(filling, inner->group);
    const bool is_sent = inner->bytes != 0;
    set_handle(filling, USE(comm), comm_of(filling, inner->group));
    set_number(filling, USE(root), inner->peer == QUIPU_NONE ? 0 : rank_in(filling, inner->group, inner->peer));
    fill_side(filling, filling->row->received_blocks, inner->value, members, USE(recvcount), USE(recvtype),
              USE(recvcounts));
    /* One member serves both sides of a Bcast or Reduce. */
    if (is_sent || filling->row->offsets[USE(sendcount)] != filling->row->offsets[USE(recvcount)])
        fill_side(filling, filling->row->sent_blocks, inner->bytes, members, USE(sendcount), USE(sendtype),
                  USE(sendcounts));
}

/* Bytes of a side as those of a block, of which a reader takes as many as the call has. */
static int32_t later_count(const struct filling *filling, bool is_sent, uint64_t bytes, uint32_t members) {
    const uint8_t blocks = is_sent ? filling->row->sent_blocks : filling->row->received_blocks;
    const bool is_scattered = is_sent && filling->row->received_blocks == QUIPU__DUMPI_BLOCKS_OWN;
    if (bytes != QUIPU_UNKNOWN && (blocks == QUIPU__DUMPI_BLOCKS_MEMBERS || is_scattered))
        bytes /= members;
    return count_of(bytes);
}

void quipu__dumpi_fill_later(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                             const struct quipu__dumpi_inner_event *begin, enum quipu__dumpi_later later,
                             struct quipu__dumpi_send_init *out_sent,
                             struct quipu__dumpi_recv_init *out_received) {
    const struct quipu__dumpi_later_call *call = &quipu__dumpi_later_calls[later];
    const struct filling filling = {all, substream, &quipu__dumpi_calls[call->like], NULL};
    const uint32_t members = members_of(&filling, begin->group);
    const bool has_root = HAS_USE(&filling, USE(root)) && begin->peer != QUIPU_NONE;
    *out_sent = (struct quipu__dumpi_send_init){
        .count = later_count(&filling, true, begin->bytes, members),
        .datatype = QUIPU__DUMPI_BYTE,
        .dest = has_root ? rank_in(&filling, begin->group, begin->peer) : 0,
        .tag = QUIPU__DUMPI_FIRST_LATER_TAG - (int32_t)later,
        .comm = comm_of(&filling, begin->group),
        .request = call->mode == QUIPU__DUMPI_BLOCKING ? QUIPU__DUMPI_REQUEST_NULL
                                                       : quipu__dumpi_request_number(all, begin->id)};
    *out_received =
        (struct quipu__dumpi_recv_init){.count = later_count(&filling, false, begin->value, members),
                                        .datatype = QUIPU__DUMPI_BYTE,
                                        .source = out_sent->dest,
                                        .tag = out_sent->tag,
                                        .comm = out_sent->comm,
                                        .request = out_sent->request};
}

/* ---- One-sided communication and files ---- */

static void fill_rma(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_rma_begin);
    if (!inner)
        return;
    set_number(filling, USE(dest), partner(filling, inner));
    set_handle(filling, USE(scope), 1);
    set_bytes(filling, USE(count), USE(datatype), inner->bytes);
}

static void fill_transfer(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *begin = find_event(filling, QUIPU_KIND_io_begin);
    const struct quipu__dumpi_inner_event *end = find_event(filling, QUIPU_KIND_io_end);
    const struct quipu__dumpi_inner_event *inner = begin ? begin : end;
    if (!inner)
        return;
    /* The end may be the first to say them. */
    const bool end_knows = end && inner->bytes == QUIPU_UNKNOWN;
    set_handle(filling, USE(file), (uint32_t)(end && inner->tag < 0 ? end->tag : inner->tag));
    set_wide(filling, USE(offset), inner->value == QUIPU_UNKNOWN ? 0 : inner->value);
    set_bytes(filling, USE(count), USE(datatype), end_knows ? end->bytes : inner->bytes);
    set_number(filling, USE(request), quipu__dumpi_request_number(filling->all, inner->id));
    set_number(filling, USE(waited), quipu__dumpi_request_number(filling->all, inner->id));
    if (end && HAS_USE(filling, USE(status))) {
        struct quipu__dumpi_status *status = make_list(filling, 1, sizeof *status);
        if (status)
            status->bytes = count_of(end->bytes);
        set_list(filling, USE(status), status);
    }
}

static const char *name_of_file(const struct filling *filling, uint32_t file) {
    const struct quipu_files *files = &filling->all->definitions->files;
    const char *name = file < files->count ? files->items[file].name : "";
    return quipu__scratch_text(&filling->all->scratch, name, strlen(name));
}

static void fill_open(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_io_open);
    struct quipu__dumpi_file_open *open = (struct quipu__dumpi_file_open *)(void *)filling->data;
    if (!inner)
        return;
    open->comm = QUIPU__DUMPI_COMM_WORLD;
    open->filename = name_of_file(filling, inner->object);
    set_handle(filling, USE(amode), inner->operation);
    set_handle(filling, USE(file), (int64_t)inner->id);
}

static void fill_close(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_io_close);
    if (inner)
        set_handle(filling, USE(file), (int64_t)inner->id);
}

static void fill_resize(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_io_resize);
    if (inner)
        set_wide(filling, USE(size), inner->bytes);
}

static void fill_unlink(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_io_unlink);
    if (inner)
        set_list(filling, USE(filename), name_of_file(filling, inner->object));
}

/* The communicator of a joint call. */
static void fill_joint(const struct filling *filling) {
    const struct quipu__dumpi_inner_event *inner = find_event(filling, QUIPU_KIND_collective_begin);
    const uint8_t elsewhere = QUIPU__DUMPI_JOINT_ON_FILE | QUIPU__DUMPI_JOINT_ON_WINDOW;
    if (inner && (filling->row->joint & elsewhere) == 0 && !HAS_USE(filling, USE(comm)))
        set_handle(filling, USE(scope), comm_of(filling, inner->group));
}

/* ---- Attributes ---- */

/* The next number of a JSON text from *at on; false after the last. Digits in names do not count. */
static bool next_number(const char *text, size_t len, size_t *at, int64_t *out) {
    for (bool in_name = false; *at < len; ++*at) {
        if (text[*at] == '"')
            in_name = !in_name;
        if (in_name || (text[*at] != '-' && (text[*at] < '0' || text[*at] > '9')))
            continue;
        const size_t first = *at;
        while (++*at < len && text[*at] >= '0' && text[*at] <= '9')
            continue;
        return quipu__parse_i64(text + first, *at - first, out);
    }
    return false;
}

static void store_element(const struct quipu_field *field, uint8_t *element, int64_t value) {
    struct quipu_field first = *field;
    first.offset = 0;
    quipu__store_i64(&first, element, value);
}

static char unescaped(char c) {
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    default:
        return c;
    }
}

/* The next string of a JSON text from *at on, its escapes undone in place of out; false after the last. */
static bool next_string(const char *text, size_t len, size_t *at, char *out, size_t *out_len) {
    while (*at < len && text[*at] != '"')
        ++*at;
    if (*at >= len)
        return false;
    *out_len = 0;
    for (++*at; *at < len && text[*at] != '"'; ++*at) {
        const bool is_escaped = text[*at] == '\\' && *at + 1 < len;
        const char c = text[is_escaped ? ++*at : *at];
        out[(*out_len)++] = is_escaped ? unescaped(c) : c;
    }
    ++*at;
    return true;
}

static const void *parse_texts(const struct filling *filling, const char *text, size_t len) {
    struct quipu__scratch *scratch = &filling->all->scratch;
    char *copy = quipu__scratch_sized(scratch, (uint32_t)len, 1);
    size_t position = 0, size = 0;
    uint32_t count = 0;
    while (copy && next_string(text, len, &position, copy, &size))
        count++;
    const char **list = copy ? make_list(filling, count, sizeof *list) : NULL;
    position = 0;
    for (uint32_t i = 0; list && i < count; i++) {
        next_string(text, len, &position, copy, &size);
        list[i] = quipu__scratch_text(scratch, copy, size);
    }
    return list;
}

/* Restores a list as to_model.c writes it, [1, 2, 3] or [{"bytes": 8, ...}, ...], from its numbers in order. Lists of lists
 * of texts cannot be restored. */
static const void *parse_list(const struct filling *filling, const struct quipu_field *field, const char *text,
                              size_t len) {
    const struct quipu_record_type *element = field->element;
    const uint32_t per_element = element ? element->field_count : 1;
    const size_t size = element ? element->size : quipu__storage_bytes((enum quipu_storage)field->storage);
    size_t position = 0;
    uint32_t numbers = 0;
    int64_t value;
    while (next_number(text, len, &position, &value))
        numbers++;
    if (field->storage >= QUIPU_STORE_F64 && (!element || element->fields[0].shape == QUIPU_LIST))
        return NULL;
    uint8_t *list = make_list(filling, numbers / per_element, size);
    position = 0;
    for (uint32_t i = 0; list && i < numbers / per_element * per_element; i++) {
        next_number(text, len, &position, &value);
        uint8_t *slot = list + i / per_element * size;
        if (element)
            quipu__store_i64(&element->fields[i % per_element], slot, value);
        else
            store_element(field, slot, value);
    }
    return list;
}

static void store_extra(const struct filling *filling, const struct quipu_field *field,
                        const struct quipu_value *value) {
    const bool is_text = value->type == QUIPU_VALUE_STRING || value->type == QUIPU_VALUE_BYTES;
    const void *pointer = NULL;
    if (field->shape == QUIPU_LIST) {
        if (is_text && field->storage == QUIPU_STORE_STRING)
            pointer = parse_texts(filling, value->data, value->size);
        else if (is_text)
            pointer = parse_list(filling, field, value->data, value->size);
    } else if (field->storage == QUIPU_STORE_STRING) {
        if (is_text)
            pointer = quipu__scratch_text(&filling->all->scratch, value->data, value->size);
    } else if (!is_text && value->type != QUIPU_VALUE_F32 && value->type != QUIPU_VALUE_F64) {
        quipu__store_i64(field, filling->data, value->i);
    }
    if (pointer)
        memcpy(filling->data + field->offset, &pointer, sizeof pointer);
}

/* Stores an extra if it has the name of the field; true if so. */
static bool fill_extra(const struct filling *filling, const struct quipu_field *field) {
    for (size_t i = 0; i < filling->substream->extras.count; i++)
        if (strcmp(field->name, filling->substream->extras.items[i].name) == 0) {
            store_extra(filling, field, &filling->substream->extras.items[i].value);
            return true;
        }
    return false;
}

/* A call with attributes for members, but none for its status, ignored it. */
static void fill_extras(const struct filling *filling) {
    const struct quipu_record_type *type = &quipu__dumpi_types[filling->substream->type];
    const struct quipu_field *status = NULL;
    bool any = false, has_status = false;
    for (size_t i = 0; i < type->field_count; i++) {
        const bool stored = fill_extra(filling, &type->fields[i]);
        any = any || stored;
        if (type->fields[i].wire == QUIPU__FORM_MARKED) {
            status = &type->fields[i];
            has_status = stored;
        }
    }
    if (any && status && !has_status)
        memset(filling->data + status->offset, 0, sizeof(void *));
}

static bool is_argument(const struct quipu_field *field, const struct quipu__dumpi_rebuilding *all,
                        const struct quipu_batch *batch, uint32_t event, uint32_t cursor) {
    for (; cursor < batch->attribute_count && batch->attributes[cursor].event <= event; cursor++)
        if (batch->attributes[cursor].event == event &&
            strcmp(quipu_key_name(all->definitions, batch->attributes[cursor].value.key), field->name) == 0)
            return true;
    return false;
}

uint32_t quipu__dumpi_constructor_of(const struct quipu__dumpi_rebuilding *all, const struct quipu_batch *batch,
                                     uint32_t event, uint32_t cursor) {
    uint32_t found = QUIPU_NONE;
    for (uint32_t i = 0; cursor < batch->attribute_count && i < QUIPU__DUMPI_TYPE_COUNT; i++) {
        const struct quipu_record_type *type = &quipu__dumpi_types[i];
        uint16_t known = 0;
        bool makes_communicator = false;
        while (known < type->field_count && is_argument(&type->fields[known], all, batch, event, cursor))
            makes_communicator |= strcmp(type->fields[known++].name, "newcomm") == 0;
        if (makes_communicator && known == type->field_count &&
            (found == QUIPU_NONE || known > quipu__dumpi_types[found].field_count))
            found = i;
    }
    return found;
}

/* ---- Times ---- */

#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)

/* As to_model.c and transfers.c read them. */
void quipu__dumpi_count_moved(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                              int64_t stop) {
    static const quipu_kinds begin = KIND(send) | KIND(recv_post) | KIND(collective_begin) | KIND(cancel) |
                                     KIND(rma_begin) | KIND(io_begin) | KIND(io_close);
    for (size_t i = 0; i < substream->inner_events.count; i++) {
        struct quipu__dumpi_inner_event *inner = &substream->inner_events.items[i];
        const int64_t time = (begin >> inner->kind & 1) != 0 ? substream->start : stop;
        count_once(all, inner, inner->time != time);
    }
}
#undef KIND

/* ---- All ---- */

/* Learns the size of a user's datatype from the bytes that were sent, for the size section. */
static void learn_size(const struct filling *filling) {
    const size_t first =
        (filling->row->joint & QUIPU__DUMPI_JOINT_BEGIN) != 0; /* after the beginning of a joint operation */
    const struct quipu__dumpi_inner_event *inner =
        filling->substream->inner_events.count > first ? &filling->substream->inner_events.items[first] : NULL;
    const bool is_collective = filling->row->call_class == QUIPU__DUMPI_CALL_CLASS_COLLECTIVE;
    const enum quipu__dumpi_use number = is_collective ? USE(sendcount) : USE(count);
    const enum quipu__dumpi_use type = is_collective ? USE(sendtype) : USE(datatype);
    int32_t count = 0;
    int16_t datatype = 0;
    if (!inner || !HAS_USE(filling, number) || !HAS_USE(filling, type))
        return;
    if (is_collective && filling->row->sent_blocks != QUIPU__DUMPI_BLOCKS_1)
        return;
    memcpy(&count, filling->data + filling->row->offsets[number], sizeof count);
    memcpy(&datatype, filling->data + filling->row->offsets[type], sizeof datatype);
    if (count > 0 && inner->bytes > 0 && inner->bytes / (uint32_t)count < INT32_MAX)
        quipu__dumpi_out_learn(filling->all->writer, filling->substream->out, datatype,
                               (int32_t)(inner->bytes / (uint32_t)count));
}

/* Requests of collective operations have numbers of our own, so those that were brought along do not stand for them. */
static bool completes_together(const struct filling *filling) {
    return HAS_USE(filling, USE(waited)) || HAS_USE(filling, USE(requests))
               ? find_event(filling, QUIPU_KIND_collective_end) != NULL
               : false;
}

typedef void fill_fn(const struct filling *filling);

static fill_fn *const fills[] = {
    [QUIPU__DUMPI_CALL_CLASS_SEND] = fill_send,
    [QUIPU__DUMPI_CALL_CLASS_RECV] = fill_recv,
    [QUIPU__DUMPI_CALL_CLASS_PROBE] = fill_probe,
    [QUIPU__DUMPI_CALL_CLASS_ISEND] = fill_send,
    [QUIPU__DUMPI_CALL_CLASS_IRECV] = fill_recv,
    [QUIPU__DUMPI_CALL_CLASS_SEND_INIT] = fill_send,
    [QUIPU__DUMPI_CALL_CLASS_RECV_INIT] = fill_recv,
    [QUIPU__DUMPI_CALL_CLASS_START] = fill_start,
    [QUIPU__DUMPI_CALL_CLASS_STARTALL] = fill_startall,
    [QUIPU__DUMPI_CALL_CLASS_SENDRECV] = fill_sendrecv,
    [QUIPU__DUMPI_CALL_CLASS_WAIT] = fill_wait,
    [QUIPU__DUMPI_CALL_CLASS_WAITANY] = fill_waitany,
    [QUIPU__DUMPI_CALL_CLASS_WAITALL] = fill_completions,
    [QUIPU__DUMPI_CALL_CLASS_WAITSOME] = fill_completions,
    [QUIPU__DUMPI_CALL_CLASS_CANCEL] = fill_cancel,
    [QUIPU__DUMPI_CALL_CLASS_COLLECTIVE] = fill_collective,
    [QUIPU__DUMPI_CALL_CLASS_RMA] = fill_rma,
    [QUIPU__DUMPI_CALL_CLASS_IO_OPEN] = fill_open,
    [QUIPU__DUMPI_CALL_CLASS_IO_CLOSE] = fill_close,
    [QUIPU__DUMPI_CALL_CLASS_IO_UNLINK] = fill_unlink,
    [QUIPU__DUMPI_CALL_CLASS_IO_RESIZE] = fill_resize,
    [QUIPU__DUMPI_CALL_CLASS_IO] = fill_transfer,
    [QUIPU__DUMPI_CALL_CLASS_IO_START] = fill_transfer,
    [QUIPU__DUMPI_CALL_CLASS_IO_BEGIN] = fill_transfer,
    [QUIPU__DUMPI_CALL_CLASS_IO_END] = fill_transfer,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAIT] = fill_transfer,
    [QUIPU__DUMPI_CALL_CLASS_LEAVE] = NULL,
};

/* ---- Losses ---- */

/* Attributes restore the counts of a call exactly. */
static bool restores_counts(const struct filling *filling) {
    for (size_t i = 0; i < filling->substream->extras.count; i++)
        if (strstr(filling->substream->extras.items[i].name, "count"))
            return true;
    return false;
}

static bool loses_collective(const struct filling *filling, const struct quipu__dumpi_inner_event *inner,
                             bool restores) {
    const bool is_collective = filling->row->call_class == QUIPU__DUMPI_CALL_CLASS_COLLECTIVE;
    const uint32_t operation = is_collective ? filling->row->operation : QUIPU_COLLECTIVE_OTHER;
    return inner->operation != operation || (inner->group != QUIPU_NONE && !HAS_USE(filling, USE(comm))) ||
           (!restores && (inner->bytes > INT32_MAX || inner->value > INT32_MAX));
}

/* What was done is not known, so it became a read. */
static bool is_unknown_transfer(const struct filling *filling, const struct quipu__dumpi_inner_event *begin,
                                const struct quipu__dumpi_inner_event *end) {
    return filling->substream->type == QUIPU__DUMPI_TYPE_file_read_at && begin->operation == QUIPU_IO_OTHER &&
           (!end || end->operation == QUIPU_IO_OTHER);
}

/* What the call has no member for, or cannot say to be unknown: operations, communicators and sizes. */
static void count_losses(const struct filling *filling) {
    const bool restores = restores_counts(filling);
    const struct quipu__dumpi_inner_event *ends[] = {find_event(filling, QUIPU_KIND_collective_end),
                                                     find_event(filling, QUIPU_KIND_io_end)};
    for (size_t i = 0; i < filling->substream->inner_events.count; i++) {
        struct quipu__dumpi_inner_event *inner = &filling->substream->inner_events.items[i];
        const struct quipu__dumpi_inner_event *sized = inner;
        switch ((enum quipu_kind)inner->kind) {
        case QUIPU_KIND_collective_begin:
            count_once(filling->all, inner, loses_collective(filling, ends[0] ? ends[0] : inner, restores));
            break;
        case QUIPU_KIND_io_begin:
            sized = ends[1] && inner->bytes == QUIPU_UNKNOWN ? ends[1] : inner;
            count_once(filling->all, inner,
                       (!restores && sized->bytes > INT32_MAX) || is_unknown_transfer(filling, inner, ends[1]));
            break;
        case QUIPU_KIND_send:
        case QUIPU_KIND_recv:
        case QUIPU_KIND_rma_begin:
            count_once(filling->all, inner, !restores && inner->bytes > INT32_MAX);
            break;
        default:
            break;
        }
    }
}

void quipu__dumpi_fill(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                       union quipu__dumpi_any *data) {
    const struct filling filling = {all, substream, &quipu__dumpi_calls[substream->type], (uint8_t *)data};
    memset(data, 0, sizeof *data);
    agree_on_communicator(&filling);
    if (fills[filling.row->call_class])
        fills[filling.row->call_class](&filling);
    if (filling.row->joint != 0)
        fill_joint(&filling);
    if (!completes_together(&filling))
        fill_extras(&filling);
    learn_size(&filling);
    count_losses(&filling);
}

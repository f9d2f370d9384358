/* calls.c: signatures, read into tokens. */
#include "record/mpi/calls.h"

#include <string.h>

#define OWN QUIPU__MPI_OWN
#define INSIDE(number) (QUIPU__MPI_INSIDE | (number))

struct row {
    const char *name;
    uint32_t number;
    uint8_t words, fortran_words;
    const char *signature;
};

static const struct row rows[QUIPU__MPI_ROWS] = {
#define CALL(number, name, lower, upper, words, fortran_words, signature)                                      \
    {"MPI_" #name, number, words, fortran_words, signature},
#define TIME_CALL(number, name, lower, upper) {"MPI_" #name, number, 0, 0, ""},
#define ADDRESS_CALL(number, name, lower, upper) {"MPI_" #name, number, 2, 2, "- -"},
#define LARGE_CALL(number, name, words, signature) {"MPI_" #name, number, words, 0, signature},
#include "record/mpi/calls.def"
#undef CALL
#undef TIME_CALL
#undef ADDRESS_CALL
#undef LARGE_CALL
};

static const char *const kinds[QUIPU__MPI_KINDS] = {
    [QUIPU__MPI_COMM] = "comm",       [QUIPU__MPI_DTYPE] = "dtype",     [QUIPU__MPI_GROUP] = "group",
    [QUIPU__MPI_OP] = "op",           [QUIPU__MPI_REQ] = "req",         [QUIPU__MPI_INFO] = "info",
    [QUIPU__MPI_FILE] = "file",       [QUIPU__MPI_WIN] = "win",         [QUIPU__MPI_ERRH] = "errh",
    [QUIPU__MPI_MESSAGE] = "message", [QUIPU__MPI_SESSION] = "session", [QUIPU__MPI_NOTHING] = "-",
    [QUIPU__MPI_SENDBUF] = "sendbuf", [QUIPU__MPI_INT] = "int",         [QUIPU__MPI_INDEX] = "index",
    [QUIPU__MPI_AINT] = "aint",       [QUIPU__MPI_OLD] = "old",         [QUIPU__MPI_STR] = "str",
    [QUIPU__MPI_STRS] = "strs",       [QUIPU__MPI_LISTS] = "lists",     [QUIPU__MPI_STATUS] = "status",
    [QUIPU__MPI_RANGE] = "range",     [QUIPU__MPI_ARGC] = "argc",       [QUIPU__MPI_ARGV] = "argv"};

static const char *const questions[] = {
    [QUIPU__MPI_NO_QUESTION] = "",
    [QUIPU__MPI_RANK] = "rank",
    [QUIPU__MPI_SIZE] = "size",
    [QUIPU__MPI_LOCAL] = "local",
    [QUIPU__MPI_TOTAL] = "total",
    [QUIPU__MPI_EDGES] = "edges",
    [QUIPU__MPI_CARTDIM] = "cartdim",
    [QUIPU__MPI_GRAPHNODES] = "graphnodes",
    [QUIPU__MPI_GRAPHEDGES] = "graphedges",
    [QUIPU__MPI_NEIGHBORS] = "neighbors",
    [QUIPU__MPI_INTEGERS] = "integers",
    [QUIPU__MPI_ADDRESSES] = "addresses",
    [QUIPU__MPI_DATATYPES] = "datatypes",
    [QUIPU__MPI_LEADER] = "leader",
    [QUIPU__MPI_SLOT] = "slot",
};

struct quipu__mpi_call quipu__mpi_calls[QUIPU__MPI_ROWS];

static int find_name(const char *const *names, int count, const char *name, size_t length) {
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return i;
    return -1;
}

int quipu__mpi_token_of(const struct quipu__mpi_call *call, const char *field, size_t length) {
    for (int i = 0; i < call->token_count; i++) {
        const struct quipu__mpi_token *token = &call->tokens[i];
        if (token->field_length == length && memcmp(token->field, field, length) == 0)
            return i;
    }
    return -1;
}

/* Names end with one of these. */
static size_t name_length(const char *at) {
    return strcspn(at, " [?:!^");
}

static const char *read_mark(struct quipu__mpi_token *token, const char *at) {
    switch (*at) {
    case '!':
        token->is_at_root = true;
        return at + 1;
    case '^':
        token->is_not_aliased = true;
        return at + 1;
    case ':':
        token->field = at + 1;
        token->field_length = (uint8_t)name_length(at + 1);
        return at + 1 + token->field_length;
    default:
        return NULL;
    }
}

/* Names of lengths and conditions are looked up when all tokens are known. */
struct references {
    const char *length[QUIPU__MPI_TOKENS], *condition[QUIPU__MPI_TOKENS];
};

static const char *read_suffixes(struct quipu__mpi_token *token, const char *at, const char **length,
                                 const char **condition) {
    if (*at == '[') {
        token->is_list = true;
        *length = at + 1;
        at = strchr(at, ']');
        if (!at++)
            return NULL;
    }
    if (*at == '?') {
        *condition = at + 1;
        at += 1 + name_length(at + 1);
    }
    while (at && *at && *at != ' ')
        at = read_mark(token, at);
    return at;
}

/* Signs in front of a kind: the argument before once more, and when a pointer is followed. */
static const char *read_prefix(struct quipu__mpi_token *token, const char *at, uint8_t *word) {
    if (*at == '+') {
        *word = (uint8_t)(*word - 1);
        at++;
    }
    token->is_exit = *at == '>' || *at == '=';
    token->is_pointer = *at == '>' || *at == '*';
    return *at == '>' || *at == '*' || *at == '=' ? at + 1 : at;
}

static bool read_kind(struct quipu__mpi_token *token, bool is_question, const char *name, size_t length) {
    const int kind = is_question ? find_name(questions, sizeof questions / sizeof *questions, name, length)
                                 : find_name(kinds, QUIPU__MPI_KINDS, name, length);
    if (kind < 0)
        return false;
    token->kind = is_question ? QUIPU__MPI_INT : (uint8_t)kind;
    token->question = is_question ? (uint8_t)kind : 0;
    return true;
}

static int8_t token_named(const struct quipu__mpi_call *call, const char *name) {
    return name ? (int8_t)quipu__mpi_token_of(call, name, strcspn(name, "]?:! ^")) : -1;
}

static bool resolve(struct quipu__mpi_call *call, const struct references *references) {
    for (int i = 0; i < call->token_count; i++) {
        struct quipu__mpi_token *token = &call->tokens[i];
        token->length = token_named(call, references->length[i]);
        token->condition = token_named(call, references->condition[i]);
        if ((references->length[i] && token->length < 0) || (references->condition[i] && token->condition < 0))
            return false;
    }
    return true;
}

static void note_tokens(struct quipu__mpi_call *call) {
    call->communicator = call->sendbuf = call->rank = call->status = -1;
    call->root = (int8_t)quipu__mpi_token_of(call, "root", 4);
    call->status_count = (int8_t)quipu__mpi_token_of(call, "count", 5);
    for (int8_t i = (int8_t)(call->token_count - 1); i >= 0; i--) {
        const struct quipu__mpi_token *token = &call->tokens[i];
        if (token->kind == QUIPU__MPI_COMM && !token->is_exit)
            call->communicator = i;
        if (token->kind == QUIPU__MPI_SENDBUF)
            call->sendbuf = i;
        if (token->question == QUIPU__MPI_RANK)
            call->rank = i;
        if (token->kind == QUIPU__MPI_STATUS && token->is_exit)
            call->status = i;
    }
}

static bool has_variable_size(const struct quipu__mpi_token *token) {
    switch (token->kind) {
    case QUIPU__MPI_STR:
    case QUIPU__MPI_STRS:
    case QUIPU__MPI_LISTS:
    case QUIPU__MPI_ARGV:
        return true;
    default:
        return token->is_list;
    }
}

static void note_stages(struct quipu__mpi_call *call) {
    for (uint8_t i = 0; i < call->token_count; i++) {
        const struct quipu__mpi_token *token = &call->tokens[i];
        if (token->field_length == 0)
            continue;
        const struct quipu__mpi_step step = {.token = i, .word = token->word, .copy = QUIPU__MPI_COMPLEX};
        if (token->is_exit)
            call->exit[call->exit_count++] = step;
        else
            call->entry[call->entry_count++] = step;
        call->has_questions |= token->question != QUIPU__MPI_NO_QUESTION;
        if (has_variable_size(token))
            *(token->is_exit ? &call->has_exit_lists : &call->has_entry_lists) = true;
    }
}

/* Arguments that Fortran does not have take no place there. */
static bool is_in_fortran(const struct quipu__mpi_token *token) {
    return token->kind != QUIPU__MPI_ARGC && token->kind != QUIPU__MPI_ARGV;
}

static bool read_signature(struct quipu__mpi_call *call, const char *at) {
    struct references references = {{NULL}, {NULL}};
    uint8_t word = 0, fortran_word = 0, string = 0;
    while (*at) {
        if (call->token_count == QUIPU__MPI_TOKENS)
            return false;
        const bool is_question = *at == '=';
        const bool is_again = *at == '+';
        const uint8_t number = call->token_count++;
        struct quipu__mpi_token *token = &call->tokens[number];
        at = read_prefix(token, at, &word);
        const size_t length = name_length(at);
        if (!read_kind(token, is_question, at, length))
            return false;
        token->word = word;
        fortran_word = (uint8_t)(fortran_word - is_again);
        token->fortran_word = fortran_word;
        token->string = string;
        string = (uint8_t)(string + quipu__mpi_is_text(token->kind));
        word = (uint8_t)(word + !is_question);
        fortran_word = (uint8_t)(fortran_word + (!is_question && is_in_fortran(token)));
        at = read_suffixes(token, at + length, &references.length[number], &references.condition[number]);
        if (!at)
            return false;
        at += *at == ' ';
    }
    return word == call->words && resolve(call, &references);
}

static bool has_inside(const struct row *row) {
    return row->number != OWN && (row->number & QUIPU__MPI_INSIDE) != 0;
}

bool quipu__mpi_calls_init(uint32_t *out_row) {
    static bool are_read;
    if (are_read)
        return true;
    for (uint32_t i = 0; i < QUIPU__MPI_ROWS; i++) {
        struct quipu__mpi_call *call = &quipu__mpi_calls[i];
        *out_row = i;
        *call =
            (struct quipu__mpi_call){.name = rows[i].name,
                                     .number = has_inside(&rows[i]) ? OWN : rows[i].number,
                                     .inside = has_inside(&rows[i]) ? rows[i].number & ~QUIPU__MPI_INSIDE : OWN,
                                     .words = rows[i].words,
                                     .fortran_words = rows[i].fortran_words};
        if (!read_signature(call, rows[i].signature))
            return false;
        note_tokens(call);
        note_stages(call);
    }
    are_read = true;
    return true;
}

/* The size of a datatype that a call has made is recorded too. */
static uint8_t copy_of(const struct quipu__mpi_token *token, uint32_t pointer_kinds) {
    const bool is_new_type = token->kind == QUIPU__MPI_DTYPE && token->is_exit;
    if (token->question || has_variable_size(token) || is_new_type)
        return QUIPU__MPI_COMPLEX;
    if (token->kind == QUIPU__MPI_INT || token->kind == QUIPU__MPI_INDEX)
        return token->is_pointer ? QUIPU__MPI_POINTED_SIGNED : QUIPU__MPI_PASSED_SIGNED;
    if (token->kind == QUIPU__MPI_AINT || token->kind == QUIPU__MPI_OLD ||
        (quipu__mpi_is_handle(token->kind) && (pointer_kinds >> token->kind & 1)))
        return token->is_pointer ? QUIPU__MPI_POINTED_WORD : QUIPU__MPI_PASSED_WORD;
    if (quipu__mpi_is_handle(token->kind))
        return token->is_pointer ? QUIPU__MPI_POINTED_UNSIGNED : QUIPU__MPI_PASSED_UNSIGNED;
    return QUIPU__MPI_COMPLEX;
}

static void set_copies(struct quipu__mpi_step *steps, unsigned count, const struct quipu__mpi_token *tokens,
                       uint32_t pointer_kinds) {
    for (unsigned i = 0; i < count; i++)
        steps[i].copy = copy_of(&tokens[steps[i].token], pointer_kinds);
}

void quipu__mpi_calls_set_pointers(uint32_t pointer_kinds) {
    for (uint32_t i = 0; i < QUIPU__MPI_ROWS; i++) {
        struct quipu__mpi_call *call = &quipu__mpi_calls[i];
        set_copies(call->entry, call->entry_count, call->tokens, pointer_kinds);
        set_copies(call->exit, call->exit_count, call->tokens, pointer_kinds);
    }
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(1099511628211);
    return hash;
}

uint64_t quipu__mpi_calls_hash(void) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < QUIPU__MPI_ROWS; i++)
        hash = hash_text(hash_text(hash, rows[i].name), rows[i].signature);
    return hash;
}

/* values.c: the arguments of a call as bytes of a record. A C argument is a value or a pointer, as the signature says; a Fortran
 * argument is always a pointer, and handles are integers that MPI converts. */
#include "record/mpi/capture.h"
#include "record/mpi/process.h"

#include <string.h>

#define ABSENT (-1)
#define UNKNOWN (-1)

/* ---- Values ---- */

static uint64_t handle_of_fortran(unsigned kind, int32_t number) {
    uint64_t (*const convert)(int32_t) = quipu__mpi_real.from_fortran[kind];
    return convert ? convert(number) : (uint32_t)number;
}

/* The i-th of the values at an address, in C. */
static int64_t element_c(unsigned kind, const void *base, int64_t i) {
    switch (kind) {
    case QUIPU__MPI_INT:
    case QUIPU__MPI_INDEX:
        return ((const int32_t *)base)[i];
    case QUIPU__MPI_AINT:
    case QUIPU__MPI_OLD:
        return ((const int64_t *)base)[i];
    default:
        return quipu__mpi_is_pointer(kind) ? (int64_t)((const uint64_t *)base)[i]
                                           : (int64_t)((const uint32_t *)base)[i];
    }
}

/* Indices count from 1, as far as the library has it so. */
static int64_t index_of(unsigned language, int32_t index) {
    const struct quipu__mpi_library *library = quipu__mpi_real.library;
    const bool is_from_0 = language != QUIPU__MPI_FORTRAN && library->counts_from_0_f08;
    return index == library->undefined || is_from_0 ? index : index - 1;
}

static int64_t element_fortran(unsigned language, unsigned kind, const void *base, int64_t i) {
    const int32_t *numbers = base;
    switch (kind) {
    case QUIPU__MPI_INT:
    case QUIPU__MPI_OLD:
        return numbers[i];
    case QUIPU__MPI_INDEX:
        return index_of(language, numbers[i]);
    case QUIPU__MPI_AINT:
        return ((const int64_t *)base)[i];
    default:
        return (int64_t)handle_of_fortran(kind, numbers[i]);
    }
}

static int64_t element(const struct quipu__mpi_frame *frame, unsigned kind, const void *base, int64_t i) {
    return frame->language == QUIPU__MPI_C ? element_c(kind, base, i)
                                           : element_fortran(frame->language, kind, base, i);
}

static word argument(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    return frame->words[frame->language == QUIPU__MPI_C ? token->word : token->fortran_word];
}

static int64_t passed(unsigned kind, word value) {
    switch (kind) {
    case QUIPU__MPI_INT:
    case QUIPU__MPI_INDEX:
        return (int32_t)value;
    case QUIPU__MPI_AINT:
    case QUIPU__MPI_OLD:
        return (int64_t)value;
    default:
        return (int64_t)quipu__mpi_handle(kind, value);
    }
}

int64_t quipu__mpi_scalar(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    if (token->question)
        return frame->answers[token - frame->call->tokens];
    const word value = argument(frame, token);
    if (frame->language == QUIPU__MPI_C && !token->is_pointer)
        return passed(token->kind, value);
    return value ? element(frame, token->kind, (const void *)value, 0) : 0;
}

static int64_t scalar_at(const struct quipu__mpi_frame *frame, int number) {
    return quipu__mpi_scalar(frame, &frame->call->tokens[number]);
}

/* ---- What is there ---- */

static bool is_sentinel(const struct quipu__mpi_sentinel *sentinel, word address) {
    for (size_t i = 0; i < sizeof sentinel->addresses / sizeof *sentinel->addresses; i++)
        if (sentinel->addresses[i] == address)
            return true;
    return sentinel->pointer && *sentinel->pointer == address;
}

static bool is_ignored(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token,
                       word address) {
    const struct quipu__mpi_real *real = &quipu__mpi_real;
    if (frame->language != QUIPU__MPI_C)
        return is_sentinel(token->is_list ? &real->statuses_ignore_fortran : &real->status_ignore_fortran,
                           address);
    return address == (token->is_list ? real->library->statuses_ignore : real->library->status_ignore);
}

/* MPI does the same with a status as without. */
void quipu__mpi_fill_statuses(struct quipu__mpi_frame *frame) {
    const struct quipu__mpi_token *token = &frame->call->tokens[frame->call->status];
    const bool is_known = quipu__mpi_process.statuses && !quipu__mpi_process.leaves_statuses;
    if (!is_known || !is_ignored(frame, token, argument(frame, token)))
        return;
    const int64_t count =
        token->is_list ? quipu__mpi_scalar(frame, &frame->call->tokens[frame->call->status_count]) : 1;
    if (count > 0 && (uint64_t)count <= QUIPU__MPI_STATUS_ROOM / quipu__mpi_real.library->status_bytes)
        frame->words[frame->language == QUIPU__MPI_C ? token->word : token->fortran_word] =
            (word)frame->thread->statuses;
}

static bool is_aliased(const struct quipu__mpi_frame *frame) {
    word sendbuf = argument(frame, &frame->call->tokens[frame->call->sendbuf]);
    if (frame->language == QUIPU__MPI_DESCRIPTORS)
        sendbuf = *(const word *)sendbuf;
    if (frame->language != QUIPU__MPI_C)
        return is_sentinel(&quipu__mpi_real.alias_fortran, sendbuf);
    return sendbuf == quipu__mpi_real.library->alias;
}

static bool is_root(const struct quipu__mpi_frame *frame) {
    const struct quipu__mpi_call *call = frame->call;
    return !frame->is_remote && scalar_at(frame, call->root) == scalar_at(frame, call->rank);
}

static bool is_complete(const struct quipu__mpi_frame *frame, int number) {
    const struct quipu__mpi_token *token = &frame->call->tokens[number];
    const int64_t value = quipu__mpi_scalar(frame, token);
    return token->kind == QUIPU__MPI_INDEX ? value != quipu__mpi_real.library->undefined : value != 0;
}

/* The address of a list, string or status; 0 when there is none. */
static word present(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    const word address = argument(frame, token);
    if (!address || (token->is_at_root && !is_root(frame)) || (token->is_not_aliased && is_aliased(frame)))
        return 0;
    if (token->condition >= 0 && !is_complete(frame, token->condition))
        return 0;
    if (token->kind == QUIPU__MPI_STATUS && is_ignored(frame, token, address))
        return 0;
    if (frame->language != QUIPU__MPI_C && is_sentinel(&quipu__mpi_real.errcodes_ignore_fortran, address))
        return 0;
    return address;
}

static int64_t length_of(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    if (!token->is_list)
        return 1;
    const int64_t length = scalar_at(frame, token->length);
    return length > 0 && length <= INT32_MAX ? length : 0;
}

/* ---- Strings ---- */

/* In Fortran the lengths of strings are behind all arguments, and blanks fill them up. */
static size_t string_bytes(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token,
                           const char *text) {
    if (frame->language == QUIPU__MPI_C)
        return strlen(text);
    unsigned strings = 0;
    for (unsigned i = 0; i < frame->call->token_count; i++)
        strings += quipu__mpi_is_text(frame->call->tokens[i].kind);
    size_t length = frame->words[frame->call->fortran_words - strings + token->string];
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return length;
}

static size_t padded(size_t bytes) {
    return (bytes + 7) & ~(size_t)7;
}

static uint8_t *put_number(uint8_t *at, int64_t value) {
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

/* Padding is zero, so that a record has one form. */
static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size) {
    if (size & 7)
        put_number(at + (size & ~(size_t)7), 0);
    memcpy(at, bytes, size);
    return at + padded(size);
}

static uint8_t *put_text(uint8_t *at, const char *text, size_t length) {
    return put_bytes(put_number(at, (int64_t)length), text, length);
}

static int64_t texts_count(const char *const *texts) {
    int64_t count = 0;
    while (texts[count])
        count++;
    return count;
}

static size_t texts_bytes(const char *const *texts, int64_t count) {
    size_t bytes = 8;
    for (int64_t i = 0; i < count; i++)
        bytes += 8 + padded(strlen(texts[i]));
    return bytes;
}

static uint8_t *put_texts(uint8_t *at, const char *const *texts, int64_t count) {
    at = put_number(at, count);
    for (int64_t i = 0; i < count; i++)
        at = put_text(at, texts[i], strlen(texts[i]));
    return at;
}

static size_t lists_bytes(const char *const *const *lists, int64_t count) {
    size_t bytes = 8;
    for (int64_t i = 0; i < count; i++)
        bytes += lists[i] ? texts_bytes(lists[i], texts_count(lists[i])) : 8;
    return bytes;
}

static uint8_t *put_lists(uint8_t *at, const char *const *const *lists, int64_t count) {
    at = put_number(at, count);
    for (int64_t i = 0; i < count; i++)
        at = lists[i] ? put_texts(at, lists[i], texts_count(lists[i])) : put_number(at, 0);
    return at;
}

/* Lists of strings in Fortran are not recorded: they are arrays of characters that a blank one ends. */
static bool is_text_list(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    return frame->language == QUIPU__MPI_C &&
           (token->kind == QUIPU__MPI_STRS || token->kind == QUIPU__MPI_LISTS);
}

static int64_t strs_count(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token,
                          word address) {
    return token->is_list ? length_of(frame, token) : texts_count((const char *const *)address);
}

/* What MPI_Init is given is a pointer to argv, with as many strings as argc points to. */
static int64_t argv_count(const struct quipu__mpi_frame *frame) {
    const int *argc = frame->language == QUIPU__MPI_C ? (const int *)frame->words[0] : NULL;
    return argc && frame->words[1] ? *argc : 0;
}

static const char *const *argv_texts(const struct quipu__mpi_frame *frame) {
    return *(const char *const *const *)frame->words[1];
}

/* ---- Sizes ---- */

static size_t text_bytes(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    const word address = present(frame, token);
    if (!address)
        return 8;
    if (token->kind == QUIPU__MPI_STR)
        return 8 + padded(string_bytes(frame, token, (const char *)address));
    if (!is_text_list(frame, token))
        return 8;
    const int64_t count = strs_count(frame, token, address);
    return token->kind == QUIPU__MPI_STRS ? texts_bytes((const char *const *)address, count)
                                          : lists_bytes((const char *const *const *)address, count);
}

static size_t list_bytes(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    const word address = present(frame, token);
    const size_t count = address ? (size_t)length_of(frame, token) : 0;
    return 8 + padded(count * quipu__mpi_element_bytes(token->kind));
}

static size_t argv_bytes(const struct quipu__mpi_frame *frame) {
    const int64_t count = argv_count(frame);
    return count > 0 ? texts_bytes(argv_texts(frame), count) : 8;
}

static size_t token_bytes(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token) {
    switch (token->kind) {
    case QUIPU__MPI_STR:
    case QUIPU__MPI_STRS:
    case QUIPU__MPI_LISTS:
        return text_bytes(frame, token);
    case QUIPU__MPI_ARGV:
        return argv_bytes(frame);
    case QUIPU__MPI_STATUS:
        return 8 + (token->is_list ? list_bytes(frame, token) : sizeof(struct quipu__mpi_status));
    default:
        return token->is_list ? list_bytes(frame, token) : 16;
    }
}

static size_t stage_bytes(const struct quipu__mpi_frame *frame, const struct quipu__mpi_step *steps,
                          unsigned count) {
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++)
        bytes += token_bytes(frame, &frame->call->tokens[steps[i].token]);
    return bytes;
}

size_t quipu__mpi_entry_bytes(const struct quipu__mpi_frame *frame) {
    return stage_bytes(frame, frame->call->entry, frame->call->entry_count);
}

static bool has_values(int result) {
    const struct quipu__mpi_library *library = quipu__mpi_real.library;
    return result == 0 || library->error_class(result) == library->error_in_status;
}

size_t quipu__mpi_exit_bytes(const struct quipu__mpi_frame *frame, int result) {
    return has_values(result) ? stage_bytes(frame, frame->call->exit, frame->call->exit_count) : 0;
}

/* ---- Storing ---- */

static uint8_t *put_list(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token,
                         word address, uint8_t *at) {
    const int64_t count = length_of(frame, token);
    const void *base = (const void *)address;
    at = put_number(at, count);
    if (token->kind == QUIPU__MPI_RANGE || (token->kind == QUIPU__MPI_INT))
        return put_bytes(at, base, (size_t)count * quipu__mpi_element_bytes(token->kind));
    if (token->kind != QUIPU__MPI_INDEX) {
        for (int64_t i = 0; i < count; i++)
            at = put_number(at, element(frame, token->kind, base, i));
        return at;
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t index = (int32_t)element(frame, token->kind, base, i);
        memcpy(at + 4 * i, &index, sizeof index);
    }
    if (count & 1)
        memset(at + 4 * count, 0, 4);
    return at + padded(4 * (size_t)count);
}

static uint8_t *put_statuses(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token,
                             uint8_t *at) {
    const word address = present(frame, token);
    const int64_t count = address ? length_of(frame, token) : ABSENT;
    at = put_number(at, count);
    for (int64_t i = 0; i < count; i++) {
        struct quipu__mpi_status status;
        const struct quipu__mpi_library *library = quipu__mpi_real.library;
        library->get_status((const char *)address + (size_t)i * library->status_bytes, &status);
        memcpy(at, &status, sizeof status);
        at += sizeof status;
    }
    return at;
}

static uint8_t *put_string(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token,
                           uint8_t *at) {
    const word address = present(frame, token);
    if (!address)
        return put_number(at, ABSENT);
    if (token->kind == QUIPU__MPI_STR)
        return put_text(at, (const char *)address, string_bytes(frame, token, (const char *)address));
    if (!is_text_list(frame, token))
        return put_number(at, ABSENT);
    const int64_t count = strs_count(frame, token, address);
    return token->kind == QUIPU__MPI_STRS ? put_texts(at, (const char *const *)address, count)
                                          : put_lists(at, (const char *const *const *)address, count);
}

/* A datatype that a call has made, with its size. */
static uint8_t *put_new_type(uint8_t *at, uint64_t type) {
    int size = UNKNOWN;
    if (type != quipu__mpi_real.null_type &&
        quipu__mpi_ask(QUIPU__MPI_Type_size, (word)type, (word)&size, 0) != 0)
        size = UNKNOWN;
    return put_number(put_number(at, (int64_t)type), size);
}

static uint8_t *put_argv(const struct quipu__mpi_frame *frame, uint8_t *at) {
    const int64_t count = argv_count(frame);
    return count > 0 ? put_texts(at, argv_texts(frame), count) : put_number(at, 0);
}

static uint8_t *put_token(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token,
                          uint8_t *at) {
    switch (token->kind) {
    case QUIPU__MPI_STR:
    case QUIPU__MPI_STRS:
    case QUIPU__MPI_LISTS:
        return put_string(frame, token, at);
    case QUIPU__MPI_ARGC:
        return put_number(at, argv_count(frame));
    case QUIPU__MPI_ARGV:
        return put_argv(frame, at);
    case QUIPU__MPI_STATUS:
        return put_statuses(frame, token, at);
    default:
        break;
    }
    if (token->is_list) {
        const word address = present(frame, token);
        return address ? put_list(frame, token, address, at) : put_number(at, ABSENT);
    }
    const int64_t value = quipu__mpi_scalar(frame, token);
    if (token->kind == QUIPU__MPI_DTYPE && token->is_exit)
        return put_new_type(at, (uint64_t)value);
    return put_number(at, value);
}

/* One step of most values; where a pointer points to nothing, MPI has refused the call. */
static bool copy_simply(const struct quipu__mpi_step *step, word value, int64_t *out) {
    switch ((enum quipu__mpi_copy)step->copy) {
    case QUIPU__MPI_PASSED_SIGNED:
        *out = (int32_t)value;
        return true;
    case QUIPU__MPI_PASSED_UNSIGNED:
        *out = (uint32_t)value;
        return true;
    case QUIPU__MPI_PASSED_WORD:
        *out = (int64_t)value;
        return true;
    case QUIPU__MPI_POINTED_SIGNED:
        *out = value ? *(const int32_t *)value : 0;
        return true;
    case QUIPU__MPI_POINTED_UNSIGNED:
        *out = value ? *(const uint32_t *)value : 0;
        return true;
    case QUIPU__MPI_POINTED_WORD:
        *out = value ? *(const int64_t *)value : 0;
        return true;
    default:
        return false;
    }
}

static uint8_t *put_stage(const struct quipu__mpi_frame *frame, const struct quipu__mpi_step *steps,
                          unsigned count, uint8_t *at) {
    const bool is_c = frame->language == QUIPU__MPI_C;
    for (unsigned i = 0; i < count; i++) {
        int64_t value;
        if (is_c && copy_simply(&steps[i], frame->words[steps[i].word], &value))
            at = put_number(at, value);
        else
            at = put_token(frame, &frame->call->tokens[steps[i].token], at);
    }
    return at;
}

uint8_t *quipu__mpi_put_entry(const struct quipu__mpi_frame *frame, uint8_t *at) {
    return put_stage(frame, frame->call->entry, frame->call->entry_count, at);
}

uint8_t *quipu__mpi_put_exit(const struct quipu__mpi_frame *frame, int result, uint8_t *at) {
    return has_values(result) ? put_stage(frame, frame->call->exit, frame->call->exit_count, at) : at;
}

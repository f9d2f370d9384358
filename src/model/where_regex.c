/* where_regex.c: see where_regex.h.
 *
 * PCRE2's limit of steps applies separately to each character where a match may begin. So it is asked for a match at the beginning of the text that
 * first skips as few characters as possible: then the limit holds for the whole text. One step may go over any number of characters ("a+"), so
 * it calls back between the items of an expression, where the characters between two positions are counted too. Items that may go over more
 * characters unseen are counted as if they always did ("a{1000}") or refused. */
#include "model/where_regex.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* The work of an expression without repetitions is free, for any number and length of texts: an amount for each character of the text, growing
 * with the length of the expression. Work beyond that is limited to some tenths of a second for all texts together. A step counts as several
 * characters. A match may take the memory that a repeated group needs in a text of 100,000 characters. */
enum {
    WORK_MOST = 100000000,
    WORK_PER_CHARACTER = 256,
    WORK_PER_PRODUCT = 4,
    WORK_OF_STEP = 8,
    KIBIBYTES_MOST = 16384
};

/* As in POSIX, "$" is the end of the text, "." any character, and there are no back references. */
static const uint32_t options = PCRE2_CASELESS | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NO_AUTO_CAPTURE |
                                PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT | PCRE2_UTF;

struct quipu__regex {
    struct quipu__memory *memory;
    pcre2_general_context *general;
    pcre2_match_context *limits;
    pcre2_code *code;
    uint64_t work_of_step, work_per_character;
    _Atomic uint64_t spare; /* work beyond what is free that is left for all further texts */
};

struct work {
    uint64_t of_step, left;
    size_t position; /* where it was before */
};

static void *allocate(size_t size, void *memory) {
    return quipu__alloc_sized(memory, size);
}

static void release(void *block, void *memory) {
    quipu__release_sized(memory, block);
}

static int count_work(pcre2_callout_block *at, void *data) {
    struct work *work = data;
    const size_t position = at->current_position;
    const uint64_t distance = position > work->position ? position - work->position : work->position - position;
    const uint64_t done = work->of_step + distance;
    work->position = position;
    if (done > work->left)
        return PCRE2_ERROR_MATCHLIMIT;
    work->left -= done;
    return 0;
}

/* The most characters that one item goes over before it fails: 1000 for "a{1000}". A group is more than one item. */
static uint64_t longest_item(const char *text) {
    unsigned long longest = 0;
    for (const char *brace = strchr(text, '{'); brace; brace = strchr(brace + 1, '{')) {
        const bool is_group = brace > text && brace[-1] == ')';
        const unsigned long count = is_group ? 0 : strtoul(brace + 1, NULL, 10);
        if (count > longest && count <= UINT16_MAX)
            longest = count;
    }
    return longest;
}

/* "(*sr:" and the like read characters again. */
static bool has_verb(const char *text) {
    for (const char *at = strstr(text, "(*"); at; at = strstr(at + 1, "(*"))
        if ((at[2] >= 'a' && at[2] <= 'z') || (at[2] >= 'A' && at[2] <= 'Z') || at[2] == ':')
            return true;
    return false;
}

/* Comparing with what a group has found reads characters that are not counted. */
static bool has_back_reference(const pcre2_code *code) {
    uint32_t highest = 0;
    return pcre2_pattern_info(code, PCRE2_INFO_BACKREFMAX, &highest) == 0 && highest > 0;
}

static pcre2_code *compile(const struct quipu__regex *regex, const char *text,
                           char trouble[QUIPU__REGEX_TROUBLE]) {
    int fault;
    size_t offset;
    PCRE2_UCHAR reason[QUIPU__REGEX_TROUBLE / 2];
    pcre2_compile_context *context = pcre2_compile_context_create(regex->general);
    if (!context)
        return NULL;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &fault, &offset, context);
    pcre2_compile_context_free(context);
    if (code || quipu__memory_is_out(regex->memory))
        return code;
    pcre2_get_error_message(fault, reason, sizeof reason);
    snprintf(trouble, QUIPU__REGEX_TROUBLE, "expected a regular expression (%s)", (const char *)reason);
    return NULL;
}

/* Why a valid expression is refused; NULL: it is not. */
static const char *refusal(const pcre2_code *code, const char *text) {
    if (has_verb(text))
        return "expected a regular expression without verbs, (* and letters";
    return has_back_reference(code) ? "expected a regular expression without back references" : NULL;
}

/* Compiles it alone first: what is wrong alone may be right after something else. */
static bool compile_search(struct quipu__regex *regex, const char *text, char trouble[QUIPU__REGEX_TROUBLE]) {
    const size_t size = strlen(text) + sizeof "\\A.*?(?:)";
    char *search = quipu__alloc(regex->memory, size);
    pcre2_code *alone = search ? compile(regex, text, trouble) : NULL;
    const char *refused = alone ? refusal(alone, text) : NULL;
    if (refused)
        snprintf(trouble, QUIPU__REGEX_TROUBLE, "%s", refused);
    if (alone && !refused) {
        snprintf(search, size, "\\A.*?(?:%s)", text);
        regex->code = compile(regex, search, trouble);
    }
    pcre2_code_free(alone);
    quipu__release(regex->memory, search, size);
    return regex->code != NULL;
}

struct quipu__regex *quipu__regex_new(struct quipu__memory *memory, const char *text,
                                      char trouble[QUIPU__REGEX_TROUBLE]) {
    struct quipu__regex *regex = quipu__alloc_zero(memory, sizeof *regex);
    trouble[0] = '\0';
    if (!regex)
        return NULL;
    regex->memory = memory;
    regex->general = pcre2_general_context_create(allocate, release, memory);
    regex->limits = regex->general ? pcre2_match_context_create(regex->general) : NULL;
    if (!regex->limits || !compile_search(regex, text, trouble)) {
        quipu__regex_free(regex);
        return NULL;
    }
    regex->work_per_character = WORK_PER_CHARACTER + WORK_PER_PRODUCT * (uint64_t)strlen(text);
    regex->spare = WORK_MOST;
    regex->work_of_step = WORK_OF_STEP + longest_item(text);
    pcre2_set_match_limit(regex->limits, UINT32_MAX);
    pcre2_set_heap_limit(regex->limits, KIBIBYTES_MOST);
    return regex;
}

static bool is_no_utf(int status) {
    return status <= PCRE2_ERROR_UTF8_ERR1 && status >= PCRE2_ERROR_UTF8_ERR21;
}

/* A search for one expression in one text. */
struct search {
    const pcre2_code *code;
    pcre2_match_context *limits;
    pcre2_match_data *data;
    struct work work;
};

static int match(struct search *search, const char *text, size_t len, uint32_t flags) {
    search->work.position = 0;
    return pcre2_match(search->code, (PCRE2_SPTR)text, len, 0, flags, search->data, search->limits);
}

/* No match spans a byte that is not UTF-8. */
static int find(struct search *search, const char *text, size_t len) {
    uint32_t flags = 0;
    int found = match(search, text, len, flags);
    while (is_no_utf(found)) {
        const size_t sound = pcre2_get_startchar(search->data);
        found = match(search, text, sound, flags | PCRE2_NOTEOL);
        if (found != PCRE2_ERROR_NOMATCH)
            return found;
        text += sound + 1;
        len -= sound + 1;
        flags = PCRE2_NOTBOL;
        found = match(search, text, len, flags);
    }
    return found;
}

/* Several threads spend from it, together no more than there is. */
static bool spend(struct quipu__regex *regex, uint64_t work) {
    uint64_t spare = atomic_load_explicit(&regex->spare, memory_order_relaxed);
    while (spare >= work)
        if (atomic_compare_exchange_weak_explicit(&regex->spare, &spare, spare - work, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    return false;
}

bool quipu__regex_finds(struct quipu__regex *regex, const char *text) {
    static const struct quipu__refusal too_hard = {
        "a regular expression takes too many steps to look for it in a text of the trace",
        "fewer repetitions inside each other take fewer"};
    const size_t len = strlen(text);
    const uint64_t free_work = regex->work_per_character * len,
                   most = free_work + atomic_load_explicit(&regex->spare, memory_order_relaxed);
    struct search search = {.code = regex->code,
                            .limits = pcre2_match_context_copy(regex->limits),
                            .data = pcre2_match_data_create(1, regex->general),
                            .work = {.of_step = regex->work_of_step, .left = most}};
    int found = PCRE2_ERROR_NOMEMORY;
    if (search.limits && search.data) {
        pcre2_set_callout(search.limits, count_work, &search.work);
        found = find(&search, text, len);
    }
    const uint64_t done = most - search.work.left;
    const bool is_affordable = done <= free_work || spend(regex, done - free_work);
    if (!is_affordable || (found < 0 && found != PCRE2_ERROR_NOMATCH))
        quipu__memory_refuse_as(regex->memory, &too_hard);
    pcre2_match_data_free(search.data);
    pcre2_match_context_free(search.limits);
    return found >= 0;
}

void quipu__regex_free(struct quipu__regex *regex) {
    if (!regex)
        return;
    pcre2_code_free(regex->code);
    pcre2_match_context_free(regex->limits);
    pcre2_general_context_free(regex->general);
    quipu__release(regex->memory, regex, sizeof *regex);
}

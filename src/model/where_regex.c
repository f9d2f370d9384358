/* where_regex.c: see where_regex.h.
 *
 * PCRE2 counts steps from each character on at which a match may begin. So it is asked for one that begins with the text, behind as few
 * characters as there need be: its limit is one of the whole text then. */
#include "model/where_regex.h"

#include <stdio.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Of one match: some twenty milliseconds, and what a group that comes again takes in a text of 100,000 characters. */
enum { STEPS_MOST = 2000000, KIBIBYTES_MOST = 16384 };

/* As in POSIX, "$" is the end of the text, "." any character, and there are no back references. */
static const uint32_t options = PCRE2_CASELESS | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NO_AUTO_CAPTURE |
                                PCRE2_NEVER_BACKSLASH_C | PCRE2_UTF;

struct quipu__regex {
    struct quipu__memory *memory;
    pcre2_general_context *general;
    pcre2_match_context *limits;
    pcre2_code *code;
};

static void *allocate(size_t size, void *memory) {
    return quipu__alloc_sized(memory, size);
}

static void release(void *block, void *memory) {
    quipu__release_sized(memory, block);
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
    if (code || quipu__memory_status(regex->memory, NULL) != QUIPU_OK)
        return code;
    pcre2_get_error_message(fault, reason, sizeof reason);
    snprintf(trouble, QUIPU__REGEX_TROUBLE, "expected a regular expression (%s)", (const char *)reason);
    return NULL;
}

/* By itself first: what is wrong alone may be right behind something else. */
static bool compile_search(struct quipu__regex *regex, const char *text, char trouble[QUIPU__REGEX_TROUBLE]) {
    const size_t size = strlen(text) + sizeof "\\A.*?(?:)";
    char *search = quipu__alloc(regex->memory, size);
    pcre2_code *alone = search ? compile(regex, text, trouble) : NULL;
    if (alone) {
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
    pcre2_set_match_limit(regex->limits, STEPS_MOST);
    pcre2_set_heap_limit(regex->limits, KIBIBYTES_MOST);
    return regex;
}

static bool is_no_utf(int status) {
    return status <= PCRE2_ERROR_UTF8_ERR1 && status >= PCRE2_ERROR_UTF8_ERR21;
}

/* Where a byte is no UTF-8, nothing goes across it. */
static int find(const struct quipu__regex *regex, const char *text, pcre2_match_data *data) {
    size_t len = strlen(text);
    uint32_t flags = 0;
    int found = pcre2_match(regex->code, (PCRE2_SPTR)text, len, 0, flags, data, regex->limits);
    while (is_no_utf(found)) {
        const size_t sound = pcre2_get_startchar(data);
        found = pcre2_match(regex->code, (PCRE2_SPTR)text, sound, 0, flags | PCRE2_NOTEOL, data, regex->limits);
        if (found != PCRE2_ERROR_NOMATCH)
            return found;
        text += sound + 1;
        len -= sound + 1;
        flags = PCRE2_NOTBOL;
        found = pcre2_match(regex->code, (PCRE2_SPTR)text, len, 0, flags, data, regex->limits);
    }
    return found;
}

bool quipu__regex_finds(const struct quipu__regex *regex, const char *text) {
    static const struct quipu__refusal too_hard = {
        "a regular expression takes too many steps to look for it in a text of the trace",
        "fewer repetitions inside each other take fewer"};
    pcre2_match_data *data = pcre2_match_data_create(1, regex->general);
    if (!data)
        return false;
    const int found = find(regex, text, data);
    pcre2_match_data_free(data);
    if (found < 0 && found != PCRE2_ERROR_NOMATCH)
        quipu__memory_refuse_as(regex->memory, &too_hard);
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

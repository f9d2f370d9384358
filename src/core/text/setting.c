/* setting.c: see setting.h. */
#include "core/text/setting.h"

#include "core/error.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* ---- Forms of values ---- */

static bool is_word_of(const char *list, const char *word) {
    const size_t len = strlen(word);
    while (*list) {
        const size_t word_len = strcspn(list, "|");
        if (len > 0 && word_len == len && memcmp(list, word, len) == 0)
            return true;
        list += word_len + (list[word_len] == '|');
    }
    return false;
}

static bool is_number(const char *value) {
    uint64_t number;
    return quipu__parse_u64(value, strlen(value), &number);
}

static bool is_time(const char *value) {
    int64_t ticks;
    return strcmp(value, "end") == 0 || quipu__parse_i64(value, strlen(value), &ticks);
}

/* The number at *at, QUIPU_NONE at most; false when there is none. */
static bool take_number(const char **at, uint64_t *out) {
    const char *start = *at;
    for (*out = 0; **at >= '0' && **at <= '9'; (*at)++)
        *out = *out < QUIPU_NONE / 10 ? *out * 10 + (uint64_t)(**at - '0') : QUIPU_NONE;
    return *at > start;
}

/* "0-3" or "7" at *at, and the comma after it. */
static bool take_range(const char **at, uint64_t *first, uint64_t *last) {
    if (!take_number(at, first))
        return false;
    *last = *first;
    if (**at == '-') {
        (*at)++;
        if (!take_number(at, last))
            return false;
    }
    if (**at == ',')
        return *++*at != '\0';
    return **at == '\0';
}

static bool is_list_of_locations(const char *list) {
    uint64_t first, last;
    do
        if (!take_range(&list, &first, &last))
            return false;
    while (*list);
    return true;
}

/* ---- Checking ---- */

static bool is_of_form(const struct quipu_option *option, const char *value) {
    switch (option->kind) {
    case QUIPU_OPTION_CHOICE:
        return is_word_of(option->argument, value);
    case QUIPU_OPTION_NUMBER:
    case QUIPU_OPTION_SIZE:
        return is_number(value);
    case QUIPU_OPTION_TIME:
        return is_time(value);
    case QUIPU_OPTION_LOCATIONS:
        return is_list_of_locations(value);
    case QUIPU_OPTION_FLAG:
        return is_word_of("yes|no", value);
    case QUIPU_OPTION_TEXT:
        return true;
    }
    return false;
}

static const struct quipu_option *find_option(const struct quipu__settings *settings, const char *name) {
    for (size_t i = 0; i < settings->option_count; i++)
        if (strcmp(settings->options[i].name, name) == 0)
            return &settings->options[i];
    return NULL;
}

/* Lists the valid names. */
static enum quipu_status refuse_name(const struct quipu__settings *settings, const char *name,
                                     const char *owner, struct quipu_error *err) {
    char list[160] = "none";
    for (size_t i = 0, len = 0; i < settings->option_count && len < sizeof list; i++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%s=%s", i ? ", " : "",
                                settings->options[i].name, settings->options[i].argument);
    quipu__fail(err, QUIPU_MISUSE, "%s has no option \"%s\"", owner, name);
    quipu__advise(err, "its options: %s", list);
    return QUIPU_MISUSE;
}

static enum quipu_status check_setting(const struct quipu__settings *settings,
                                       const struct quipu_setting *setting, const char *owner,
                                       struct quipu_error *err) {
    static const char *const forms[] = {
        [QUIPU_OPTION_CHOICE] = "one of",
        [QUIPU_OPTION_NUMBER] = "a number:",
        [QUIPU_OPTION_SIZE] = "a number:",
        [QUIPU_OPTION_TIME] = "ticks or \"end\":",
        [QUIPU_OPTION_LOCATIONS] = "numbers such as 0-3,7:",
        [QUIPU_OPTION_TEXT] = "a text:",
        [QUIPU_OPTION_FLAG] = "yes or no:",
    };
    const struct quipu_option *option = find_option(settings, setting->name);
    if (!option)
        return refuse_name(settings, setting->name, owner, err);
    if (is_of_form(option, setting->value))
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE, "option \"%s\" of %s: found \"%s\", expected %s %s", option->name,
                       owner, setting->value, forms[option->kind], option->argument);
}

enum quipu_status quipu__settings_check(const struct quipu__settings *settings, const char *owner,
                                        struct quipu_error *err) {
    for (size_t i = 0; i < settings->count; i++) {
        const enum quipu_status status = check_setting(settings, &settings->items[i], owner, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

/* ---- Values ---- */

const char *quipu__settings_value(const struct quipu__settings *settings, const char *name) {
    for (size_t i = settings->count; i-- > 0;)
        if (strcmp(settings->items[i].name, name) == 0)
            return settings->items[i].value;
    return find_option(settings, name)->default_value;
}

bool quipu__settings_say_yes(const struct quipu__settings *settings, const char *name) {
    const char *value = quipu__settings_value(settings, name);
    return value && strcmp(value, "yes") == 0;
}

int64_t quipu__setting_time(const char *value) {
    int64_t ticks = INT64_MAX;
    return quipu__parse_i64(value, strlen(value), &ticks) ? ticks : INT64_MAX;
}

bool quipu__setting_has_location(const char *value, uint32_t location) {
    uint64_t first, last;
    while (*value && take_range(&value, &first, &last))
        if (first <= location && location <= last)
            return true;
    return false;
}

void quipu__setting_mark_locations(const char *value, bool *marks, size_t count) {
    uint64_t first, last;
    while (*value && take_range(&value, &first, &last))
        for (; first <= last && first < count; first++)
            marks[first] = true;
}

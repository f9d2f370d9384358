/* setting.h: values of declared options: checking them, and looking them up. */
#ifndef QUIPU_CORE_TEXT_SETTING_H
#define QUIPU_CORE_TEXT_SETTING_H

#include <quipu/base.h>

/* Settings and the options that they belong to. Borrowed. */
struct quipu__settings {
    const struct quipu_option *options;
    size_t option_count;
    const struct quipu_setting *items;
    size_t count;
};

/* QUIPU_MISUSE for a setting whose option is not declared or whose value is not of the option's form. owner is the
 * name of what declares the options, such as "profile". The advice lists them. */
enum quipu_status quipu__settings_check(const struct quipu__settings *settings, const char *owner,
                                        struct quipu_error *err);

/* The value that was given last, else the default, which may be NULL. */
const char *quipu__settings_value(const struct quipu__settings *settings, const char *name);

/* Whether the value of a choice is "yes". */
bool quipu__settings_say_yes(const struct quipu__settings *settings, const char *name);

/* The value of an option of kind TIME, which has been checked; INT64_MAX for "end". */
int64_t quipu__setting_time(const char *value);

/* Whether a number is in a value of kind LOCATIONS, which has been checked. */
bool quipu__setting_has_location(const char *value, uint32_t location);

/* Marks the numbers below count that are in such a value. */
void quipu__setting_mark_locations(const char *value, bool *marks, size_t count);

#endif

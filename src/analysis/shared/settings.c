/* settings.c: see settings.h. */
#include "analysis/shared/settings.h"

#include "core/text.h"

#include <string.h>

int64_t quipu__time_setting(const struct quipu__fold_start *start, const char *name, int64_t otherwise) {
    const char *value = quipu__settings_value(&start->settings, name);
    if (!value || strcmp(value, "end") == 0)
        return otherwise;
    return quipu_clock_ns(&start->definitions->clock, quipu__setting_time(value));
}

uint64_t quipu__number_setting(const struct quipu__fold_start *start, const char *name) {
    const char *value = quipu__settings_value(&start->settings, name);
    uint64_t number = 0;
    if (value)
        quipu__parse_u64(value, strlen(value), &number);
    return number;
}

/* settings.h: values of options that several analyses have. */
#ifndef QUIPU_ANALYSIS_SHARED_SETTINGS_H
#define QUIPU_ANALYSIS_SHARED_SETTINGS_H

#include "analysis/shared/fold.h"

/* A time in ns; what is said otherwise when the option is not given, or "end". */
int64_t quipu__time_setting(const struct quipu__fold_start *start, const char *name, int64_t otherwise);

/* A number; 0 when it is not given. */
uint64_t quipu__number_setting(const struct quipu__fold_start *start, const char *name);

/* The row of --eager-limit. */
#define QUIPU__EAGER_LIMIT_OPTION                                                                              \
    {                                                                                                          \
        .name = "eager-limit", .kind = QUIPU_OPTION_SIZE, .argument = "SIZE", .default_value = "0",            \
        .doc =                                                                                                 \
            "sends of fewer bytes, such as 64K, do not wait for their receivers, unless they are synchronous"  \
    }

#endif

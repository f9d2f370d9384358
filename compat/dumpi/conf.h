/* conf.h: dumpi.conf, in which users say what the recorder records. */
#ifndef QUIPU_COMPAT_DUMPI_CONF_H
#define QUIPU_COMPAT_DUMPI_CONF_H

#include <dumpi/common/settings.h>
#include <stdbool.h>

#define CONF_ROOT_BYTES 1024
#define CONF_FUNCTIONS 293
#define CONF_COUNTERS 128
#define CONF_COUNTER_BYTES 80

struct conf {
    char root[CONF_ROOT_BYTES]; /* how names of files begin */
    dumpi_timestamps timestamps;
    dumpi_setting statuses;
    dumpi_setting functions[CONF_FUNCTIONS]; /* by their numbers */
    bool has_enters, has_exits;              /* functions and annotations: records of these are written */
    char counters[CONF_COUNTERS][CONF_COUNTER_BYTES];
    int counter_count;
    bool is_verbose; /* says what is read and written */
};

/* Reads the file that DUMPI_CONF names, or dumpi.conf in the working directory; where there is none all is recorded. A line that
 * means nothing is reported on standard error and ignored. */
void conf_read(struct conf *conf);

#endif

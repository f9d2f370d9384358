/* spacing.c: see spacing.h. */
#include "spacing.h"

#include "report.h"
#include "window.h"

enum { COUNT_DEFAULT = 100 };

enum exit_code spacing_of(const struct job *job, int64_t *out_interval, uint64_t *out_count) {
    const char *every = option_text(job->arguments, OPTION_every);
    *out_interval = 0;
    *out_count = option_number(job->arguments, OPTION_count, every ? 0 : COUNT_DEFAULT);
    if (every && option_given(job->arguments, OPTION_count))
        return report_usage("--every and --count exclude each other");
    if (every &&
        (!parse_time(every, &quipu_reader_definitions(job->reader)->clock, out_interval) || *out_interval <= 0))
        return report_usage("--every needs a time such as 1200 (ticks) or 1.5ms, not \"%s\"", every);
    return every || *out_count > 0 ? EXIT_FINE : report_usage("--count begins at 1");
}

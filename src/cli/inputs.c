/* inputs.c: see inputs.h. */
#include "inputs.h"

#include "report.h"

#include <stdlib.h>

enum exit_code inputs_open(struct inputs *inputs, const struct arguments *arguments) {
    const size_t count = (size_t)arguments->operand_count;
    *inputs = (struct inputs){.jobs = calloc(count, sizeof *inputs->jobs),
                              .readers = calloc(count, sizeof(struct quipu_reader *))};
    if (!inputs->jobs || !inputs->readers)
        return report_no_memory();
    enum exit_code code = EXIT_FINE;
    for (size_t i = 0; i < count && code == EXIT_FINE; i++) {
        code = job_begin(&inputs->jobs[i], arguments, arguments->operands[i]);
        inputs->readers[i] = inputs->jobs[i].reader;
        inputs->count = i + 1;
    }
    return code;
}

enum exit_code inputs_close(struct inputs *inputs, enum exit_code code) {
    for (size_t i = 0; i < inputs->count; i++)
        code = worse_exit(code, job_end(&inputs->jobs[i]));
    free(inputs->jobs);
    free(inputs->readers);
    return code;
}

/* cmd_why.c: quipu why: what a program loses time to, as a page or as tables. */
#include "show.h"
#include "why_page.h"

static enum exit_code write_page(struct job *job, const struct quipu_tables *tables) {
    struct printing printing;
    const enum exit_code code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    job_set(job, why_page_write(tables, job->path, printing.sink, &job->err));
    return printing_end(&printing, job->code);
}

static void explain(struct job *job) {
    const struct quipu_render_options render = render_options_of(job->arguments);
    struct quipu_tables *tables;
    const enum quipu_status status = quipu_why(job->reader, &tables, &job->err);
    job_set(job, status);
    if (status == QUIPU_OK)
        job->code =
            render.style == QUIPU_STYLE_TEXT ? write_page(job, tables) : show_tables(job, tables, &render);
    if (status == QUIPU_OK)
        show_note(job, tables);
    quipu_tables_free(tables);
}

enum exit_code command_why(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        explain(&job);
    return job_end(&job);
}

/* study.h: what the study of parallel file systems wants to know beyond io.h. Events come in order of time. */
#ifndef QUIPU_ANALYSIS_IO_STUDY_H
#define QUIPU_ANALYSIS_IO_STUDY_H

#include "analysis/io/io.h"
#include "analysis/io/cache.h"

struct quipu__io_numbers {
    uint64_t items[QUIPU__IO_LIST];
    uint32_t count;
};

/* An application from where it is loaded to where it exits. */
struct quipu__io_job {
    uint32_t location; /* QUIPU_NONE: stands for the trace */
    bool has_started, has_ended;
    int64_t begin, end;
    uint64_t clients;
    uint32_t opened; /* list of the file uses that it has opened: numbers plus 1 */
};

struct quipu__io_size {
    uint64_t bytes, requests;
};

/* How often requests of each size came. */
struct quipu__io_sizes {
    struct quipu__map numbers;
    QUIPU__VEC(struct quipu__io_size) list;
    uint32_t latest;
};

/* The caches of a client for a file, one of each size. */
struct quipu__client_cache {
    struct quipu__client_blocks sizes[QUIPU__IO_LIST];
};

struct quipu__io_study {
    uint64_t small;
    enum quipu__replacement client_replacement;
    bool has_replacement[QUIPU__REPLACEMENTS];
    struct quipu__io_numbers io_buffers, client_buffers;
    uint32_t io_nodes;
    uint32_t size_key; /* attribute "file_size", or QUIPU_NONE */
    bool has_applications;
    QUIPU__VEC(struct quipu__io_job) jobs;
    struct quipu__map job_of, job_clients,
        files_open; /* by location; (job, client); jobs that have a file open */
    struct quipu__io_sizes sizes[QUIPU__IO_DIRECTIONS];
    uint64_t small_requests[QUIPU__IO_DIRECTIONS], small_bytes[QUIPU__IO_DIRECTIONS];
    uint64_t files_shared_by_jobs;
    struct quipu__map shared_files, removed; /* removed: by application and file */
    struct quipu__node_caches nodes;
    struct quipu__node_caches combined; /* LRU, behind client caches of the first size */
};

/* The option --block. */
enum quipu_status quipu__io_block_size(const struct quipu__settings *settings, int64_t *out,
                                       struct quipu_error *err);

enum quipu_status quipu__io_study_new(struct quipu__io *io, const struct quipu__settings *settings,
                                      struct quipu_error *err);
void quipu__io_study_free(struct quipu__io *io);

/* What happens; false when memory is out. study_time is told of every event. */
QUIPU_CHECKED bool quipu__io_study_time(struct quipu__io *io, uint32_t location, int64_t time);
QUIPU_CHECKED bool quipu__io_study_request(struct quipu__io *io, const struct quipu__io_request *request);
QUIPU_CHECKED bool quipu__io_study_open(struct quipu__io *io, struct quipu__io_use *use, uint32_t flags);
QUIPU_CHECKED bool quipu__io_study_close(struct quipu__io *io, const struct quipu_batch *batch, uint32_t event,
                                         uint32_t file);
QUIPU_CHECKED bool quipu__io_study_event(struct quipu__io *io, const struct quipu_batch *batch, uint32_t event);

enum quipu_status quipu__io_study_show(struct quipu__io *io, struct quipu_tables *tables,
                                       struct quipu_error *err);

#endif

/* copy.c: reads a file by one callback per call, each of which writes its call to another file: every argument goes
 * through the argument structs once. */
#include <stdlib.h>
#include <string.h>

#include <dumpi/common/io.h>
#include <dumpi/libundumpi/libundumpi.h>

struct copying {
    dumpi_profile *out;
    dumpi_outputs outputs;
    int good;
};

#define CALL(record, number, name, type, family, call, grab, callback)                                         \
    static int copy_##record(const type *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,  \
                             const dumpi_perfinfo *perf, void *userarg) {                                      \
        struct copying *copying = userarg;                                                                     \
        copying->good &= family##_write_##call(prm, thread, cpu, wall, perf, &copying->outputs, copying->out); \
        return 1;                                                                                              \
    }
#include "../../../../compat/dumpi/calls.def"

static void copy_calls(dumpi_profile *in, struct copying *copying) {
    libundumpi_callbacks callbacks;
#define CALL(record, number, name, type, family, call, grab, callback) callbacks.callback = copy_##record;
#include "../../../../compat/dumpi/calls.def"
    undumpi_read_stream(in, &callbacks, copying, false);
}

static void copy_sections(dumpi_profile *in, struct copying *copying) {
    dumpi_profile *out = copying->out;
    dumpi_header *header = undumpi_read_header(in);
    dumpi_footer *footer = undumpi_read_footer(in);
    dumpi_keyval_record *keyvals = undumpi_read_keyval_record(in);
    dumpi_sizeof sizes = undumpi_read_datatype_sizes(in);
    dumpi_perfinfo *perf = calloc(1, sizeof *perf);
    int count, name_count;
    uint64_t *addresses;
    char **names;
    dumpi_read_perfctr_labels(in, &count, perf->counter_tag, DUMPI_MAX_PERFCTRS);
    perf->count = count;
    dumpi_read_function_addresses(in, &name_count, &addresses, &names);
    copying->good &= dumpi_write_header(out, header) && dumpi_write_footer(out, footer) &&
                     dumpi_write_keyval_record(out, keyvals) &&
                     dumpi_write_perfctr_labels(out, perf->count, perf->counter_tag) &&
                     dumpi_write_datatype_sizes(out, &sizes) &&
                     dumpi_write_function_addresses(out, name_count, addresses, names);
    dumpi_free_header(header);
    dumpi_free_footer(footer);
    dumpi_free_keyval_record(keyvals);
    free(sizes.size);
    free(perf);
    for (int i = 0; i < name_count; i++)
        free(names[i]);
    free(names);
    free(addresses);
}

int main(int argc, char **argv) {
    struct copying copying = {.good = 1};
    dumpi_profile *in = argc == 3 ? undumpi_open(argv[1]) : NULL;
    if (!in || !dumpi_start_stream_read(in))
        return 1;
    copying.out = dumpi_alloc_output_profile(in->cpu_time_offset, in->wall_time_offset, 4096);
    copying.out->file = dumpi_open_output_file(argv[2]);
    memcpy(copying.out->version, in->version, sizeof in->version);
    copying.outputs.timestamps = DUMPI_TIME_FULL;
    copying.outputs.statuses = DUMPI_ENABLE;
    copying.outputs.perfinfo = 1;
    memset(copying.outputs.function, 1, sizeof copying.outputs.function);
    copy_calls(in, &copying);
    copy_sections(in, &copying);
    undumpi_close(in);
    free(in);
    copying.good &= dumpi_write_index(copying.out);
    dumpi_free_output_profile(copying.out);
    return copying.good ? 0 : 2;
}

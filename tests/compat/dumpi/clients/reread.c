/* reread.c: reads every call into its struct by the function of its kind, writes it to another file by the function
 * of its kind, and frees what reading has allocated. */
#include <stdlib.h>
#include <string.h>

#include <dumpi/common/io.h>
#include <dumpi/common/iodefs.h>
#include <dumpi/libundumpi/bindings.h>

/* ---- Freeing: by the type of each member ---- */

static void nothing(long long value) {
    (void)value;
}
static void free_list(void *list) {
    free(list);
}
static void free_texts(char **texts) {
    DUMPI_FREE_CHAR_ARRAY_2(DUMPI_NULLTERM, texts);
}
static void free_rows(int **rows) {
    DUMPI_FREE_INT_ARRAY_2(DUMPI_NULLTERM, rows);
}
static void free_text_lists(char ***lists) {
    DUMPI_FREE_CHAR_ARRAY_3(DUMPI_NULLTERM, DUMPI_NULLTERM, lists);
}
#define FREE(VALUE)                                                                                            \
    _Generic((VALUE), int *: free_list, int16_t *: free_list, char *: free_list, dumpi_status *: free_list,    \
             char **: free_texts, int **: free_rows, char ***: free_text_lists, default: nothing)(VALUE)

enum {
#define CALL(record, number, name, type, family, call, grab, callback) ID_##record = number,
#include "../../../../compat/dumpi/calls.def"
};

static void free_members(int id, void *val) {
#define MEMBER(record, field, type, member)                                                                    \
    if (id == ID_##record)                                                                                     \
        FREE(((type *)val)->member);
#include "../../../../compat/dumpi/calls.def"
}

/* ---- Copying ---- */

#define CALL(record, number, name, type, family, call, grab, callback) type record;
union any {
#include "../../../../compat/dumpi/calls.def"
};

static int copy_call(int number, dumpi_profile *in, const dumpi_outputs *outputs, dumpi_profile *out) {
    static dumpi_perfinfo perf;
    dumpi_time cpu, wall;
    uint16_t thread;
    union any val;
    int good = 0;
    switch (number) {
#define CALL(record, number, name, type, family, call, grab, callback)                                         \
    case number:                                                                                               \
        good = family##_read_##call(&val.record, &thread, &cpu, &wall, &perf, in) &&                           \
               family##_write_##call(&val.record, thread, &cpu, &wall, &perf, outputs, out);                   \
        break;
#include "../../../../compat/dumpi/calls.def"
    default:
        return 0;
    }
    if (good)
        free_members(number, &val);
    return good;
}

static int copy_rest(dumpi_profile *in, dumpi_profile *out) {
    dumpi_header *header = dumpi_build_header();
    dumpi_header read;
    dumpi_footer footer;
    dumpi_keyval_record *keyvals = dumpi_alloc_keyval_record();
    dumpi_sizeof sizes;
    dumpi_perflabel_t labels[DUMPI_MAX_PERFCTRS];
    int count, name_count;
    uint64_t *addresses;
    char **names;
    int good = dumpi_read_header(in, &read) && dumpi_read_footer(in, &footer) &&
               dumpi_read_keyval_record(in, keyvals) && dumpi_read_datatype_sizes(in, &sizes) &&
               dumpi_read_function_addresses(in, &name_count, &addresses, &names);
    if (!good)
        return 0;
    dumpi_read_perfctr_labels(in, &count, labels, DUMPI_MAX_PERFCTRS);
    good = dumpi_write_header(out, &read) && dumpi_write_footer(out, &footer) &&
           dumpi_write_keyval_record(out, keyvals->count ? keyvals : NULL) &&
           dumpi_write_perfctr_labels(out, count, labels) && dumpi_write_datatype_sizes(out, &sizes) &&
           dumpi_write_function_addresses(out, name_count, addresses, names) && dumpi_write_index(out);
    DUMPI_FREE_CHAR_ARRAY_2(name_count, names);
    free(addresses);
    free(sizes.size);
    dumpi_free_keyval_record(keyvals);
    free(read.hostname);
    free(read.username);
    free(read.meshcrd);
    free(read.meshsize);
    dumpi_free_header(header);
    return good;
}

int main(int argc, char **argv) {
    dumpi_profile *in = argc == 3 ? undumpi_open(argv[1]) : NULL;
    dumpi_outputs outputs;
    int number, good = 1;
    if (!in || !dumpi_start_stream_read(in))
        return 1;
    dumpi_profile *out = dumpi_alloc_output_profile(in->cpu_time_offset, in->wall_time_offset, 0);
    memset(&outputs, 1, sizeof outputs);
    outputs.timestamps = DUMPI_TIME_FULL;
    outputs.statuses = DUMPI_ENABLE;
    out->file = dumpi_open_output_file(argv[2]);
    memcpy(out->version, in->version, sizeof in->version);
    while (good && (number = dumpi_read_next_function(in)) < DUMPI_END_OF_STREAM)
        good = copy_call(number, in, &outputs, out);
    good = good && copy_rest(in, out);
    undumpi_close(in);
    free(in);
    dumpi_free_output_profile(out);
    return good ? 0 : 2;
}

/* write_calls.c: writes a trace of a few calls, once by the function of each kind and once by the macros of iodefs.h, and
 * reads calls back by such macros. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dumpi/common/constants.h>
#include <dumpi/common/gettime.h>
#include <dumpi/common/io.h>
#include <dumpi/common/iodefs.h>
#include <dumpi/libundumpi/libundumpi.h>

typedef int (*write_recv)(const dumpi_recv *val, DUMPI_WRITEARGS);
typedef int (*write_range)(const dumpi_group_range_incl *val, DUMPI_WRITEARGS);

static int own_recv(const dumpi_recv *val, DUMPI_WRITEARGS) {
    STARTWRITE(profile, DUMPI_Recv);
    PUT_INT(profile, val->count);
    PUT_DUMPI_DATATYPE(profile, val->datatype);
    PUT_DUMPI_SOURCE(profile, val->source);
    PUT_DUMPI_TAG(profile, val->tag);
    PUT_DUMPI_COMM(profile, val->comm);
    PUT_DUMPI_STATUS(profile, val->status);
    ENDWRITE(profile);
}

static int own_range(const dumpi_group_range_incl *val, DUMPI_WRITEARGS) {
    STARTWRITE(profile, DUMPI_Group_range_incl);
    PUT_DUMPI_GROUP(profile, val->group);
    PUT_INT(profile, val->count);
    PUT_INT_ARRAY_2(profile, val->count, 3, val->ranges);
    PUT_DUMPI_GROUP(profile, val->newgroup);
    ENDWRITE(profile);
}

static int own_read_recv(dumpi_recv *val, DUMPI_READARGS) {
    STARTREAD(profile, DUMPI_Recv);
    val->count = GET_INT(profile);
    val->datatype = GET_DUMPI_DATATYPE(profile);
    val->source = GET_DUMPI_SOURCE(profile);
    val->tag = GET_DUMPI_TAG(profile);
    val->comm = GET_DUMPI_COMM(profile);
    val->status = GET_DUMPI_STATUS(profile);
    ENDREAD(profile);
}

static int own_read_range(dumpi_group_range_incl *val, DUMPI_READARGS) {
    STARTREAD(profile, DUMPI_Group_range_incl);
    val->group = GET_DUMPI_GROUP(profile);
    val->count = GET_INT(profile);
    GET_INT_ARRAY_2(profile, val->count, 3, val->ranges);
    val->newgroup = GET_DUMPI_GROUP(profile);
    ENDREAD(profile);
}

static const dumpi_time cpu = {{3, 5}, {3, 70}}, wall = {{100000, 250000000}, {100001, 999999999}};

static int write_file(const char *name, write_recv recv, write_range range) {
    dumpi_profile *profile = dumpi_alloc_output_profile(2, 99990, 64);
    dumpi_outputs outputs = {DUMPI_TIME_FULL, DUMPI_ENABLE, 1, {0}};
    dumpi_perfinfo perf = {.count = 2, .invalue = {1, -2}, .outvalue = {INT64_C(1) << 40, -3}};
    dumpi_perflabel_t labels[2] = {"A", "LABEL_B"};
    dumpi_status status = {40, 3, 17, 0, -1};
    const dumpi_recv received = {10, DUMPI_INT, 3, DUMPI_ANY_TAG, DUMPI_COMM_WORLD, &status};
    const dumpi_recv ignored = {10, DUMPI_INT, DUMPI_ANY_SOURCE, 5, DUMPI_COMM_SELF, DUMPI_STATUS_IGNORE};
    int rows[2][3] = {{0, 6, 2}, {9, 1, -3}}, *ranges[2] = {rows[0], rows[1]};
    const dumpi_group_range_incl grouped = {4, 2, ranges, 5};
    int int_sizes[3] = {0, 0, 1};
    const dumpi_sizeof sizes = {3, int_sizes};
    const uint64_t addresses[2] = {4096, UINT64_C(0xfedcba9876543210)};
    char *names[2] = {"main", ""};
    dumpi_header header = {{13, 0, 0}, 1000000007, "host", "user", 0, NULL, NULL};
    dumpi_footer footer;
    dumpi_keyval_record *keyvals = dumpi_alloc_keyval_record();
    memset(&footer, 0, sizeof footer);
    footer.call_count[DUMPI_Recv] = 2;
    dumpi_push_keyval_entry(keyvals, "key", "value");
    dumpi_push_keyval_entry(keyvals, "wrong", "");
    dumpi_push_keyval_entry(keyvals, "second", "");
    int good = dumpi_erase_keyval_entry(keyvals, keyvals->head->next) &&
               !dumpi_erase_keyval_entry(keyvals, NULL) && keyvals->count == 2;
    memset(outputs.function, 1, sizeof outputs.function);
    outputs.function[DUMPI_Send] = 0;
    profile->file = dumpi_open_output_file(name);
    good = good && recv(&received, 1, &cpu, &wall, &perf, &outputs, profile) &&
           recv(&ignored, 0, &cpu, &wall, NULL, &outputs, profile) &&
           dumpi_write_send(&(dumpi_send){0}, 0, &cpu, &wall, NULL, &outputs, profile) &&
           range(&grouped, 0, &cpu, &wall, NULL, &outputs, profile) && dumpi_write_header(profile, &header) &&
           dumpi_write_footer(profile, &footer) && dumpi_write_keyval_record(profile, keyvals) &&
           dumpi_write_perfctr_labels(profile, 2, labels) && dumpi_write_datatype_sizes(profile, &sizes) &&
           dumpi_write_function_addresses(profile, 2, addresses, names);
    good = good && dumpi_write_index(profile);
    dumpi_free_keyval_record(keyvals);
    dumpi_free_output_profile(profile);
    return good;
}

static int check_file(const char *name) {
    dumpi_profile *profile = undumpi_open(name);
    static dumpi_perfinfo perf;
    dumpi_time c, w;
    uint16_t thread;
    dumpi_recv received;
    dumpi_group_range_incl grouped;
    int good = profile && dumpi_start_stream_read(profile) && profile->wall_time_offset == 99990 &&
               get_function_label(profile) == DUMPI_Recv &&
               own_read_recv(&received, &thread, &c, &w, &perf, profile);
    good = good && memcmp(&c, &cpu, sizeof c) == 0 && memcmp(&w, &wall, sizeof w) == 0 && thread == 1 &&
           perf.count == 2 && perf.outvalue[1] == -3 && received.status->tag == 17 &&
           received.status->error == -1;
    DUMPI_FREE_STATUS(received.status);
    good = good && get_function_label(profile) == DUMPI_Recv &&
           own_read_recv(&received, &thread, &c, &w, &perf, profile) && !received.status &&
           get_function_label(profile) == DUMPI_Group_range_incl &&
           own_read_range(&grouped, &thread, &c, &w, &perf, profile) && grouped.count == 2 &&
           grouped.ranges[1][2] == -3 && grouped.newgroup == 5 && perf.count == 0;
    DUMPI_FREE_INT_ARRAY_2(grouped.count, grouped.ranges);
    good = good && get_function_label(profile) == DUMPI_END_OF_STREAM;
    undumpi_close(profile);
    free(profile);
    return good;
}

int main(int argc, char **argv) {
    dumpi_clock earlier, later;
    dumpi_get_time(NULL, &earlier);
    dumpi_get_time(&later, &later);
    if (argc != 3 || later.sec < earlier.sec)
        return 1;
    if (!write_file(argv[1], dumpi_write_recv, dumpi_write_group_range_incl))
        return 2;
    if (!write_file(argv[2], own_recv, own_range))
        return 3;
    return check_file(argv[1]) && check_file(argv[2]) ? 0 : 4;
}

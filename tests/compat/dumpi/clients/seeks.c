/* seeks.c: moves about in the file of a profile, as a program does that keeps places of calls and comes back to them:
 *
 *     seeks FILE back      notes where each call is, then reads them from the last to the first, with sections between
 *     seeks FILE callback  a callback seeks over the call that follows each MPI_Comm_rank
 *     seeks FILE bytes     takes the bytes of numbers and masks itself, between calls that the library reads
 */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dumpi/common/iodefs.h>
#include <dumpi/libundumpi/bindings.h>

static int number;
static dumpi_profile *profile;
static libundumpi_cbpair pairs[DUMPI_END_OF_STREAM];

static int print_call(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                      const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)perf, (void)userarg;
    printf("%d.%09d\n", wall->start.sec, wall->start.nsec);
    return 1;
}

static void fill_pairs(void) {
    libundumpi_callbacks callbacks;
    libundumpi_set_callbacks(&callbacks, print_call);
    libundumpi_populate_callbacks(&callbacks, pairs);
}

static int read_back(void) {
    static off_t offsets[100000];
    int count = 0, finalized = 0;
    libundumpi_cbpair silent[DUMPI_END_OF_STREAM];
    libundumpi_populate_callbacks(NULL, silent);
    dumpi_start_stream_read(profile);
    for (;;) {
        offsets[count] = ftello(profile->file);
        if (profile->pos != (uint64_t)offsets[count])
            return 1;
        if (!undumpi_read_single_call(profile, silent, NULL, &finalized))
            break;
        count++;
    }
    while (count-- > 0) {
        dumpi_sizeof sizes = undumpi_read_datatype_sizes(profile);
        free(sizes.size);
        fseeko(profile->file, offsets[count], SEEK_SET);
        if (count % 2)
            undumpi_read_single_call(profile, pairs, NULL, &finalized);
        else if ((number = dumpi_read_next_function(profile)) < DUMPI_END_OF_STREAM)
            pairs[number].handler(profile, pairs[number].callout, NULL);
        if (ftello(profile->file) != offsets[count + 1])
            return 2;
    }
    return 0;
}

/* The call at the position has no lists: its length is known. */
static int skip_next(const dumpi_comm_rank *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                     const dumpi_perfinfo *perf, void *userarg) {
    libundumpi_cbpair silent[DUMPI_END_OF_STREAM];
    int finalized = 0;
    print_call(prm, thread, cpu, wall, perf, userarg);
    libundumpi_populate_callbacks(NULL, silent);
    if (ftello(profile->file) != (off_t)profile->pos)
        printf("the file is elsewhere\n");
    undumpi_read_single_call(profile, silent, NULL, &finalized);
    return 1;
}

static int read_by_callback(void) {
    libundumpi_callbacks callbacks;
    libundumpi_set_callbacks(&callbacks, print_call);
    callbacks.on_comm_rank = skip_next;
    return undumpi_read_stream(profile, &callbacks, NULL, false) != 1;
}

/* MPI_Comm_rank: i16 communicator and i32 rank after the frame. */
static int read_bytes(void) {
    dumpi_start_stream_read(profile);
    while ((number = get_function_label(profile)) < DUMPI_END_OF_STREAM) {
        if (number != DUMPI_Comm_rank) {
            pairs[number].handler(profile, pairs[number].callout, NULL);
            continue;
        }
        dumpi_time cpu, wall;
        const uint8_t mask = get_config_mask(profile);
        const uint16_t thread = get16(profile);
        get_times(profile, &cpu, &wall, mask);
        const dumpi_comm comm = GET_DUMPI_COMM(profile);
        const int rank = GET_INT(profile);
        printf("%d.%09d rank %d of %d by %d\n", wall.start.sec, wall.start.nsec, rank, comm, thread);
    }
    return 0;
}

static int read_as(const char *what) {
    if (strcmp(what, "back") == 0)
        return read_back();
    return strcmp(what, "callback") == 0 ? read_by_callback() : read_bytes();
}

int main(int argc, char **argv) {
    profile = argc == 3 ? undumpi_open(argv[1]) : NULL;
    if (!profile)
        return 9;
    fill_pairs();
    const int result = read_as(argv[2]);
    undumpi_close(profile);
    free(profile);
    return result;
}

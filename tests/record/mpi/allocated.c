/* allocated.c: windows whose memory MPI allocates, shares or attaches later; a process puts an integer into its neighbour's of the first two. A
 * datatype that a call without a record in DUMPI has made is sent. */
#include <mpi.h>

static int rank, size;

static void put(MPI_Win window) {
    int value = 5;
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void attach(void) {
    int memory[4];
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, sizeof memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
}

/* Two blocks of three integers: 24 bytes. */
static void send_blocks(void) {
    const MPI_Aint offsets[] = {0, 16};
    int data[7] = {0}, received[7];
    MPI_Datatype blocks;
    MPI_Type_create_hindexed_block(2, 3, offsets, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_Sendrecv(data, 1, blocks, (rank + 1) % size, 7, received, 1, blocks, (rank + size - 1) % size, 7,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&blocks);
}

int main(int argc, char **argv) {
    int *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    put(window);
    MPI_Win_allocate_shared(32, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    put(window);
    attach();
    send_blocks();
    return MPI_Finalize();
}

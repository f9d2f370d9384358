/* mpi_io.c: each of four ranks writes eight blocks of 4096 bytes to one file, and reads them back. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    static char block[4096];
    MPI_File file;
    int rank, checksum = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "ranks", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    memset(block, rank + 1, sizeof block);
    for (int i = 0; i < 8; i++)
        MPI_File_write_at(file, (MPI_Offset)(rank + 4 * i) * 4096, block, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++) {
        memset(block, 0, sizeof block);
        MPI_File_read_at(file, (MPI_Offset)(rank + 4 * i) * 4096, block, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
        checksum += block[4095];
    }
    MPI_File_close(&file);
    MPI_Reduce(&checksum, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", all);
    MPI_Finalize();
    return 0;
}

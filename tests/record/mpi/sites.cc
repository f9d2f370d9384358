/* sites.cc: calls of MPI from functions of classes, in namespaces, of templates, and from one that is inlined. */
#include <mpi.h>

namespace heat {
template <typename Value> class Solver {
  public:
    explicit Solver(int rank) : rank_(rank) {}
    __attribute__((noinline)) int exchange(Value value) {
        Value total;
        MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        synchronize();
        return static_cast<int>(total) + rank_;
    }

  private:
    __attribute__((always_inline)) void synchronize() { MPI_Barrier(MPI_COMM_WORLD); }
    int rank_;
};
} // namespace heat

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    heat::Solver<double> solver(rank);
    int total = solver.exchange(1);
    MPI_Finalize();
    return total > 0 ? 0 : 1;
}

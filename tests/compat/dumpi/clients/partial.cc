// partial.cc: a C++ program that looks at some calls only and keeps what it learns in an object. Prints these calls.
#include <cstdio>
#include <string>
#include <vector>

#include <dumpi/common/argtypes.h>
#include <dumpi/common/constants.h>
#include <dumpi/libundumpi/callbacks.h>
#include <dumpi/libundumpi/libundumpi.h>

namespace {

class Collector {
  public:
    std::vector<std::string> lines;

    static int gatherv(const dumpi_gatherv *prm, uint16_t, const dumpi_time *, const dumpi_time *,
                       const dumpi_perfinfo *, void *userarg) {
        std::string line = "gatherv";
        for (int i = 0; prm->recvcounts && i < prm->commsize; i++)
            line += " " + std::to_string(prm->recvcounts[i]);
        return static_cast<Collector *>(userarg)->add(line);
    }

    static int range_incl(const dumpi_group_range_incl *prm, uint16_t, const dumpi_time *, const dumpi_time *,
                          const dumpi_perfinfo *, void *userarg) {
        std::string line = "ranges";
        for (int i = 0; i < prm->count; i++)
            line += " " + std::to_string(prm->ranges[i][0]) + ":" + std::to_string(prm->ranges[i][1]) + ":" +
                    std::to_string(prm->ranges[i][2]);
        return static_cast<Collector *>(userarg)->add(line);
    }

    static int spawn(const dumpi_comm_spawn_multiple *prm, uint16_t, const dumpi_time *, const dumpi_time *,
                     const dumpi_perfinfo *, void *userarg) {
        std::string line = "spawn";
        for (int i = 0; i < prm->count; i++) {
            line += std::string(" ") + prm->commands[i];
            for (char **argument = prm->argvs[i]; *argument; argument++)
                line += std::string(" ") + *argument;
        }
        return static_cast<Collector *>(userarg)->add(line);
    }

    static int dims_create(const dumpi_dims_create *prm, uint16_t, const dumpi_time *, const dumpi_time *,
                           const dumpi_perfinfo *, void *userarg) {
        return static_cast<Collector *>(userarg)->add("dims " + std::to_string(prm->dims.in[0]) + " " +
                                                      std::to_string(prm->dims.out[prm->ndim - 1]));
    }

    static int cart_get(const dumpi_cart_get *prm, uint16_t, const dumpi_time *, const dumpi_time *,
                        const dumpi_perfinfo *, void *userarg) {
        std::string line = dumpi_get_comm_name(prm->comm);
        for (int i = 0; i < prm->ndim; i++)
            line += " " + std::to_string(prm->coords[i]);
        return static_cast<Collector *>(userarg)->add(line);
    }

  private:
    int add(const std::string &line) {
        lines.push_back(line);
        return 1;
    }
};

} // namespace

int main(int argc, char **argv) {
    Collector collector;
    libundumpi_callbacks callbacks;
    libundumpi_clear_callbacks(&callbacks);
    callbacks.on_gatherv = Collector::gatherv;
    callbacks.on_group_range_incl = Collector::range_incl;
    callbacks.on_comm_spawn_multiple = Collector::spawn;
    callbacks.on_dims_create = Collector::dims_create;
    callbacks.on_cart_get = Collector::cart_get;
    dumpi_profile *profile = argc == 2 ? undumpi_open(argv[1]) : nullptr;
    if (!profile)
        return 1;
    undumpi_read_stream_full("test.meta", profile, &callbacks, &collector, false);
    undumpi_close(profile);
    free(profile);
    for (const std::string &line : collector.lines)
        std::printf("%s\n", line.c_str());
    return 0;
}

/* sections.c: the header and the footer of files and nothing else, as a program does that maps ranks to machines. */
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/common/funcs.h>
#include <dumpi/common/io.h>
#include <dumpi/libundumpi/libundumpi.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        dumpi_profile *profile = undumpi_open(argv[i]);
        dumpi_header header;
        dumpi_footer footer;
        if (!profile || !dumpi_read_header(profile, &header) || !dumpi_read_footer(profile, &footer))
            return 1;
        printf("%s %s %llu %d %d.%d.%d\n", header.hostname, header.username,
               (unsigned long long)header.starttime, header.meshdim, header.version[0], header.version[1],
               header.version[2]);
        for (int id = 0; id < DUMPI_ALL_FUNCTIONS; id++)
            if (footer.call_count[id] > 0)
                printf("%s %u %u\n", dumpi_get_function_name(id), footer.call_count[id],
                       footer.ignored_count[id]);
        free(header.hostname);
        free(header.username);
        free(header.meshcrd);
        free(header.meshsize);
        undumpi_close(profile);
        free(profile);
    }
    dumpi_header *own = dumpi_build_header();
    printf("own %d %s\n", own->version[0], own->username);
    dumpi_free_header(own);
    return 0;
}

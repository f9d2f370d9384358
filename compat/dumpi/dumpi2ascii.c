/* dumpi2ascii.c: prints the file of one rank as text. Options, text and exit codes are those of the original, but
 * where that one aborts in a damaged file this one prints what is intact, says what is wrong and ends with 3. */
#include "command.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 1, EXIT_UNREADABLE = 2 };

/* The sections of a file in the order in which they are printed. */
static const struct file_section {
    char option;
    uint32_t type;
    const char *help;
} file_sections[] = {
    {'H', QUIPU__DUMPI_TYPE_header, "header"},
    {'S', QUIPU__DUMPI_TYPE_begin, "calls (the default)"},
    {'K', QUIPU__DUMPI_TYPE_keyvals, "keyvals"},
    {'F', QUIPU__DUMPI_TYPE_footer, "footer: how often each function was called"},
    {'P', QUIPU__DUMPI_TYPE_counters, "names of the hardware counters"},
    {'A', QUIPU__DUMPI_TYPE_addresses, "names of functions and annotations"},
    {'X', QUIPU__DUMPI_TYPE_sizes, "sizes of the datatypes"},
};
enum {
    FILE_SECTION_COUNT = sizeof file_sections / sizeof *file_sections,
    ALL_FILE_SECTIONS = (1 << FILE_SECTION_COUNT) - 1
};

struct options {
    unsigned file_sections; /* bit per section */
    const char *path;
};

static int usage(void) {
    fprintf(stderr, "usage: dumpi2ascii [-h] [-v] [-a] [-H] [-S] [-K] [-F] [-P] [-A] [-X] [-f FILE] [FILE]\n"
                    "Prints the DUMPI file of one rank.\n"
                    "  -f FILE  the file\n"
                    "  -a       all of:\n");
    for (size_t i = 0; i < FILE_SECTION_COUNT; i++)
        fprintf(stderr, "  -%c       %s\n", file_sections[i].option, file_sections[i].help);
    return EXIT_USAGE;
}

static bool add_event(struct options *options, int option) {
    for (unsigned i = 0; i < FILE_SECTION_COUNT; i++)
        if (file_sections[i].option == option) {
            options->file_sections |= 1u << i;
            return true;
        }
    return false;
}

static bool parse_options(int argc, char **argv, struct options *options) {
    int option;
    while ((option = getopt(argc, argv, "hvaHSKFPAXf:")) != -1) {
        if (option == 'f')
            options->path = optarg;
        else if (option == 'a')
            options->file_sections = ALL_FILE_SECTIONS;
        else if (option != 'v' && !add_event(options, option))
            return false;
    }
    if (!options->path && optind < argc)
        options->path = argv[optind];
    if (options->file_sections == 0)
        add_event(options, 'S');
    return options->path != NULL;
}

/* What the original reads as a call at the end mark of the oldest files: number and mask, thread and clocks, and the
 * arguments of MPI_Send. */
#define OLD_MARK_BYTES ((size_t)(QUIPU__DUMPI_RECORD_LEAST + 26 + 16))

/* The oldest files end with the mark 290, which the original takes for a call to MPI_Send made of the bytes behind it. Its
 * text is the contract here; the library and quipu know better. */
static void print_old_mark(struct quipu__undumpi_printer *printer, struct quipu__undumpi_file *file) {
    uint8_t call[OLD_MARK_BYTES] = {0}; /* MPI_Send is number 0 */
    const uint8_t *next;
    if (quipu__undumpi_offset(file) >= file->calls_end ||
        quipu__input_more(file->input, sizeof call, &file->error) != QUIPU_OK)
        return;
    const size_t there = (size_t)(file->input->end - file->input->at);
    const size_t size = there < sizeof call ? there : sizeof call;
    if (size < QUIPU__DUMPI_RECORD_LEAST || quipu__load_be16(file->input->at) != QUIPU__DUMPI_OLD_END)
        return;
    memcpy(call + 2, file->input->at + 2, size - 2);
    if (quipu__dumpi_decode(&file->decoder, call, call + size, &next) != QUIPU__DUMPI_OK)
        return;
    quipu__undumpi_print_call(printer, &file->decoder);
    fputs(
        "dumpi2ascii: the last MPI_Send is no call but the end mark of the file, printed as the original does; "
        "quipu cat --records shows the file without it\n",
        stderr);
}

static enum quipu_status print_calls(struct quipu__undumpi_printer *printer, struct quipu__undumpi_file *file) {
    enum quipu_status status = quipu__undumpi_printer_learn(printer, file);
    const enum quipu_status rewound = quipu__undumpi_rewind(file);
    if (rewound != QUIPU_OK)
        return rewound;
    enum quipu_status next;
    while ((next = quipu__undumpi_next(file)) == QUIPU_OK && !printer->output.failed)
        quipu__undumpi_print_call(printer, &file->decoder);
    if (next == QUIPU_END)
        print_old_mark(printer, file);
    return next < 0 ? next : status;
}

static enum quipu_status print_section(struct quipu__undumpi_printer *printer, struct quipu__undumpi_file *file,
                                       uint32_t type) {
    if (type == QUIPU__DUMPI_TYPE_begin)
        return print_calls(printer, file);
    const enum quipu_status status = quipu__undumpi_section(file, type);
    if (status == QUIPU_END && type == QUIPU__DUMPI_TYPE_counters)
        fprintf(stderr, "dumpi2ascii: the file has no names of hardware counters\n");
    quipu__undumpi_print_section(printer, type, &file->decoder.data, status == QUIPU_OK);
    return status;
}

static void warn_of_version(const struct quipu__undumpi_file *file) {
    if (file->version > QUIPU__DUMPI_NEWEST)
        fprintf(stderr, "dumpi2ascii: the file has version %u.%u.%u, newer than this program knows\n",
                (unsigned)(file->version >> 16), (unsigned)(file->version >> 8 & 255),
                (unsigned)(file->version & 255));
}

static int print_file(struct quipu__undumpi_printer *printer, struct quipu__undumpi_file *file,
                      const struct options *options) {
    int code = EXIT_SUCCESS;
    for (unsigned i = 0; i < FILE_SECTION_COUNT; i++) {
        if (!(options->file_sections & 1u << i) || print_section(printer, file, file_sections[i].type) >= 0)
            continue;
        quipu__undumpi_complain("dumpi2ascii", options->path, &file->error);
        code = QUIPU__UNDUMPI_EXIT_DAMAGED;
    }
    return code;
}

int main(int argc, char **argv) {
    static struct quipu__undumpi_file file;
    static struct quipu__undumpi_printer printer;
    struct options options = {0, NULL};
    if (!parse_options(argc, argv, &options))
        return usage();
    if (quipu__undumpi_open(&file, options.path, false) != QUIPU_OK ||
        quipu__undumpi_printer_init(&printer, &file.memory, STDOUT_FILENO, &file.error) != QUIPU_OK) {
        quipu__undumpi_complain("dumpi2ascii", options.path, &file.error);
        return EXIT_UNREADABLE;
    }
    warn_of_version(&file);
    const int code = print_file(&printer, &file, &options);
    const bool written = quipu__undumpi_printer_release(&printer);
    quipu__undumpi_close(&file);
    if (!written)
        fprintf(stderr, "dumpi2ascii: the text could not be written\n");
    return written ? code : QUIPU__UNDUMPI_EXIT_OUTPUT;
}

/* dumpi2dumpi.c: copies a file, or all files of a run, leaving out what the options say.
 *
 * Options, exit codes and bytes are those of the original, with one exception: statuses are copied, where the original
 * always drops them; --skip-statuses gives its bytes. Where the original aborts (calls of MPIO_ and functions, files
 * without calls, damage) this one copies, or says what is wrong, copies what is intact and ends with 6.
 *
 * The biases of a copy are the seconds of its first call; when other times lie before those, it is made once more with
 * the biases of the input.
 */
#include "command.h"
#include "file.h"
#include "meta.h"
#include "sheet.h"
#include "writer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_LIMIT 4200

/* Exit codes of the original, and two more. */
enum {
    EXIT_USAGE = 1,
    EXIT_METAFILE_OUT = 1,
    EXIT_TWO_INPUTS = 2,
    EXIT_NO_OUTPUT = 3,
    EXIT_NO_INPUT = 4,
    EXIT_UNKNOWN_NAME = 5,
    EXIT_INPUT = 6,
    EXIT_OUTPUT = 7,
    EXIT_METAFILE = 8 /* and up to 11: by what is wrong */
};

struct options {
    const char *infile, *metafile, *outfile;
    bool keeps[QUIPU__DUMPI_TYPE_head]; /* calls by type */
    bool keeps_names;                   /* of functions */
    uint8_t mask;                       /* bits of a call that are copied */
    int code;                           /* EXIT_SUCCESS: go on */
    bool is_done;
};

/* ---- Options ---- */

static void keep_mpi(struct options *options, bool keeps) {
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_function_enter; type++)
        options->keeps[type] = keeps;
}

static void keep_functions(struct options *options, bool keeps) {
    options->keeps[QUIPU__DUMPI_TYPE_function_enter] = keeps;
    options->keeps[QUIPU__DUMPI_TYPE_function_exit] = keeps;
    options->keeps_names = keeps;
}

/* Function_enter and Function_exit are also known with MPI_ before them. */
static void keep_name(struct options *options, const char *name, bool keeps) {
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_head; type++) {
        const char *known = quipu__dumpi_types[type].name;
        if (strcmp(known, name) != 0 && (type < QUIPU__DUMPI_TYPE_function_enter ||
                                         strncmp(name, "MPI_", 4) != 0 || strcmp(known, name + 4) != 0))
            continue;
        options->keeps[type] = keeps;
        return;
    }
    fprintf(stderr, "dumpi2dumpi: there is no function %s\n", name);
    options->code = EXIT_UNKNOWN_NAME;
}

static void keep_bits(struct options *options, unsigned bits, bool keeps) {
    options->mask = (uint8_t)(keeps ? options->mask | bits : options->mask & ~bits);
}

static const struct option_row {
    const char *name;
    int letter;
    int has_argument;
    const char *help;
} option_rows[] = {
    {"help", 'h', no_argument, "print this"},
    {"verbose", 'v', no_argument, "accepted; there is nothing more to say"},
    {"output-mpi", 'f', no_argument, "copy all MPI functions (default)"},
    {"skip-mpi", 'F', no_argument, "copy no MPI function"},
    {"with-mpi", 'm', required_argument, "copy the function NAME"},
    {"without-mpi", 'M', required_argument, "do not copy the function NAME"},
    {"output-wall-time", 'w', no_argument, "copy wall times (default)"},
    {"skip-wall-time", 'W', no_argument, "do not copy wall times"},
    {"output-cpu-time", 'c', no_argument, "copy CPU times (default)"},
    {"skip-cpu-time", 'C', no_argument, "do not copy CPU times"},
    {"output-perfctrs", 'p', no_argument, "copy hardware counters"},
    {"skip-perfctrs", 'P', no_argument, "do not copy hardware counters (default)"},
    {"with-user-functions", 'u', no_argument, "copy function calls, annotations and their names (default)"},
    {"without-user-functions", 'U', no_argument, "do not copy them"},
    {"output-statuses", 's', no_argument, "copy statuses (default)"},
    {"skip-statuses", 'S', no_argument, "do not copy statuses, as the original tool"},
    {"infile", 'i', required_argument, "copy the file NAME"},
    {"metafile", 'I', required_argument, "copy all files of the run with the metafile NAME"},
    {"outfile", 'o', required_argument, "file to write; with -I: what the names of the files begin with"},
};
enum { OPTION_COUNT = sizeof option_rows / sizeof *option_rows };

static void help(FILE *to) {
    fprintf(to, "usage: dumpi2dumpi [options] (-i FILE | -I METAFILE) -o NAME\n"
                "Copies DUMPI files. Options act in the order in which they are given.\n");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        fprintf(to, "  -%c, --%-24s %s\n", option_rows[i].letter, option_rows[i].name, option_rows[i].help);
}

static void act_on(struct options *options, int letter) {
    switch (letter) {
    case 'h':
        help(stdout);
        options->is_done = true;
        break;
    case 'v':
        break;
    case 'f':
    case 'F':
        keep_mpi(options, letter == 'f');
        break;
    case 'm':
    case 'M':
        keep_name(options, optarg, letter == 'm');
        break;
    case 'w':
    case 'W':
        keep_bits(options, QUIPU__DUMPI_MASK_WALL, letter == 'w');
        break;
    case 'c':
    case 'C':
        keep_bits(options, QUIPU__DUMPI_MASK_CPU, letter == 'c');
        break;
    case 'p':
    case 'P':
        keep_bits(options, QUIPU__DUMPI_MASK_COUNTERS, letter == 'p');
        break;
    case 's':
    case 'S':
        keep_bits(options, QUIPU__DUMPI_MASK_STATUS, letter == 's');
        break;
    case 'u':
    case 'U':
        keep_functions(options, letter == 'u');
        break;
    case 'i':
        options->infile = optarg;
        break;
    case 'I':
        options->metafile = optarg;
        break;
    case 'o':
        options->outfile = optarg;
        break;
    default:
        help(stderr);
        options->code = EXIT_USAGE;
        break;
    }
}

static int refuse(int code, const char *message) {
    fprintf(stderr, "dumpi2dumpi: %s\n", message);
    return code;
}

static void check_options(struct options *options) {
    if (options->code != EXIT_SUCCESS || options->is_done)
        return;
    if (options->infile && options->metafile)
        options->code = refuse(EXIT_TWO_INPUTS, "give either -i or -I");
    else if (!options->outfile)
        options->code = refuse(EXIT_NO_OUTPUT, "no output: give one with -o");
    else if (!options->infile && !options->metafile)
        options->code = refuse(EXIT_NO_INPUT, "no input: give one with -i or -I");
}

static void parse_options(int argc, char **argv, struct options *options) {
    struct option long_options[OPTION_COUNT + 1] = {{NULL, 0, NULL, 0}};
    char letters[2 * OPTION_COUNT + 1] = "";
    size_t len = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        long_options[i] = (struct option){row->name, row->has_argument, NULL, row->letter};
        letters[len++] = (char)row->letter;
        if (row->has_argument)
            letters[len++] = ':';
    }
    *options =
        (struct options){.mask = QUIPU__DUMPI_MASK_STATUS | QUIPU__DUMPI_MASK_CPU | QUIPU__DUMPI_MASK_WALL |
                                 QUIPU__DUMPI_MASK_UNUSED | QUIPU__DUMPI_MASK_THREAD};
    keep_mpi(options, true);
    keep_functions(options, true);
    int letter;
    while (options->code == EXIT_SUCCESS && !options->is_done &&
           (letter = getopt_long(argc, argv, letters, long_options, NULL)) != -1)
        act_on(options, letter);
    check_options(options);
}

/* ---- One file ---- */

struct copying {
    const struct options *options;
    const char *inpath, *outpath;
    struct quipu__undumpi_file in;
    struct quipu__undumpi_writer out;
    int32_t cpu_bias, wall_bias;
    bool has_earlier; /* a time lies before the biases */
    uint32_t met[QUIPU__DUMPI_SLOTS], dropped[QUIPU__DUMPI_SLOTS];
};

static int32_t seconds_of(int64_t time) {
    return (int32_t)(time / 1000000000 - (time % 1000000000 < 0));
}

static bool lies_before(int64_t start, int64_t stop, int32_t bias) {
    const int64_t bound = bias * INT64_C(1000000000);
    return start < bound || stop < bound;
}

/* Copies the call that was decoded last. */
static bool copy_call(struct copying *copying) {
    const struct quipu__dumpi_decoder *decoder = &copying->in.decoder;
    struct quipu__dumpi_call call = decoder->common;
    const uint32_t id = quipu__dumpi_types[decoder->type].id;
    const bool is_copied = copying->options->keeps[decoder->type];
    if (id < QUIPU__DUMPI_SLOTS) {
        copying->met[id]++;
        copying->dropped[id] += !is_copied;
    }
    if (!is_copied)
        return true;
    copying->has_earlier |= lies_before(call.cpu_start, call.cpu_stop, copying->cpu_bias) ||
                            lies_before(call.wall_start, call.wall_stop, copying->wall_bias);
    call.mask &= copying->options->mask;
    return quipu__undumpi_writer_put_call(&copying->out, decoder->type, &call, &decoder->data) == QUIPU_OK;
}

/* Copies a section as it is; an absent or unwanted one becomes an empty one. */
static void copy_section(struct copying *copying, uint32_t type, bool is_wanted) {
    const union quipu__dumpi_any empty = {.sizes = {NULL}};
    const enum quipu_status status = is_wanted ? quipu__undumpi_section(&copying->in, type) : QUIPU_END;
    quipu__undumpi_writer_put_section(&copying->out, type,
                                      status == QUIPU_OK ? &copying->in.decoder.data : &empty);
}

static void copy_header(struct copying *copying) {
    struct quipu__dumpi_header header = {0};
    if (quipu__undumpi_section(&copying->in, QUIPU__DUMPI_TYPE_header) == QUIPU_OK)
        header = copying->in.decoder.data.header;
    header.version = QUIPU__DUMPI_NEWEST >> 16;
    header.subversion = QUIPU__DUMPI_NEWEST >> 8 & 255;
    header.subsubversion = QUIPU__DUMPI_NEWEST & 255;
    quipu__undumpi_writer_put_section(&copying->out, QUIPU__DUMPI_TYPE_header, &header);
}

/* Calls that the recorder ignored stay ignored; the slot of the totals counts these only, as in the original. */
static bool copy_footer(struct copying *copying) {
    struct quipu__scratch *scratch = &copying->in.decoder.engine.scratch;
    const bool has_footer = quipu__undumpi_section(&copying->in, QUIPU__DUMPI_TYPE_footer) == QUIPU_OK;
    const uint32_t *before = has_footer ? copying->in.decoder.data.footer.ignored : NULL;
    uint32_t *called = quipu__scratch_sized(scratch, QUIPU__DUMPI_SLOTS, sizeof *called);
    uint32_t *ignored = quipu__scratch_sized(scratch, QUIPU__DUMPI_SLOTS, sizeof *ignored);
    if (!called || !ignored)
        return false;
    for (size_t id = 0; id < QUIPU__DUMPI_SLOTS; id++) {
        called[id] = copying->met[id] + (before ? before[id] : 0);
        ignored[id] = copying->dropped[id] + (before ? before[id] : 0);
    }
    const struct quipu__dumpi_footer footer = {QUIPU__DUMPI_FOOTER_MAGIC, called, ignored};
    quipu__undumpi_writer_put_section(&copying->out, QUIPU__DUMPI_TYPE_footer, &footer);
    return true;
}

/* An empty section of keyvals is not in the index, as in all files of DUMPI's own. */
static void copy_keyvals(struct copying *copying) {
    const uint64_t offset = quipu__undumpi_writer_offset(&copying->out);
    copy_section(copying, QUIPU__DUMPI_TYPE_keyvals, true);
    if (quipu__undumpi_writer_offset(&copying->out) - offset <= sizeof(uint32_t))
        copying->out.index.keyvals = 0;
}

static bool finish(struct copying *copying) {
    const struct options *options = copying->options;
    quipu__undumpi_writer_end_calls(&copying->out);
    copy_header(copying);
    copy_section(copying, QUIPU__DUMPI_TYPE_sizes, true);
    copy_section(copying, QUIPU__DUMPI_TYPE_addresses, options->keeps_names);
    copy_section(copying, QUIPU__DUMPI_TYPE_counters, (options->mask & QUIPU__DUMPI_MASK_COUNTERS) != 0);
    if (!copy_footer(copying))
        return false;
    copy_keyvals(copying);
    return quipu__undumpi_writer_finish(&copying->out) == QUIPU_OK;
}

/* Copies everything into an output; the biases are those of the first call or those of the input. */
static int copy_into(struct copying *copying, struct quipu_sink sink, bool with_own_biases) {
    struct quipu__undumpi_file *in = &copying->in;
    const struct quipu__dumpi_call *first = &in->decoder.common;
    memset(copying->met, 0, sizeof copying->met);
    memset(copying->dropped, 0, sizeof copying->dropped);
    copying->has_earlier = false;
    int code = EXIT_SUCCESS;
    enum quipu_status status = quipu__undumpi_rewind(in);
    if (status == QUIPU_OK)
        status = quipu__undumpi_next(in);
    const bool takes_first = status == QUIPU_OK && !with_own_biases;
    copying->cpu_bias = takes_first ? seconds_of(first->cpu_start) : in->cpu_bias;
    copying->wall_bias = takes_first ? seconds_of(first->wall_start) : in->wall_bias;
    if (quipu__undumpi_writer_init(&copying->out, QUIPU__DUMPI_NEWEST, copying->cpu_bias, copying->wall_bias) !=
        QUIPU_OK)
        return EXIT_OUTPUT;
    copying->out.sink = sink;
    for (; status == QUIPU_OK; status = quipu__undumpi_next(in))
        if (!copy_call(copying))
            return EXIT_OUTPUT;
    if (status < 0) {
        quipu__undumpi_complain("dumpi2dumpi", copying->inpath, &in->error);
        code = EXIT_INPUT;
    }
    return finish(copying) ? code : EXIT_OUTPUT;
}

static int copy_once(struct copying *copying, bool with_own_biases) {
    struct quipu_error error = QUIPU_ERROR_INIT;
    struct quipu_output *output;
    if (quipu_output_open(copying->outpath, true, NULL, &output, &error) != QUIPU_OK) {
        quipu__undumpi_complain("dumpi2dumpi", copying->outpath, &error);
        return EXIT_OUTPUT;
    }
    int code = copy_into(copying, quipu_output_sink(output), with_own_biases);
    quipu__undumpi_writer_release(&copying->out);
    if (code == EXIT_OUTPUT) {
        quipu__undumpi_complain("dumpi2dumpi", copying->outpath, &copying->out.error);
        quipu_output_discard(output);
    } else if (copying->has_earlier && !with_own_biases) {
        quipu_output_discard(output);
    } else if (quipu_output_close(output, &error) != QUIPU_OK) {
        quipu__undumpi_complain("dumpi2dumpi", copying->outpath, &error);
        code = EXIT_OUTPUT;
    }
    return code;
}

static int copy_file(const struct options *options, const char *inpath, const char *outpath) {
    static struct copying copying;
    copying = (struct copying){.options = options, .inpath = inpath, .outpath = outpath};
    if (quipu__undumpi_open(&copying.in, inpath, true) != QUIPU_OK) {
        quipu__undumpi_complain("dumpi2dumpi", inpath, &copying.in.error);
        return EXIT_INPUT;
    }
    int code = copy_once(&copying, false);
    if (copying.has_earlier && code != EXIT_OUTPUT)
        code = copy_once(&copying, true);
    quipu__undumpi_close(&copying.in);
    return code;
}

/* ---- A run ---- */

static const char *text_or_none(const char *text) {
    return text ? text : "";
}

static bool write_metafile(const struct quipu__dumpi_metafile *meta, const char *outfile) {
    char path[PATH_LIMIT];
    const char *slash = strrchr(outfile, '/');
    const int len = snprintf(path, sizeof path, "%s.meta", outfile);
    FILE *file = len < (int)sizeof path ? fopen(path, "w") : NULL;
    if (!file)
        return false;
    fprintf(file, "hostname=%s\nnumprocs=%u\nusername=%s\nstartime=%s\nfileprefix=%s\n",
            text_or_none(meta->hostname), (unsigned)meta->rank_count, text_or_none(meta->username),
            text_or_none(meta->startime), slash ? slash + 1 : outfile);
    fprintf(file, "version=%d\nsubversion=%d\nsubsubversion=%d\n", QUIPU__DUMPI_NEWEST >> 16,
            QUIPU__DUMPI_NEWEST >> 8 & 255, QUIPU__DUMPI_NEWEST & 255);
    return fclose(file) == 0;
}

static int copy_ranks(const struct options *options, const struct quipu__undumpi_meta *meta) {
    char inpath[PATH_LIMIT], outpath[PATH_LIMIT];
    int code = EXIT_SUCCESS;
    for (uint64_t rank = 0; rank < meta->file.rank_count && code != EXIT_OUTPUT; rank++) {
        if (!quipu__dumpi_rank_path(inpath, sizeof inpath, meta->file.prefix, rank, meta->width) ||
            !quipu__dumpi_rank_path(outpath, sizeof outpath, options->outfile, rank, 4))
            return refuse(EXIT_OUTPUT, "a name is too long");
        const int copied = copy_file(options, inpath, outpath);
        code = copied != EXIT_SUCCESS ? copied : code;
    }
    return code;
}

static int copy_run(const struct options *options) {
    struct quipu__undumpi_meta meta;
    const enum quipu__undumpi_meta_status status = quipu__undumpi_meta_read(&meta, options->metafile);
    int code;
    if (status != QUIPU__UNDUMPI_META_FINE) {
        fprintf(stderr, "dumpi2dumpi: %s: %s\n", options->metafile, quipu__undumpi_meta_fault(status));
        code = EXIT_METAFILE + (int)status - 1;
    } else if (!write_metafile(&meta.file, options->outfile)) {
        code = refuse(EXIT_METAFILE_OUT, "the metafile cannot be written");
    } else {
        code = copy_ranks(options, &meta);
    }
    quipu__undumpi_meta_release(&meta);
    return code;
}

int main(int argc, char **argv) {
    static struct options options;
    parse_options(argc, argv, &options);
    if (options.code != EXIT_SUCCESS || options.is_done)
        return options.code;
    return options.metafile ? copy_run(&options) : copy_file(&options, options.infile, options.outfile);
}

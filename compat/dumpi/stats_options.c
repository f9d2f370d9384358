/* stats_options.c: the small languages of dumpistats: stretches of time, patterns of annotations, sets of calls. */
#include "stats.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NS_PER_SECOND INT64_C(1000000000)

/* ---- Stretches of time ---- */

struct text {
    const char *at;
};

static void skip_blanks(struct text *text) {
    while (isspace((unsigned char)*text->at))
        text->at++;
}

/* A word or a sign, in any case of letters. */
static bool skip(struct text *text, const char *word) {
    const size_t len = strlen(word);
    skip_blanks(text);
    if (strncasecmp(text->at, word, len) != 0 ||
        (isalpha((unsigned char)word[len - 1]) &&
         (isalpha((unsigned char)text->at[len]) || text->at[len] == '_')))
        return false;
    text->at += len;
    return true;
}

static bool skip_any(struct text *text, const char *const *words) {
    for (; *words; words++)
        if (skip(text, *words))
            return true;
    return false;
}

/* [[hh:]mm:]ss[.frac], digits after the ninth of a fraction do not count. */
static bool take_time(struct text *text, int64_t *out) {
    const int64_t most = INT64_MAX / NS_PER_SECOND - 1;
    int64_t seconds = 0, fraction = 0, digits = 0, scale = NS_PER_SECOND;
    skip_blanks(text);
    if (!isdigit((unsigned char)*text->at) && *text->at != '.')
        return false;
    for (; isdigit((unsigned char)*text->at) || *text->at == ':'; text->at++) {
        if (*text->at == ':') {
            if (seconds + digits > most / 60)
                return false;
            seconds = (seconds + digits) * 60;
            digits = 0;
        } else if (digits < INT32_MAX / 10) {
            digits = digits * 10 + (*text->at - '0');
        } else {
            return false;
        }
    }
    if (*text->at == '.')
        for (text->at++; isdigit((unsigned char)*text->at); text->at++) {
            scale /= 10;
            fraction += scale * (*text->at - '0');
        }
    if (seconds + digits > most)
        return false;
    *out = (seconds + digits) * NS_PER_SECOND + fraction;
    return true;
}

static const struct {
    const char *word;
    enum quipu__undumpi_reference_time reference;
} reference_times[] = {
    {"start", QUIPU__UNDUMPI_START},       {"begin", QUIPU__UNDUMPI_START},
    {"end", QUIPU__UNDUMPI_STOP},          {"stop", QUIPU__UNDUMPI_STOP},
    {"init", QUIPU__UNDUMPI_INIT},         {"mpi_init", QUIPU__UNDUMPI_INIT},
    {"finalize", QUIPU__UNDUMPI_FINALIZE}, {"mpi_finalize", QUIPU__UNDUMPI_FINALIZE},
};

static bool take_reference_time(struct text *text, enum quipu__undumpi_reference_time *out) {
    for (size_t i = 0; i < sizeof reference_times / sizeof *reference_times; i++)
        if (skip(text, reference_times[i].word)) {
            *out = reference_times[i].reference;
            return true;
        }
    return false;
}

static bool take_bound(struct text *text, struct quipu__undumpi_bound *bound) {
    int64_t distance = 0;
    *bound = (struct quipu__undumpi_bound){QUIPU__UNDUMPI_ORIGIN, 0};
    if (!take_reference_time(text, &bound->reference) && !take_time(text, &bound->distance_ns))
        return false;
    if (strncmp(text->at, "->", 2) == 0)
        return true;
    const bool plus = skip(text, "+");
    skip_blanks(text);
    const bool minus = !plus && strncmp(text->at, "->", 2) != 0 && skip(text, "-");
    if ((plus || minus) && !take_time(text, &distance))
        return false;
    bound->distance_ns += minus ? -distance : distance;
    return true;
}

static bool take_range(struct text *text, struct quipu__undumpi_bin *bin) {
    static const char *const separators[] = {"to", "upto", "->", "=>", NULL};
    if (skip(text, "all")) {
        bin->begin.reference = QUIPU__UNDUMPI_START;
        bin->end.reference = QUIPU__UNDUMPI_STOP;
        return true;
    }
    if (skip(text, "mpi")) {
        bin->begin.reference = QUIPU__UNDUMPI_INIT;
        bin->end.reference = QUIPU__UNDUMPI_FINALIZE;
        return true;
    }
    return take_bound(text, &bin->begin) && skip_any(text, separators) && take_bound(text, &bin->end);
}

static bool take_width(struct text *text, struct quipu__undumpi_bin *bin) {
    static const char *const words[] = {"by", "binsize", "binwidth", "%", NULL};
    return !skip_any(text, words) || (take_time(text, &bin->width_ns) && bin->width_ns > 0);
}

static bool parse_range(struct quipu__undumpi_bin *bin, char *message, size_t size) {
    struct text text = {bin->text};
    bool good = take_range(&text, bin) && take_width(&text, bin);
    skip_blanks(&text);
    good = good && *text.at == '\0';
    if (!good)
        snprintf(message, size, "\"%s\" is no range: BOUND to BOUND [by TIME] is expected, at \"%s\"",
                 bin->text, text.at);
    return good;
}

/* ---- Annotations ---- */

static bool compile(regex_t *regex, const char *pattern, int flags, char *message, size_t size) {
    const int code = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB | flags);
    char reason[100];
    if (code == 0)
        return true;
    regerror(code, regex, reason, sizeof reason);
    snprintf(message, size, "\"%s\": %s", pattern, reason);
    return false;
}

/* "/first/last/i" with any delimiter. */
static bool parse_marks(struct quipu__undumpi_bin *bin, char *message, size_t size) {
    const char delimiter = bin->text[0];
    const char *middle = delimiter ? strchr(bin->text + 1, delimiter) : NULL;
    const char *end = middle ? strchr(middle + 1, delimiter) : NULL;
    if (!end || (end[1] != '\0' && strcmp(end + 1, "i") != 0)) {
        snprintf(message, size, "\"%s\" is no pair of patterns: /FIRST/LAST/ is expected", bin->text);
        return false;
    }
    const int flags = end[1] == 'i' ? REG_ICASE : 0;
    bin->first_text = strndup(bin->text + 1, (size_t)(middle - bin->text - 1));
    bin->last_text = strndup(middle + 1, (size_t)(end - middle - 1));
    if (!bin->first_text || !bin->last_text)
        return false;
    bin->first_is_compiled = compile(&bin->first, bin->first_text, flags, message, size);
    bin->last_is_compiled = bin->first_is_compiled && compile(&bin->last, bin->last_text, flags, message, size);
    return bin->last_is_compiled;
}

bool quipu__undumpi_bin_parse(struct quipu__undumpi_bin *bin, enum quipu__undumpi_bin_kind kind,
                              const char *text, char *message, size_t size) {
    *bin = (struct quipu__undumpi_bin){.kind = kind, .text = text};
    return kind == QUIPU__UNDUMPI_RANGE ? parse_range(bin, message, size) : parse_marks(bin, message, size);
}

void quipu__undumpi_bin_release(struct quipu__undumpi_bin *bin) {
    if (bin->first_is_compiled)
        regfree(&bin->first);
    if (bin->last_is_compiled)
        regfree(&bin->last);
    free(bin->first_text);
    free(bin->last_text);
}

/* ---- Sets of calls ---- */

/* The named sets, as patterns of whole names. */
static const struct {
    const char *name, *pattern;
} sets[] = {
    {"all", ".*"},
    {"mpi", "MPIO?_.*"},
    {"non-mpi", "Function_.*"},
    {"sends", "MPI_I?[bsr]?send|MPI_[bsr]?send_init|MPI_Sendrecv(_replace)?"},
    {"recvs", "MPI_(I?recv|Recv_init|Sendrecv|Sendrecv_replace)"},
    {"wait", "MPI_(Wait|Waitany|Waitall|Waitsome|Probe|Start|Startall|Win_wait)|MPIO_Wait.*"},
    {"io", "MPI_File_.*|MPI_Register_datarep|MPIO_.*"},
    {"coll",
     "MPI_(Barrier|Bcast|(All)?gatherv?|Scatterv?|Alltoall[vw]?|Reduce|Allreduce|Reduce_scatter|Scan|Exscan|"
     "Comm_(dup|create|split|free)|Intercomm_create|Init|Init_thread|Finalize|Comm_spawn(_multiple)?|"
     "File_(open|close|set_size|preallocate|set_info|set_view|read_ordered|seek_shared|set_atomicity|sync|"
     "(read|write)(_at)?_all(_(begin|end))?|(read|write)_ordered_(begin|end)))"},
};

/* Handling errors of files is no I/O. */
static bool is_excluded(const char *set, const char *name) {
    return strcmp(set, "io") == 0 && strstr(name, "errhandler") != NULL;
}

/* Names of functions as the original's tools know them. */
static void name_of(uint32_t type, bool is_set, char *name, size_t size) {
    const char *known = quipu__dumpi_types[type].name;
    snprintf(name, size, "%s%s", type >= QUIPU__DUMPI_TYPE_function_enter && !is_set ? "MPI_" : "", known);
}

static const char *pattern_of(const char *text) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].name, text) == 0)
            return sets[i].pattern;
    return NULL;
}

bool quipu__undumpi_handler_parse(struct quipu__undumpi_handler *handler, enum quipu__undumpi_measure measure,
                                  const char *text, char *message, size_t size) {
    const char *set = pattern_of(text);
    char pattern[1024], name[64];
    regex_t regex;
    *handler = (struct quipu__undumpi_handler){.measure = measure, .text = text};
    snprintf(pattern, sizeof pattern, "^(%s)$", set ? set : text);
    if (!compile(&regex, pattern, REG_ICASE, message, size))
        return false;
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_head; type++) {
        name_of(type, set != NULL, name, sizeof name);
        handler->matches[type] = type != QUIPU__DUMPI_TYPE_function_enter &&
                                 !(set && is_excluded(text, name)) && regexec(&regex, name, 0, NULL, 0) == 0;
    }
    regfree(&regex);
    return true;
}

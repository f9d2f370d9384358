/* detect.c: which machine a file is of: every built-in profile of the file's byte order reads its beginning, and the one whose
 * records break the fewest rules is taken.
 *
 * A profile is out when the header that it reads makes no sense. A broken rule of a code E counts as many of a code W, and so does another header:
 * wherever zeros are no part of a record they would be one. When
 * several are equally good the user must choose, unless they differ only in what follows lists and this file does not show it:
 * then all of them read the same. */
#include "formats/charisma/format.h"

#include "core/error.h"

#include <inttypes.h>
#include <string.h>

enum { RECORDS_LOOKED_AT = 200, ERROR_SCORE = 1000 };

#define PROCESSORS_MOST 10000000

struct candidate {
    struct quipu__charisma_profile profile;
    uint64_t score, looked_at; /* offset behind the records looked at */
};

struct detection {
    struct quipu__trace *trace;
    struct candidate best;
    char tied[160];      /* names of profiles as good as the best, those that read the same */
    char ambiguous[160]; /* the same of those that read otherwise */
    char reasons[240];   /* why profiles are out */
};

static void append(char *text, size_t size, const char *separator, const char *more) {
    const size_t len = strlen(text);
    snprintf(text + len, size - len, "%s%s", len ? separator : "", more);
}

/* ---- The header ---- */

static bool is_text(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' && *text != '\t' && *text != '\n' && *text != '\r')
            return false;
    return true;
}

/* What of the header cannot be, or NULL. */
static const char *fault_of(const struct quipu__charisma_profile *profile,
                            const struct quipu__charisma_walk *walk) {
    const struct quipu__charisma_header *header = &walk->data.header;
    if (walk->type != QUIPU__CHARISMA_TYPE_header)
        return "no header";
    if (header->system_type != profile->system_type)
        return "system_type";
    if (header->md_version != profile->md_version)
        return "md_version";
    if (!(header->timestamp_unit > 1e-12 && header->timestamp_unit <= 1000))
        return "timestamp_unit";
    if (header->num_processors < 1 || header->num_processors > PROCESSORS_MOST)
        return "num_processors";
    if (header->start_date < QUIPU__CHARISMA_EARLIEST_DATE || header->start_date > QUIPU__CHARISMA_LATEST_DATE)
        return "start_date";
    return is_text(header->release_data) ? NULL : "release_data";
}

/* Whether the header's text is followed by zeros: writing it gives the same bytes. */
static bool has_clean_text(const struct quipu__charisma_walk *walk, const uint8_t *at) {
    const uint16_t offset = walk->codec->header_text;
    const size_t len = strlen(walk->data.header.release_data);
    for (size_t i = len; i < QUIPU__CHARISMA_RELEASE_BYTES; i++)
        if (at[offset + i] != 0)
            return false;
    return true;
}

/* ---- One profile ---- */

/* Reads the beginning of the file. QUIPU_END when the profile is out. */
static enum quipu_status score(struct quipu__charisma_walk *walk, const char **fault, struct candidate *out,
                               struct quipu_error *err) {
    enum quipu_status status = quipu__charisma_walk_next(walk, err);
    *fault = status == QUIPU_OK ? fault_of(&out->profile, walk) : "no header";
    if (status == QUIPU_OK && !*fault && !has_clean_text(walk, walk->input->at - walk->bytes))
        *fault = "release_data";
    if (*fault)
        return status == QUIPU_OK ? QUIPU_END : status;
    uint64_t headers = 0;
    for (unsigned i = 1; i < RECORDS_LOOKED_AT && status == QUIPU_OK; i++) {
        status = quipu__charisma_walk_next(walk, err);
        headers += status == QUIPU_OK && walk->type == QUIPU__CHARISMA_TYPE_header;
    }
    out->score = ERROR_SCORE * (walk->check.errors + headers) + walk->check.warnings;
    out->looked_at = quipu__input_offset(walk->input);
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status try_profile(const struct quipu__trace *trace, const char **fault,
                                     struct candidate *out, struct quipu_error *err) {
    struct quipu__charisma_machine_codec codec;
    struct quipu__charisma_walk walk = {.input = NULL};
    enum quipu_status status = quipu__charisma_codec_init(&codec, trace->memory, &out->profile, err);
    if (status == QUIPU_OK)
        status =
            quipu__charisma_walk_open(&walk, trace->memory, trace->files, trace->path, &codec, NULL, 0, err);
    if (status == QUIPU_OK)
        status = score(&walk, fault, out, err);
    quipu__charisma_walk_close(&walk);
    quipu__charisma_codec_release(&codec);
    return status;
}

/* ---- Comparing ---- */

/* Whether two profiles differ in nothing but name and tail. */
static bool differ_in_tail_only(const struct quipu__charisma_profile *a,
                                const struct quipu__charisma_profile *b) {
    return a->is_big_endian == b->is_big_endian && memcmp(a->types, b->types, sizeof a->types) == 0 &&
           memcmp(a->lengths, b->lengths, sizeof a->lengths) == 0;
}

static void compare(struct detection *detection, const struct candidate *candidate) {
    struct candidate *best = &detection->best;
    const bool is_first = best->profile.name[0] == '\0';
    if (is_first || candidate->score < best->score) {
        *best = *candidate;
        detection->tied[0] = detection->ambiguous[0] = '\0';
        return;
    }
    if (candidate->score > best->score)
        return;
    const bool reads_the_same =
        differ_in_tail_only(&best->profile, &candidate->profile) && best->looked_at == candidate->looked_at;
    if (reads_the_same)
        append(detection->tied, sizeof detection->tied, ", ", candidate->profile.name);
    else
        append(detection->ambiguous, sizeof detection->ambiguous, ", ", candidate->profile.name);
}

static void note_reason(struct detection *detection, const struct candidate *candidate, const char *fault) {
    append(detection->reasons, sizeof detection->reasons, ", ", candidate->profile.name);
    append(detection->reasons, sizeof detection->reasons, " ", fault);
}

/* ---- Choosing ---- */

static enum quipu_status try_all(struct detection *detection, bool is_big_endian, struct quipu_error *err) {
    struct candidate candidate;
    for (size_t i = 0; quipu__charisma_profile_at(i, &candidate.profile); i++) {
        const char *fault = "";
        if ((candidate.profile.is_big_endian != 0) != is_big_endian)
            continue;
        const enum quipu_status status = try_profile(detection->trace, &fault, &candidate, err);
        if (status == QUIPU_OK)
            compare(detection, &candidate);
        else if (status == QUIPU_END)
            note_reason(detection, &candidate, fault);
        else
            return status;
    }
    return QUIPU_OK;
}

/* The byte order that the magic number shows. */
static enum quipu_status read_order(const struct quipu__trace *trace, bool *is_big_endian,
                                    struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status = quipu__input_open(trace->files, trace->path, QUIPU__CODEC_DETECT,
                                                 QUIPU__CHARISMA_HEAD_BYTES, &input, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__input_more(input, QUIPU__CHARISMA_HEAD_BYTES, err);
    const bool has_word = status == QUIPU_OK && input->end - input->at >= 4;
    *is_big_endian = has_word && quipu__load_be32(input->at) == QUIPU__CHARISMA_MAGIC;
    const bool is_ours = *is_big_endian || (has_word && quipu__load_le32(input->at) == QUIPU__CHARISMA_MAGIC);
    quipu__input_close(input);
    if (status != QUIPU_OK || is_ours)
        return status;
    status = (enum quipu_status)quipu__fail(err, QUIPU_UNKNOWN_FORMAT,
                                            "no CHARISMA trace: it does not begin with 0x01234567");
    quipu__at(err, trace->path, 0);
    return status;
}

static enum quipu_status refuse(const struct detection *detection, struct quipu_error *err) {
    if (detection->best.profile.name[0])
        quipu__fail(err, QUIPU_UNKNOWN_FORMAT, "ambiguous machine profile: %s, %s fit equally well",
                    detection->best.profile.name, detection->ambiguous);
    else
        quipu__fail(err, QUIPU_UNKNOWN_FORMAT, "no machine profile fits the header: %s", detection->reasons);
    quipu__at(err, detection->trace->path, QUIPU__CHARISMA_HEAD_BYTES);
    quipu__advise(err, "choose the machine with --machine NAME or FILE");
    return QUIPU_UNKNOWN_FORMAT;
}

enum quipu_status quipu__charisma_detect(struct quipu__trace *trace, struct quipu__charisma_profile *out,
                                         const char **same_reading, struct quipu_error *err) {
    struct detection detection = {.trace = trace};
    bool is_big_endian;
    enum quipu_status status = read_order(trace, &is_big_endian, err);
    if (status == QUIPU_OK)
        status = try_all(&detection, is_big_endian, err);
    if (status != QUIPU_OK)
        return status;
    if (!detection.best.profile.name[0] || detection.ambiguous[0])
        return refuse(&detection, err);
    *out = detection.best.profile;
    *same_reading = quipu__arena_text(&trace->define->arena, detection.tied, strlen(detection.tied));
    return *same_reading ? QUIPU_OK : quipu__no_memory(err, strlen(detection.tied));
}

/* cmd_merge_states.c: quipu merge-states: the answer that parts in files (share.c) make together. */
#include "report.h"
#include "dispatch.h"
#include "share.h"

#include <quipu/quipu.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- A part ---- */

/* What stands in front of what the library has handed on. */
struct head {
    uint32_t part, count;
    char *words; /* each with a NUL */
    size_t word_count, bytes;
};

enum { LINE = 64, WORDS_MOST = 1 << 16, BYTES_MOST = 1 << 24 };

static bool read_words(FILE *file, struct head *head) {
    size_t words = 0, room = 0;
    for (int c; words < head->word_count && (c = getc(file)) != EOF; words += c == '\0') {
        if (head->bytes == room) {
            room = room ? room * 2 : 256;
            char *grown = room <= BYTES_MOST ? realloc(head->words, room) : NULL;
            if (!grown)
                return false;
            head->words = grown;
        }
        head->words[head->bytes++] = (char)c;
    }
    return words == head->word_count;
}

/* False when the file is none of a part. */
static bool read_head(FILE *file, struct head *head) {
    char line[LINE], end;
    *head = (struct head){0};
    return fgets(line, sizeof line, file) && strcmp(line, STATE_MAGIC) == 0 && fgets(line, sizeof line, file) &&
           sscanf(line, "%" SCNu32 "/%" SCNu32 "%c", &head->part, &head->count, &end) == 3 && end == '\n' &&
           head->part > 0 && head->part <= head->count && head->count < UINT32_MAX &&
           fgets(line, sizeof line, file) && sscanf(line, "%zu%c", &head->word_count, &end) == 2 &&
           end == '\n' && head->word_count >= 3 && head->word_count <= WORDS_MOST && read_words(file, head);
}

static enum exit_code refuse_part(const char *path, const char *why) {
    char text[4096];
    fprintf(stderr, "quipu: %s: %s\n", quipu_text_escape(path, text, sizeof text), why);
    return EXIT_UNREADABLE;
}

static enum exit_code refuse_file(const char *path) {
    return refuse_part(path, "this is no part of an answer, such as --part writes");
}

/* A part is read twice, which a pipe is not good for. */
static enum exit_code open_part(const char *path, FILE **file, struct head *head) {
    struct stat about;
    *head = (struct head){0};
    *file = NULL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return refuse_part(path, "not a regular file");
    *file = fopen(path, "rb");
    if (!*file)
        return refuse_part(path, strerror(errno));
    return read_head(*file, head) ? EXIT_FINE : refuse_file(path);
}

static void close_part(FILE *file, struct head *head) {
    if (file)
        fclose(file);
    free(head->words);
}

/* ---- Receiving ---- */

struct states {
    struct quipu_transport transport;
    const char **paths; /* by part, from 1, up to */
    uint32_t
        known; /* this one: of more parts than there are files, and one, the first that is missing is among them */
    FILE *file; /* of the part that is received */
    const char *first_path;
    struct head first;
};

static enum quipu_status fail(const char *path, const char *what, struct quipu_error *err) {
    quipu_error_clear(err);
    err->status = QUIPU_IO;
    snprintf(err->path, sizeof err->path, "%s", path);
    snprintf(err->message, sizeof err->message, "%s", what);
    return QUIPU_IO;
}

static enum quipu_status await_part(void *context, uint32_t from, size_t *size, struct quipu_error *err) {
    struct states *states = context;
    struct head head;
    states->file = fopen(states->paths[from], "rb");
    const bool is_read = states->file && read_head(states->file, &head);
    if (states->file)
        free(head.words);
    const off_t begin = is_read ? ftello(states->file) : -1;
    if (begin < 0 || fseeko(states->file, 0, SEEK_END) != 0) {
        if (states->file)
            fclose(states->file);
        return fail(states->paths[from], "the part can no longer be read", err);
    }
    *size = (size_t)(ftello(states->file) - begin);
    return fseeko(states->file, begin, SEEK_SET) == 0 ? QUIPU_OK
                                                      : fail(states->paths[from], strerror(errno), err);
}

static enum quipu_status receive_part(void *context, uint32_t from, void *data, size_t size,
                                      struct quipu_error *err) {
    struct states *states = context;
    const bool is_read = !data || fread(data, 1, size, states->file) == size;
    fclose(states->file);
    states->file = NULL;
    return is_read ? QUIPU_OK : fail(states->paths[from], "the part ends too early", err);
}

/* ---- All parts ---- */

static bool are_alike(const struct head *a, const struct head *b) {
    return a->count == b->count && a->word_count == b->word_count && a->bytes == b->bytes &&
           memcmp(a->words, b->words, a->bytes) == 0;
}

static enum exit_code add_part(struct states *states, const char *path, const struct head *head) {
    if (!are_alike(head, &states->first))
        return report_usage("%s is a part of another answer than %s", path, states->first_path);
    if (head->part > states->known)
        return EXIT_FINE;
    if (states->paths[head->part] && states->paths[head->part] != path)
        return report_usage("%s and %s are both part %" PRIu32, states->paths[head->part], path, head->part);
    states->paths[head->part] = path;
    return EXIT_FINE;
}

static enum exit_code take_first(struct states *states, const char *path, int file_count) {
    FILE *file;
    states->first_path = path;
    const enum exit_code code = open_part(path, &file, &states->first);
    if (file)
        fclose(file);
    if (code != EXIT_FINE)
        return code;
    const uint32_t most = (uint32_t)file_count + 1;
    states->known = states->first.count < most ? states->first.count : most;
    states->paths = calloc((size_t)states->known + 1, sizeof *states->paths);
    return states->paths ? add_part(states, path, &states->first) : report_no_memory();
}

static enum exit_code take_all(struct states *states, const struct arguments *arguments) {
    enum exit_code code = take_first(states, arguments->operands[0], arguments->operand_count);
    for (int i = 1; i < arguments->operand_count && code == EXIT_FINE; i++) {
        FILE *file;
        struct head head;
        code = open_part(arguments->operands[i], &file, &head);
        if (code == EXIT_FINE)
            code = add_part(states, arguments->operands[i], &head);
        close_part(file, &head);
    }
    for (uint32_t i = 1; i <= states->known && code == EXIT_FINE; i++)
        if (!states->paths[i])
            code = report_usage("part %" PRIu32 " of %" PRIu32 " is missing", i, states->first.count);
    return code;
}

/* ---- Answering ---- */

/* The command of words such as --part writes, NULL: they are others. A file does not say what is overwritten. */
static const struct command *command_of(const struct head *head) {
    const struct command *command = command_find(head->words);
    const char *word = head->words + strlen(head->words) + 1;
    if (!command || !command_option(command, OPTION_part))
        return NULL;
    for (size_t left = head->word_count - 3; left > 0; left--, word += strlen(word) + 1) {
        const struct option *option = command_option_of(command, word);
        if (strncmp(word, "--", 2) != 0 || !option || share_is_of_part(option))
            return NULL;
    }
    return strcmp(word, "--") == 0 ? command : NULL;
}

/* The words of the parts, with where the answer goes behind the command's name. */
static enum exit_code answer(struct states *states, const struct arguments *arguments) {
    const struct command *command = command_of(&states->first);
    const char *output = option_text(arguments, OPTION_output);
    if (!command)
        return refuse_file(states->first_path);
    char **words = calloc(states->first.word_count + 4, sizeof *words), *at = states->first.words;
    int count = 0;
    if (!words)
        return report_no_memory();
    if (option_given(arguments, OPTION_force))
        words[count++] = (char *)"--force";
    if (output) {
        words[count++] = (char *)"-o";
        words[count++] = (char *)output;
    }
    for (size_t i = 1; i < states->first.word_count; i++)
        words[count++] = at += strlen(at) + 1;
    states->transport = (struct quipu_transport){.size = states->first.count + 1,
                                                 .only_gathers = true,
                                                 .await = await_part,
                                                 .receive = receive_part,
                                                 .context = states};
    const enum exit_code code = run_command(command, count, words, &states->transport);
    free(words);
    return code;
}

enum exit_code command_merge_states(const struct arguments *arguments) {
    struct states states = {0};
    enum exit_code code = take_all(&states, arguments);
    if (code == EXIT_FINE)
        code = answer(&states, arguments);
    free(states.paths);
    free(states.first.words);
    return code;
}

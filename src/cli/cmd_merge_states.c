/* cmd_merge_states.c: quipu merge-states: the answer that parts in files (share.c) make together. */
#include "report.h"
#include "dispatch.h"
#include "share.h"

#include <quipu/quipu.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A part ---- */

/* A file that --part wrote, all of it. */
struct state_file {
    char *bytes; /* and a NUL */
    size_t size;
    uint32_t number, count;
    const char *words; /* each with a NUL */
    size_t word_count, words_size;
    const char *state; /* what the library has handed on */
    size_t state_size;
};

static const char no_memory[] = "no memory";

enum { WORDS_MOST = 1 << 16, WORDS_SIZE_MOST = 1 << 24, SIZE_MOST = 1 << 30 };

/* False when the file is none of a part. */
static bool parse(struct state_file *part) {
    const char *at = part->bytes, *end = part->bytes + part->size;
    int len = 0;
    if (strncmp(at, STATE_MAGIC, strlen(STATE_MAGIC)) != 0)
        return false;
    at += strlen(STATE_MAGIC);
    if (sscanf(at, "%" SCNu32 "/%" SCNu32 "%n", &part->number, &part->count, &len) != 2 || at[len] != '\n' ||
        part->number == 0 || part->number > part->count || part->count == UINT32_MAX)
        return false;
    at += len + 1;
    if (sscanf(at, "%zu%n", &part->word_count, &len) != 1 || at[len] != '\n' || part->word_count < 3 ||
        part->word_count > WORDS_MOST)
        return false;
    part->words = at += len + 1;
    for (size_t i = 0; i < part->word_count; i++) {
        const char *word_end = memchr(at, '\0', (size_t)(end - at));
        if (!word_end)
            return false;
        at = word_end + 1;
    }
    part->words_size = (size_t)(at - part->words);
    part->state = at;
    part->state_size = (size_t)(end - at);
    return part->words_size <= WORDS_SIZE_MOST;
}

/* False with errno. A file that has become shorter has fewer bytes. */
static bool read_all(int fd, struct state_file *part, size_t size) {
    while (part->size < size) {
        const ssize_t count = read(fd, part->bytes + part->size, size - part->size);
        if (count < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (count == 0)
            break;
        part->size += count > 0 ? (size_t)count : 0;
    }
    part->bytes[part->size] = '\0';
    return true;
}

static const char none[] = "this is no part of an answer, such as --part writes";

static const char *read_part(int fd, struct state_file *part) {
    struct stat about;
    if (fstat(fd, &about) != 0)
        return strerror(errno);
    if (!S_ISREG(about.st_mode))
        return "not a regular file";
    if (about.st_size > SIZE_MOST)
        return none;
    part->bytes = malloc((size_t)about.st_size + 1);
    if (!part->bytes)
        return no_memory;
    if (!read_all(fd, part, (size_t)about.st_size))
        return strerror(errno);
    return parse(part) ? NULL : none;
}

/* NULL, or why it cannot be read. The bytes are to be freed in any case. */
static const char *load_part(const char *path, struct state_file *part) {
    int fd;
    *part = (struct state_file){0};
    do
        fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return strerror(errno);
    const char *why = read_part(fd, part);
    close(fd);
    return why;
}

static enum exit_code refuse_part(const char *path, const char *why) {
    char text[4096];
    if (why == no_memory)
        return report_no_memory();
    fprintf(stderr, "quipu: %s: %s\n", quipu_text_escape(path, text, sizeof text), why);
    return EXIT_UNREADABLE;
}

/* ---- Receiving ---- */

struct states {
    struct quipu_transport transport;
    const char **paths; /* by the number of the part, up to known */
    uint32_t known;     /* one more than there are files: a part that is missing is among them */
    const char *first_path;
    struct state_file first, received;
};

static enum quipu_status fail(const char *path, const char *why, struct quipu_error *err) {
    quipu_error_clear(err);
    err->status = why == no_memory ? QUIPU_NO_MEMORY : QUIPU_IO;
    snprintf(err->path, sizeof err->path, "%s", path);
    snprintf(err->message, sizeof err->message, "%s", why);
    return err->status;
}

static enum quipu_status await_part(void *context, uint32_t from, size_t *size, struct quipu_error *err) {
    struct states *states = context;
    const char *why = load_part(states->paths[from], &states->received);
    *size = states->received.state_size;
    return why ? fail(states->paths[from], why, err) : QUIPU_OK;
}

static enum quipu_status receive_part(void *context, uint32_t from, void *data, size_t size,
                                      struct quipu_error *err) {
    struct states *states = context;
    (void)from;
    (void)err;
    if (data)
        memcpy(data, states->received.state, size);
    free(states->received.bytes);
    states->received.bytes = NULL;
    return QUIPU_OK;
}

/* ---- All parts ---- */

static bool are_alike(const struct state_file *a, const struct state_file *b) {
    return a->count == b->count && a->words_size == b->words_size &&
           memcmp(a->words, b->words, a->words_size) == 0;
}

static enum exit_code add_part(struct states *states, const char *path, const struct state_file *part) {
    if (!are_alike(part, &states->first))
        return report_usage("%s is a part of another answer than %s", path, states->first_path);
    if (part->number > states->known)
        return EXIT_FINE;
    if (states->paths[part->number] && states->paths[part->number] != path)
        return report_usage("%s and %s are both part %" PRIu32, states->paths[part->number], path,
                            part->number);
    states->paths[part->number] = path;
    return EXIT_FINE;
}

static enum exit_code take_first(struct states *states, const char *path, int file_count) {
    const char *why = load_part(path, &states->first);
    if (why)
        return refuse_part(path, why);
    const uint32_t most = (uint32_t)file_count + 1;
    states->first_path = path;
    states->known = states->first.count < most ? states->first.count : most;
    states->paths = calloc((size_t)states->known + 1, sizeof *states->paths);
    return states->paths ? add_part(states, path, &states->first) : report_no_memory();
}

static enum exit_code take_all(struct states *states, const struct arguments *arguments) {
    enum exit_code code = take_first(states, arguments->operands[0], arguments->operand_count);
    for (int i = 1; i < arguments->operand_count && code == EXIT_FINE; i++) {
        struct state_file part;
        const char *path = arguments->operands[i], *why = load_part(path, &part);
        code = why ? refuse_part(path, why) : add_part(states, path, &part);
        free(part.bytes);
    }
    for (uint32_t i = 1; i <= states->known && code == EXIT_FINE; i++)
        if (!states->paths[i])
            code = report_usage("part %" PRIu32 " of %" PRIu32 " is missing", i, states->first.count);
    return code;
}

/* ---- Answering ---- */

/* The command of words such as --part writes, NULL: they are others. A file does not say what is overwritten. */
static const struct command *command_of(const struct state_file *head) {
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
        return refuse_part(states->first_path, none);
    char **words = calloc(states->first.word_count + 4, sizeof *words);
    const char *at = states->first.words;
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
        words[count++] = (char *)(at += strlen(at) + 1);
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
    free(states.received.bytes);
    free(states.first.bytes);
    return code;
}

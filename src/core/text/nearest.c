/* nearest.c: see quipu/base.h. */
#include <quipu/base.h>

#include <stdio.h>
#include <string.h>

/* Longer names are not typing errors. */
enum { NAME_MOST = 127 };

static char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Letters to insert, remove or replace to turn a into b (Levenshtein). Both are short. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len) {
    size_t row[NAME_MOST + 1];
    for (size_t k = 0; k <= b_len; k++)
        row[k] = k;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b_len; k++) {
            const size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[k - 1]));
            diagonal = row[k];
            row[k] = least(replaced, least(row[k], row[k - 1]) + 1);
        }
    }
    return row[b_len];
}

static bool begins_with(const char *name, const char *typed) {
    while (*typed && lower(*name) == lower(*typed))
        name++, typed++;
    return !*typed;
}

/* More than half the length of what was typed if the name is not near. */
static size_t distance_of(const char *typed, const char *name) {
    const size_t len = strlen(typed), name_len = strlen(name);
    const size_t more = len > name_len ? len - name_len : name_len - len;
    if (len > 1 && len < name_len && begins_with(name, typed))
        return 1;
    if (len > NAME_MOST || name_len > NAME_MOST || more > len / 2)
        return SIZE_MAX;
    return edit_distance(typed, len, name, name_len);
}

struct quipu_nearest quipu_nearest_to(const char *typed) {
    return (struct quipu_nearest){.typed = typed};
}

static bool is_listed(const struct quipu_nearest *nearest, const char *name) {
    for (size_t i = 0; i < nearest->count; i++)
        if (strcmp(nearest->names[i], name) == 0)
            return true;
    return false;
}

void quipu_nearest_add(struct quipu_nearest *nearest, const char *name) {
    const size_t distance = name && name[0] ? distance_of(nearest->typed, name) : SIZE_MAX;
    size_t position = nearest->count;
    if (distance > strlen(nearest->typed) / 2 || is_listed(nearest, name))
        return;
    while (position > 0 && nearest->distances[position - 1] > distance)
        position--;
    if (position == QUIPU_NEAREST_MOST)
        return;
    if (nearest->count < QUIPU_NEAREST_MOST)
        nearest->count++;
    for (size_t i = nearest->count - 1; i > position; i--) {
        nearest->names[i] = nearest->names[i - 1];
        nearest->distances[i] = nearest->distances[i - 1];
    }
    nearest->names[position] = name;
    nearest->distances[position] = distance;
}

/* The number of names hardly farther than the nearest. */
static size_t count_alike(const struct quipu_nearest *nearest) {
    size_t count = 0;
    while (count < nearest->count && nearest->distances[count] <= nearest->distances[0] + 1)
        count++;
    return count;
}

char *quipu_nearest_text(const struct quipu_nearest *nearest, char *text, size_t size) {
    const size_t count = count_alike(nearest);
    size_t len = 0;
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < count && len < size; i++) {
        const char *before = i + 1 == count ? " or " : ", ";
        const int more = snprintf(text + len, size - len, "%s%s%s", i == 0 ? "; did you mean " : before,
                                  nearest->names[i], i + 1 == count ? "?" : "");
        len += more > 0 ? (size_t)more : 0;
    }
    return text;
}

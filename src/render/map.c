/* map.c: a table as a map: a line for the rows of each value of its first column, a letter for each of its rows, or for several where the
 * page is narrow: that of the column which is largest there, a capital where it is three quarters of all or more.
 *
 *                 0.000s              1.000s
 *     rank 0      =====PPPP=======CCCC======
 *     rank 1      ====================CC====
 *     = useful, P mpi p2p, C mpi collective; small: less than three quarters
 */
#include "render/render.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MOST = 24, LETTERS_MOST = 32 };

struct map {
    struct quipu__render *render;
    const struct quipu_table *table;
    const char *letters;
    size_t first, letter_count; /* the columns that are compared */
    size_t bins, line_count;    /* rows of a line, which are the same for all */
    size_t width, name_width;   /* letters of a line; characters of names */
    bool is_used[LETTERS_MOST], has_small;
};

static const char *name_at(const struct map *map, size_t line) {
    const struct quipu_cell *cell = quipu_table_at(map->table, line * map->bins, 0);
    return cell->is_null ? "all" : cell->text;
}

/* Rows until the first column has another value. */
static size_t count_bins(const struct quipu_table *table) {
    const size_t rows = quipu_table_row_count(table), bin = 2; /* name, its number, bin */
    size_t bins = 1;
    while (bins < rows && quipu_table_at(table, bins, bin)->u > quipu_table_at(table, bins - 1, bin)->u)
        bins++;
    return bins;
}

/* How many characters a name has when it is shown, of which the buffer gets as many as there is room for. */
static size_t put_characters(struct quipu__buffer *out, const char *name, size_t room) {
    size_t shown = 0, index = out->len, end = out->len;
    quipu__put_escaped(out, name, strlen(name));
    for (; index < out->len; index++) {
        shown += (out->data[index] & 0xc0) != 0x80;
        end = shown <= room ? index + 1 : end;
    }
    out->len = end;
    return shown;
}

static void put_name(struct quipu__buffer *out, const char *name, size_t width) {
    for (size_t shown = put_characters(out, name, width); shown < width; shown++)
        quipu__put_u8(out, ' ');
}

/* The letter of the rows of a line from one up to another one; columns with the same letter count together. */
static char letter_of(struct map *map, size_t from, size_t to) {
    double totals[LETTERS_MOST] = {0}, all = 0;
    size_t largest = 0;
    for (size_t row = from; row < to; row++)
        for (size_t i = 0; i < map->letter_count; i++) {
            const size_t same = (size_t)(strchr(map->letters, map->letters[i]) - map->letters);
            const double value = (double)quipu_table_at(map->table, row, map->first + i)->i;
            totals[same] += value;
            all += value;
        }
    for (size_t i = 1; i < map->letter_count; i++)
        largest = totals[i] > totals[largest] ? i : largest;
    map->is_used[largest] = true;
    const char letter = map->letters[largest];
    const bool is_small = totals[largest] < 0.75 * all;
    map->has_small |= is_small && letter != ' ';
    if (letter == '=')
        return is_small ? '-' : '=';
    return is_small ? (char)tolower((unsigned char)letter) : letter;
}

static void put_axis(struct map *map) {
    enum { FROM = 3, TO = 4 }; /* columns */
    struct quipu__buffer *out = &map->render->out;
    char from[QUIPU_TIME_TEXT_BYTES], to[QUIPU_TIME_TEXT_BYTES];
    quipu_duration_text(quipu_table_at(map->table, 0, FROM)->i, QUIPU_UNIT_S, from);
    quipu_duration_text(quipu_table_at(map->table, map->bins - 1, TO)->i, QUIPU_UNIT_S, to);
    const size_t used = strlen(from) + strlen(to);
    put_name(out, "", map->name_width + 2);
    quipu__put_text(out, from);
    put_name(out, "", used < map->width ? map->width - used : 1);
    quipu__put_text(out, to);
    quipu__put_u8(out, '\n');
}

/* "mpi_p2p_ns" is "mpi p2p". */
static void put_legend(const struct map *map) {
    struct quipu__buffer *out = &map->render->out;
    const char *separator = "";
    for (size_t i = 0; i < map->letter_count; i++) {
        const char *name = quipu_table_column_at(map->table, map->first + i)->name;
        if (!map->is_used[i])
            continue;
        quipu__put_text(out, separator);
        if (map->letters[i] == ' ')
            quipu__put_text(out, "blank");
        else
            quipu__put_u8(out, (uint8_t)map->letters[i]);
        quipu__put_u8(out, ' ');
        for (; *name && strcmp(name, "_ns") != 0; name++)
            quipu__put_u8(out, *name == '_' ? ' ' : (uint8_t)*name);
        separator = ", ";
    }
    quipu__put_text(out,
                    map->has_small ? "; - and small letters: less than three quarters of the time\n" : "\n");
}

enum quipu_status quipu__render_map(struct quipu__render *render, const struct quipu_table *table,
                                    struct quipu_error *err) {
    const struct quipu_render_options *options = render->options;
    const size_t rows = quipu_table_row_count(table), length = strlen(options->map_letters);
    struct map map = {.render = render, .table = table, .letters = options->map_letters};
    enum quipu_status status = QUIPU_OK;
    if (rows == 0)
        return QUIPU_OK;
    map.first = options->map_column;
    map.letter_count = length < LETTERS_MOST ? length : LETTERS_MOST;
    map.bins = count_bins(table);
    map.line_count = rows / map.bins;
    for (size_t i = 0; i < map.line_count; i++) {
        const size_t name = put_characters(&render->out, name_at(&map, i), 0);
        map.name_width = name > map.name_width ? name : map.name_width;
    }
    map.name_width = map.name_width < NAME_MOST ? map.name_width : NAME_MOST;
    const size_t page = options->width > 0 ? (size_t)options->width : SIZE_MAX;
    const size_t room = page > map.name_width + 12 ? page - map.name_width - 2 : 10;
    map.width = map.bins < room ? map.bins : room;
    put_axis(&map);
    const size_t lines = options->row_limit < map.line_count ? options->row_limit : map.line_count;
    for (size_t i = 0; i < lines && status == QUIPU_OK; i++) {
        put_name(&render->out, name_at(&map, i), map.name_width + 2);
        for (size_t k = 0; k < map.width; k++)
            quipu__put_u8(&render->out, (uint8_t)letter_of(&map, i * map.bins + k * map.bins / map.width,
                                                           i * map.bins + (k + 1) * map.bins / map.width));
        quipu__put_u8(&render->out, '\n');
        status = quipu__render_row_end(render, err);
    }
    if (lines < map.line_count)
        quipu__put_format(&render->out, "(%zu more %s)\n", map.line_count - lines,
                          map.line_count - lines == 1 ? "line" : "lines");
    put_legend(&map);
    return status;
}

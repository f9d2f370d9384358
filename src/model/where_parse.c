/* where_parse.c: expressions from text to nodes and typed tests. Needs no trace: what can be wrong is found here. */
#include "core/error.h"
#include "model/where.h"
#include "model/where_regex.h"

#include <string.h>

enum token_type { TOKEN_END, TOKEN_NAME, TOKEN_TEXT, TOKEN_NUMBER, TOKEN_SYMBOL };

struct token {
    enum token_type type;
    const char *at;
    size_t len;
};

struct parser {
    struct quipu__where_clause *where;
    const char *text;
    struct token token; /* the next one */
    unsigned depth;
    struct quipu_error *err;
};

/* Parentheses and negations inside each other. */
enum { DEPTH_MOST = 100 };

/* ---- Errors ---- */

/* "what: ...expression with a caret before the ^error". */
enum quipu_status quipu__where_refuse(const char *text, size_t offset, const char *what,
                                      struct quipu_error *err) {
    enum { BEFORE = 80, AFTER = 60 };
    const char *at = text + offset;
    const size_t after = strlen(at), left_out = offset > BEFORE ? offset - BEFORE : 0;
    return quipu__fail(err, QUIPU_MISUSE, "%s: %s%.*s^%.*s%s", what, left_out > 0 ? "..." : "",
                       (int)(offset - left_out), text + left_out, (int)(after < AFTER ? after : AFTER), at,
                       after > AFTER ? "..." : "");
}

static enum quipu_status fail_at(const struct parser *parser, const char *at, const char *what) {
    return quipu__where_refuse(parser->text, (size_t)(at - parser->text), what, parser->err);
}

static enum quipu_status fail_here(const struct parser *parser, const char *what) {
    return fail_at(parser, parser->token.at, what);
}

/* ---- Tokens ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* Words may contain dots, colons and hyphens: peer.rank, mpi-p2p. */
static size_t word_length(const char *text) {
    size_t len = 1;
    while (is_letter(text[len]) || is_digit(text[len]) ||
           (text[len] && strchr(".:-", text[len]) && is_letter(text[len + 1])))
        len++;
    return len;
}

static size_t number_length(const char *text) {
    size_t len = 1;
    while (is_digit(text[len]) || is_letter(text[len]) || (text[len] == '.' && is_digit(text[len + 1])))
        len++;
    return len;
}

/* With both quotes; 0 when the second one is missing. */
static size_t quoted_length(const char *text) {
    size_t len = 1;
    while (text[len] && text[len] != text[0])
        len += text[len] == '\\' && text[len + 1] ? 2 : 1;
    return text[len] ? len + 1 : 0;
}

static size_t symbol_length(const char *text) {
    static const char *const symbols[] = {"&&", "||", "==", "!=", "!~", "<=", ">="};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strncmp(text, symbols[i], 2) == 0)
            return 2;
    return strchr("!()<>=~,-", text[0]) ? 1 : 0;
}

static enum quipu_status advance(struct parser *parser) {
    const char *at = parser->token.at + parser->token.len;
    struct token *token = &parser->token;
    at += strspn(at, " \t\r\n");
    *token = (struct token){TOKEN_END, at, 0};
    if (!*at)
        return QUIPU_OK;
    if (is_letter(*at))
        *token = (struct token){TOKEN_NAME, at, word_length(at)};
    else if (is_digit(*at))
        *token = (struct token){TOKEN_NUMBER, at, number_length(at)};
    else if (*at == '"' || *at == '\'')
        *token = (struct token){TOKEN_TEXT, at, quoted_length(at)};
    else
        *token = (struct token){TOKEN_SYMBOL, at, symbol_length(at)};
    if (token->len > 0)
        return QUIPU_OK;
    return fail_here(parser, token->type == TOKEN_TEXT ? "a quote is not closed"
                                                       : "this does not belong into an expression");
}

static bool is_next(const struct parser *parser, const char *text) {
    return (parser->token.type == TOKEN_SYMBOL || parser->token.type == TOKEN_NAME) &&
           parser->token.len == strlen(text) && memcmp(parser->token.at, text, parser->token.len) == 0;
}

static bool is_next_of(const struct parser *parser, const char *symbol, const char *word) {
    return is_next(parser, symbol) || is_next(parser, word);
}

static enum quipu_status no_memory(const struct parser *parser) {
    return quipu__no_memory(parser->err, parser->where->memory->used);
}

/* ---- Values ---- */

static const struct unit {
    const char *name;
    uint64_t factor;
    enum quipu__where_unit unit;
} units[] = {
    {"", 1, QUIPU__WHERE_PLAIN},
    {"k", 1000, QUIPU__WHERE_BYTES},
    {"K", 1000, QUIPU__WHERE_BYTES},
    {"M", 1000000, QUIPU__WHERE_BYTES},
    {"G", 1000000000, QUIPU__WHERE_BYTES},
    {"T", 1000000000000, QUIPU__WHERE_BYTES},
    {"Ki", UINT64_C(1) << 10, QUIPU__WHERE_BYTES},
    {"Mi", UINT64_C(1) << 20, QUIPU__WHERE_BYTES},
    {"Gi", UINT64_C(1) << 30, QUIPU__WHERE_BYTES},
    {"Ti", UINT64_C(1) << 40, QUIPU__WHERE_BYTES},
    {"ns", 1, QUIPU__WHERE_NANOSECONDS},
    {"us", 1000, QUIPU__WHERE_NANOSECONDS},
    {"ms", 1000000, QUIPU__WHERE_NANOSECONDS},
    {"s", 1000000000, QUIPU__WHERE_NANOSECONDS},
    {"min", UINT64_C(60000000000), QUIPU__WHERE_NANOSECONDS},
    {"h", UINT64_C(3600000000000), QUIPU__WHERE_NANOSECONDS},
};

/* NULL when there is none of that name. B may follow those of bytes. */
static const struct unit *find_unit(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t known = strlen(units[i].name);
        const bool has_b = units[i].unit == QUIPU__WHERE_BYTES && len == known + 1 && name[known] == 'B';
        if ((len == known || has_b) && memcmp(name, units[i].name, known) == 0)
            return &units[i];
    }
    return NULL;
}

/* Adds a digit; false when the number does not fit. */
static bool add_digit(uint64_t *number, unsigned base, unsigned digit) {
    if (*number > (UINT64_MAX - digit) / base)
        return false;
    *number = *number * base + digit;
    return true;
}

static bool parse_hexadecimal(const char *text, size_t len, struct quipu__where_number *out) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    bool fits = len > 2;
    for (size_t i = 2; i < len && fits; i++) {
        const char *digit = strchr(digits, text[i]);
        fits = digit && add_digit(&out->size, 16, (unsigned)((digit - digits) % 16));
    }
    out->is_whole = true;
    out->real = (long double)out->size;
    return fits;
}

/* Digits with a decimal point, scaled by a factor. is_whole says whether the result is an integer. */
static bool parse_decimal(const char *text, size_t len, uint64_t factor, struct quipu__where_number *out) {
    uint64_t number = 0, denominator = 1; /* of one */
    bool fits = true, is_behind = false;
    for (size_t i = 0; i < len && fits; i++) {
        fits = text[i] == '.' ? !is_behind : add_digit(&number, 10, (unsigned)(text[i] - '0'));
        if (text[i] != '.' && is_behind)
            fits = fits && add_digit(&denominator, 10, 0);
        is_behind |= text[i] == '.';
    }
    out->real = (long double)number * (long double)factor / (long double)denominator;
    while (denominator > 1 && denominator % 10 == 0 && factor % 10 == 0) {
        denominator /= 10;
        factor /= 10;
    }
    out->is_whole = number % denominator == 0;
    number /= denominator;
    out->size = number * factor;
    return fits && (!out->is_whole || number <= UINT64_MAX / factor);
}

bool quipu__where_quantity(const char *text, struct quipu__where_number *out) {
    const size_t digits = strspn(text, ".0123456789");
    const struct unit *unit = find_unit(text + digits, strlen(text + digits));
    *out = (struct quipu__where_number){.unit = unit ? unit->unit : QUIPU__WHERE_PLAIN};
    return digits > 0 && unit && strcspn(text, "0123456789") < digits &&
           parse_decimal(text, digits, unit->factor, out);
}

static enum quipu_status parse_number(struct parser *parser, struct quipu__where_number *out) {
    const char *start = parser->token.at;
    *out = (struct quipu__where_number){.unit = QUIPU__WHERE_PLAIN};
    enum quipu_status status = QUIPU_OK;
    if (is_next(parser, "-")) {
        out->is_negative = true;
        status = advance(parser);
    }
    if (status != QUIPU_OK)
        return status;
    const struct token token = parser->token;
    if (token.type != TOKEN_NUMBER)
        return fail_here(parser, "expected a number");
    const bool is_hexadecimal = token.len > 1 && token.at[0] == '0' && (token.at[1] | 0x20) == 'x';
    const size_t digits = strspn(token.at, ".0123456789");
    const struct unit *unit = is_hexadecimal ? &units[0] : find_unit(token.at + digits, token.len - digits);
    if (!unit)
        return fail_at(parser, token.at + digits,
                       "unknown unit; there are k M G T Ki Mi Gi Ti ns us ms s min h");
    out->unit = unit->unit;
    if (!(is_hexadecimal ? parse_hexadecimal(token.at, token.len, out)
                         : parse_decimal(token.at, digits, unit->factor, out)))
        return fail_at(parser, start,
                       is_hexadecimal ? "expected a hexadecimal number of 64 bits" : "the number is too large");
    if (out->is_negative)
        out->real = -out->real;
    return advance(parser);
}

/* A text without its quotes. */
static const char *unquote(struct quipu__arena *arena, const struct token *token) {
    const size_t quote = token->type == TOKEN_TEXT;
    char *text = quipu__arena_text(arena, token->at + quote, token->len - 2 * quote);
    size_t len = 0;
    for (size_t i = 0; text && quote && text[i]; i++) {
        const bool is_escape = text[i] == '\\' && (text[i + 1] == '\\' || text[i + 1] == token->at[0]);
        i += is_escape;
        text[len++] = text[i];
    }
    if (text && quote)
        text[len] = '\0';
    return text;
}

static enum quipu_status parse_text(struct parser *parser, struct quipu__where_item *item) {
    item->text = unquote(&parser->where->arena, &parser->token);
    return item->text ? advance(parser) : no_memory(parser);
}

/* ---- Types ---- */

static bool is_kind_name(const struct quipu__where_test *test, const char *text) {
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        if (strcmp(test->property == QUIPU__WHERE_FAMILY ? kind->family : kind->name, text) == 0)
            return true;
    }
    return false;
}

/* What is wrong with a number for a field, or NULL. */
static const char *number_trouble(const struct quipu__where_test *test,
                                  const struct quipu__where_number *number) {
    if (test->type == QUIPU__WHERE_TEXTS || test->subject == QUIPU__WHERE_KIND)
        return "the field is compared with texts";
    if (number->unit == QUIPU__WHERE_NANOSECONDS && test->type != QUIPU__WHERE_TIMES)
        return "a unit of time, but the field is no time";
    if (number->unit == QUIPU__WHERE_BYTES && test->type == QUIPU__WHERE_TIMES)
        return "expected a time: a number of ticks, or one with the unit ns us ms s min h";
    if (!number->is_whole && test->type != QUIPU__WHERE_VALUES)
        return number->unit == QUIPU__WHERE_NANOSECONDS ? "expected a whole number of nanoseconds"
                                                        : "expected a whole number";
    if (number->unit == QUIPU__WHERE_NANOSECONDS && number->size > INT64_MAX)
        return "the number is too large";
    return NULL;
}

static const char *text_trouble(const struct quipu__where_test *test, const char *text) {
    static const char *const expected[QUIPU__WHERE_TYPES] = {
        [QUIPU__WHERE_NUMBERS] = "expected a number",
        [QUIPU__WHERE_TIMES] = "expected a time: a number of ticks, or one with the unit ns us ms s min h"};
    if (expected[test->type])
        return expected[test->type];
    if (test->subject == QUIPU__WHERE_KIND && test->comparison == QUIPU__WHERE_IN && !is_kind_name(test, text))
        return test->property == QUIPU__WHERE_FAMILY ? "no such family of events" : "no such kind of event";
    return NULL;
}

static bool takes_texts(enum quipu__where_operator comparison) {
    return comparison == QUIPU__WHERE_IN || comparison == QUIPU__WHERE_MATCHES;
}

/* ---- Fields ---- */

static const struct fixed_field {
    struct quipu_where_field field;
    enum quipu__where_subject subject;
    enum quipu__where_property property;
} fixed_fields[] = {
#define WHERE_FIELD(name, subject, property, type, doc)                                                        \
    {{name, type, doc}, QUIPU__WHERE_##subject, QUIPU__WHERE_##property},
#include "model/where_fields.def"
};

size_t quipu_where_field_count(void) {
    return sizeof fixed_fields / sizeof *fixed_fields;
}

const struct quipu_where_field *quipu_where_field_at(size_t index) {
    return &fixed_fields[index].field;
}

static const struct property {
    const char *suffix;
    enum quipu_refers refers;
    enum quipu__where_property property;
} properties[] = {
#define WHERE_PROPERTY(suffix, refers, property) {suffix, QUIPU_REFERS_##refers, QUIPU__WHERE_##property},
#include "model/where_fields.def"
};

static bool is_word(const char *word, const char *text, size_t len) {
    return strlen(word) == len && memcmp(word, text, len) == 0;
}

static enum quipu__where_type type_of_property(enum quipu__where_property property) {
    return property == QUIPU__WHERE_RANK || property == QUIPU__WHERE_PID || property == QUIPU__WHERE_TID
               ? QUIPU__WHERE_NUMBERS
               : QUIPU__WHERE_NAMES;
}

static enum quipu__where_type type_of_refers(enum quipu_refers refers) {
    switch (refers) {
    case QUIPU_REFERS_NOTHING:
    case QUIPU_REFERS_SIGNED:
        return QUIPU__WHERE_NUMBERS;
    case QUIPU_REFERS_BITS:
    case QUIPU_REFERS_CHANNEL_VALUE:
        return QUIPU__WHERE_VALUES;
    case QUIPU_REFERS_TEXT:
        return QUIPU__WHERE_TEXTS;
    default:
        return QUIPU__WHERE_NAMES;
    }
}

static bool find_fixed(const char *name, size_t len, struct quipu__where_test *test) {
    for (size_t i = 0; i < sizeof fixed_fields / sizeof *fixed_fields; i++) {
        const struct fixed_field *fixed = &fixed_fields[i];
        if (!is_word(fixed->field.name, name, len))
            continue;
        test->subject = fixed->subject;
        test->property = fixed->property;
        test->type = fixed->subject == QUIPU__WHERE_TIME || fixed->subject == QUIPU__WHERE_DURATION
                         ? QUIPU__WHERE_TIMES
                         : type_of_property(fixed->property);
        return true;
    }
    return false;
}

static bool find_column(const char *name, size_t len, struct quipu__where_test *test) {
    const struct quipu_kind_field *found = NULL;
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        for (size_t k = 0; k < kind->field_count; k++)
            if (is_word(kind->fields[k].name, name, len))
                test->fields[i] = found = &kind->fields[k];
    }
    test->subject = QUIPU__WHERE_COLUMN;
    if (found)
        test->type = type_of_refers(found->refers);
    return found != NULL;
}

/* Narrows the test to a property of what the field refers to, in kinds where it exists. */
static bool find_property(const char *suffix, size_t len, struct quipu__where_test *test) {
    const enum quipu_refers own =
        test->subject == QUIPU__WHERE_LOCATION ? QUIPU_REFERS_LOCATION : QUIPU_REFERS_REGION;
    bool is_found = false;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        if (!is_word(properties[i].suffix, suffix, len))
            continue;
        test->property = properties[i].property;
        is_found |= test->subject != QUIPU__WHERE_COLUMN && own == properties[i].refers;
        for (int k = 0; k < QUIPU_KIND_COUNT; k++)
            if (test->fields[k] && test->fields[k]->refers == properties[i].refers)
                is_found = true;
            else
                test->fields[k] = NULL;
    }
    test->type = type_of_property(test->property);
    return is_found;
}

static enum quipu_status parse_field(struct parser *parser, struct quipu__where_test *test) {
    const char *name = parser->token.at;
    const size_t len = parser->token.len;
    const char *point = memchr(name, '.', len);
    const size_t base = point ? (size_t)(point - name) : len;
    const bool has_properties = find_fixed(name, base, test) ? test->property == QUIPU__WHERE_NAME &&
                                                                   (test->subject == QUIPU__WHERE_LOCATION ||
                                                                    test->subject == QUIPU__WHERE_REGION)
                                                             : find_column(name, base, test);
    if (!has_properties && test->subject == QUIPU__WHERE_COLUMN)
        return fail_here(parser, "unknown field");
    if (point && !(has_properties && find_property(point + 1, len - base - 1, test)))
        return fail_at(parser, point, "the field has no such property");
    return advance(parser);
}

/* ---- Tests ---- */

static const struct operator_row {
    const char *symbol;
    enum quipu__where_operator comparison;
    bool is_negated;
} operators[] = {
    {"==", QUIPU__WHERE_IN, false},       {"=", QUIPU__WHERE_IN, false},
    {"!=", QUIPU__WHERE_IN, true},        {"<", QUIPU__WHERE_LESS, false},
    {"<=", QUIPU__WHERE_AT_MOST, false},  {">", QUIPU__WHERE_MORE, false},
    {">=", QUIPU__WHERE_AT_LEAST, false}, {"~", QUIPU__WHERE_MATCHES, false},
    {"!~", QUIPU__WHERE_MATCHES, true},   {"in", QUIPU__WHERE_IN, false},
};

/* NULL: there is no comparison. */
static const struct operator_row *find_operator(const struct parser *parser) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (is_next(parser, operators[i].symbol))
            return &operators[i];
    return NULL;
}

static enum quipu_status parse_range(struct parser *parser, const struct quipu__where_test *test,
                                     struct quipu__where_item *item, bool has_range) {
    const char *start = parser->token.at;
    enum quipu_status status = parse_number(parser, &item->first);
    if (status != QUIPU_OK)
        return status;
    const char *trouble = number_trouble(test, &item->first);
    if (trouble)
        return fail_at(parser, start, trouble);
    item->last = item->first;
    if (!has_range || !is_next(parser, "-"))
        return QUIPU_OK;
    status = advance(parser);
    start = parser->token.at;
    if (status == QUIPU_OK)
        status = parse_number(parser, &item->last);
    if (status != QUIPU_OK)
        return status;
    trouble = number_trouble(test, &item->last);
    if (!trouble && item->last.real < item->first.real)
        trouble = "a range ends before it begins";
    return trouble ? fail_at(parser, start, trouble) : QUIPU_OK;
}

static enum quipu_status compile_regex(const struct parser *parser, struct quipu__where_item *item,
                                       const char *at) {
    char trouble[QUIPU__REGEX_TROUBLE];
    item->regex = quipu__regex_new(parser->where->memory, item->text, trouble);
    if (item->regex)
        return QUIPU_OK;
    return trouble[0] ? fail_at(parser, at, trouble) : no_memory(parser);
}

static enum quipu_status parse_item(struct parser *parser, struct quipu__where_test *test, bool has_range) {
    const struct token token = parser->token;
    struct quipu__where_item *item = QUIPU__VEC_ADD(parser->where->memory, &parser->where->items);
    if (!item)
        return no_memory(parser);
    test->count++;
    if (token.type == TOKEN_NUMBER || is_next(parser, "-"))
        return test->comparison == QUIPU__WHERE_MATCHES ? fail_here(parser, "expected a text")
                                                        : parse_range(parser, test, item, has_range);
    if (token.type != TOKEN_TEXT && token.type != TOKEN_NAME)
        return fail_here(parser, "expected a value");
    if (!takes_texts(test->comparison))
        return fail_here(parser, "expected a number");
    const enum quipu_status status = parse_text(parser, item);
    if (status != QUIPU_OK)
        return status;
    const char *trouble = text_trouble(test, item->text);
    if (trouble)
        return fail_at(parser, token.at, trouble);
    return test->comparison == QUIPU__WHERE_MATCHES ? compile_regex(parser, item, token.at) : QUIPU_OK;
}

static enum quipu_status parse_list(struct parser *parser, struct quipu__where_test *test) {
    enum quipu_status status = parse_item(parser, test, true);
    while (status == QUIPU_OK && is_next(parser, ",")) {
        status = advance(parser);
        if (status == QUIPU_OK)
            status = parse_item(parser, test, true);
    }
    return status;
}

static bool can_compare(const struct quipu__where_test *test) {
    const bool has_texts = test->type >= QUIPU__WHERE_NAMES, has_numbers = test->type != QUIPU__WHERE_TEXTS;
    if (test->comparison == QUIPU__WHERE_MATCHES)
        return has_texts;
    return takes_texts(test->comparison) || (has_numbers && test->subject != QUIPU__WHERE_KIND);
}

/* Parses what follows a field. */
static enum quipu_status parse_comparison(struct parser *parser, struct quipu__where_test *test) {
    const bool is_not = is_next(parser, "not");
    enum quipu_status status = is_not ? advance(parser) : QUIPU_OK;
    if (status != QUIPU_OK)
        return status;
    const struct operator_row *row = find_operator(parser);
    const bool is_list = is_next(parser, "in");
    if (is_not && !is_list)
        return fail_here(parser, "expected in");
    if (!row)
        return QUIPU_OK;
    test->comparison = row->comparison;
    test->is_negated = row->is_negated || is_not;
    if (!can_compare(test))
        return fail_here(parser, test->comparison == QUIPU__WHERE_MATCHES ? "the field is compared with numbers"
                                                                          : "the field is compared with texts");
    status = advance(parser);
    if (status != QUIPU_OK)
        return status;
    return is_list ? parse_list(parser, test) : parse_item(parser, test, false);
}

/* ---- Nodes ---- */

static enum quipu_status add_node(struct parser *parser, enum quipu__where_junction junction, uint32_t left,
                                  uint32_t right, uint32_t *out) {
    if (!QUIPU__VEC_PUT(parser->where->memory, &parser->where->nodes,
                        (struct quipu__where_node){junction, left, right}))
        return no_memory(parser);
    *out = (uint32_t)(parser->where->nodes.count - 1);
    return QUIPU_OK;
}

static enum quipu_status parse_test(struct parser *parser, uint32_t *out) {
    struct quipu__where_clause *where = parser->where;
    struct quipu__where_test test = {.comparison = QUIPU__WHERE_KNOWN,
                                     .offset = (uint32_t)(parser->token.at - parser->text),
                                     .first = (uint32_t)where->items.count};
    if (parser->token.type != TOKEN_NAME)
        return fail_here(parser, "expected a field");
    enum quipu_status status = parse_field(parser, &test);
    if (status == QUIPU_OK)
        status = parse_comparison(parser, &test);
    if (status != QUIPU_OK)
        return status;
    if (!QUIPU__VEC_PUT(where->memory, &where->tests, test))
        return no_memory(parser);
    return add_node(parser, QUIPU__WHERE_TEST, (uint32_t)(where->tests.count - 1), 0, out);
}

static enum quipu_status parse_or(struct parser *parser, uint32_t *out);

static enum quipu_status parse_parentheses(struct parser *parser, uint32_t *out) {
    enum quipu_status status = advance(parser);
    if (status == QUIPU_OK)
        status = parse_or(parser, out);
    if (status != QUIPU_OK)
        return status;
    return is_next(parser, ")") ? advance(parser) : fail_here(parser, "expected && || or )");
}

static enum quipu_status parse_factor(struct parser *parser, uint32_t *out) {
    const bool negates = is_next_of(parser, "!", "not");
    enum quipu_status status;
    if (!negates && !is_next(parser, "("))
        return parse_test(parser, out);
    if (++parser->depth > DEPTH_MOST)
        return fail_here(parser, "parentheses and negations are nested too deeply");
    if (negates) {
        status = advance(parser);
        if (status == QUIPU_OK)
            status = parse_factor(parser, out);
        if (status == QUIPU_OK)
            status = add_node(parser, QUIPU__WHERE_NOT, *out, 0, out);
    } else {
        status = parse_parentheses(parser, out);
    }
    parser->depth--;
    return status;
}

static enum quipu_status parse_and(struct parser *parser, uint32_t *out) {
    enum quipu_status status = parse_factor(parser, out);
    while (status == QUIPU_OK && is_next_of(parser, "&&", "and")) {
        uint32_t right;
        status = advance(parser);
        if (status == QUIPU_OK)
            status = parse_factor(parser, &right);
        if (status == QUIPU_OK)
            status = add_node(parser, QUIPU__WHERE_AND, *out, right, out);
    }
    return status;
}

static enum quipu_status parse_or(struct parser *parser, uint32_t *out) {
    enum quipu_status status = parse_and(parser, out);
    while (status == QUIPU_OK && is_next_of(parser, "||", "or")) {
        uint32_t right;
        status = advance(parser);
        if (status == QUIPU_OK)
            status = parse_and(parser, &right);
        if (status == QUIPU_OK)
            status = add_node(parser, QUIPU__WHERE_OR, *out, right, out);
    }
    return status;
}

enum quipu_status quipu__where_parse(struct quipu__where_clause *where, const char *text,
                                     struct quipu_error *err) {
    struct parser parser = {.where = where, .text = text, .token = {.at = text}, .err = err};
    if (strlen(text) > QUIPU_WHERE_LENGTH)
        return quipu__fail(err, QUIPU_MISUSE, "the expression is longer than %d bytes", QUIPU_WHERE_LENGTH);
    enum quipu_status status = advance(&parser);
    if (status == QUIPU_OK)
        status = parse_or(&parser, &where->root);
    if (status == QUIPU_OK && parser.token.type != TOKEN_END)
        return fail_here(&parser, "expected && || or the end");
    return status;
}

void quipu__where_release(struct quipu__where_clause *where) {
    for (size_t i = 0; i < where->items.count; i++)
        quipu__regex_free(where->items.items[i].regex);
    quipu__arena_release(&where->arena);
    QUIPU__VEC_RELEASE(where->memory, &where->nodes);
    QUIPU__VEC_RELEASE(where->memory, &where->tests);
    QUIPU__VEC_RELEASE(where->memory, &where->items);
}

enum quipu_status quipu_where_check(const char *expression, struct quipu_error *err) {
    struct quipu__memory memory;
    struct quipu__where_clause where = {.memory = &memory};
    quipu__memory_init(&memory, NULL, 0);
    quipu__arena_init(&where.arena, &memory);
    const enum quipu_status status = quipu__where_parse(&where, expression, err);
    quipu__where_release(&where);
    return status;
}

/* network.c: see network.h. */
#include "analysis/replay/network.h"

#include "core/error.h"
#include "core/scale.h"
#include "core/text.h"

#include <string.h>

enum { DIGITS_MOST = 12, DECIMALS_MOST = 6, NS_PER_SECOND = 1000000000 };

/* ---- Numbers ---- */

bool quipu__parse_decimal(const char *text, size_t len, struct quipu__decimal *out) {
    unsigned digits = 0, decimals = 0;
    bool has_point = false;
    *out = (struct quipu__decimal){0, 1};
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++digits > DIGITS_MOST ||
            (has_point && ++decimals > DECIMALS_MOST))
            return false;
        out->numerator = out->numerator * 10 + (uint64_t)(text[i] - '0');
        out->denominator *= has_point ? 10 : 1;
    }
    return digits > 0;
}

/* Times of a replay that no run has. */
static int64_t limited(uint64_t ns) {
    return ns > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)ns;
}

int64_t quipu__multiplied(uint64_t count, const struct quipu__decimal *factor) {
    return limited(quipu__scale_rounded(count, factor->numerator, factor->denominator));
}

int64_t quipu__transfer_time(uint64_t bytes, uint64_t bandwidth) {
    return limited(quipu__scale_rounded(bytes, NS_PER_SECOND, bandwidth));
}

/* ---- Options ---- */

enum quipu_status quipu__network_number(const struct quipu__settings *settings, const char *name, uint64_t most,
                                        uint64_t *out, struct quipu_error *err) {
    const char *value = quipu__settings_value(settings, name);
    if (!value)
        return QUIPU_OK;
    if (quipu__parse_u64(value, strlen(value), out) && *out <= most)
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE, "--%s takes a number up to %llu, not \"%s\"", name,
                       (unsigned long long)most, value);
}

enum quipu_status quipu__network_decimal(const struct quipu__settings *settings, const char *name,
                                         struct quipu__decimal *out, struct quipu_error *err) {
    const char *value = quipu__settings_value(settings, name);
    *out = (struct quipu__decimal){0, 1};
    if (!value || quipu__parse_decimal(value, strlen(value), out))
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE,
                       "--%s takes a number with at most 6 decimals, such as 0.5, not \"%s\"", name, value);
}

enum { TIME_MOST = 1000000000 };

enum quipu_status quipu__network_time(const struct quipu__settings *settings, const char *name, int64_t *out,
                                      struct quipu_error *err) {
    uint64_t number = (uint64_t)*out;
    const enum quipu_status status = quipu__network_number(settings, name, TIME_MOST, &number, err);
    *out = (int64_t)number;
    return status;
}

/* ---- Collective operations ---- */

static const char *const step_names[] = {"0", "1", "log", "lin"};
static const char *const size_names[] = {"0", "max", "mean", "sum"};

/* The number of a word in front of a comma or the end, and where the next one begins; false when it is none of them. */
static bool take_word(const char **text, const char *const *words, uint8_t *out) {
    const size_t len = strcspn(*text, ",");
    for (uint8_t i = 0; i < 4; i++) {
        if (strlen(words[i]) != len || strncmp(words[i], *text, len) != 0)
            continue;
        *out = i;
        *text += len + ((*text)[len] == ',');
        return true;
    }
    return false;
}

static uint32_t operation_of(const char *name, size_t len) {
    for (uint32_t i = 0; i < QUIPU_COLLECTIVE_COUNT; i++) {
        const char *text = quipu_operation_name(QUIPU_REFERS_COLLECTIVE, i);
        if (strlen(text) == len && strncmp(text, name, len) == 0)
            return i;
    }
    return QUIPU_NONE;
}

static enum quipu_status take_cost(struct quipu__network *network, const char *value, struct quipu_error *err) {
    const size_t len = strcspn(value, "=");
    const uint32_t operation = operation_of(value, len);
    const char *words = value + len + (value[len] == '=');
    struct quipu__collective_cost cost;
    if (operation != QUIPU_NONE && take_word(&words, step_names, &cost.in) &&
        take_word(&words, step_names, &cost.out) && take_word(&words, size_names, &cost.size) &&
        *words == '\0') {
        network->costs[operation] = cost;
        return QUIPU_OK;
    }
    return quipu__fail(err, QUIPU_MISUSE,
                       "--collective takes OPERATION=IN,OUT,SIZE with 0, 1, log or lin for IN and OUT and 0, "
                       "max, mean or sum for SIZE, not \"%s\"",
                       value);
}

static enum quipu_status take_costs(const struct quipu__settings *settings, struct quipu__network *network,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < settings->count && status == QUIPU_OK; i++)
        if (strcmp(settings->items[i].name, "collective") == 0)
            status = take_cost(network, settings->items[i].value, err);
    return status;
}

static const struct quipu__network defaults = {
#define COST(operation, in, out, size)                                                                         \
    [QUIPU_COLLECTIVE_##operation] = {QUIPU__STEPS_##in, QUIPU__STEPS_##out, QUIPU__SIZE_##size},
    .costs =
        {
#include "analysis/replay/collective_costs.def"
        }
#undef COST
};

/* ---- Networks ---- */

static const char *const traced_options[] = {"eager-limit", "without", NULL};

static const struct quipu__network_model measured_network = {
    .name = "measured", .options = traced_options, .is_measured = true};
const struct quipu__network_model quipu__ideal_network = {.name = "ideal", .options = traced_options};

static const struct quipu__network_model *const models[] = {&measured_network, &quipu__ideal_network,
                                                            &quipu__loggops_network, &quipu__dimemas_network};
enum { MODELS = sizeof models / sizeof *models };

static const struct quipu__network_model *model_of(const char *name) {
    for (size_t i = 0; i + 1 < MODELS; i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return models[MODELS - 1];
}

static bool has_option(const struct quipu__network_model *model, const char *option) {
    for (const char *const *name = model->options; *name; name++)
        if (strcmp(*name, option) == 0)
            return true;
    return false;
}

/* What is for some networks only is not for the others. */
bool quipu__network_takes(const struct quipu__network *network, const char *option) {
    bool is_for_some = false;
    for (size_t i = 0; i < MODELS; i++)
        is_for_some |= has_option(models[i], option);
    return !is_for_some || has_option(network->model, option);
}

/* An option of a model that is not chosen would mean nothing. */
static enum quipu_status check_options(const struct quipu__settings *settings,
                                       const struct quipu__network *network, struct quipu_error *err) {
    for (size_t i = 0; i < settings->count; i++)
        if (!quipu__network_takes(network, settings->items[i].name))
            return quipu__fail(err, QUIPU_MISUSE, "--%s means nothing with --network %s",
                               settings->items[i].name, quipu__settings_value(settings, "network"));
    return QUIPU_OK;
}

enum quipu_status quipu__network_of(const struct quipu__settings *settings, struct quipu__network *out,
                                    struct quipu_error *err) {
    *out = defaults;
    out->model = model_of(quipu__settings_value(settings, "network"));
    enum quipu_status status = check_options(settings, out, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__network_time(settings, "latency", &out->latency, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__network_number(settings, "eager", UINT64_MAX, &out->eager, err);
    if (status != QUIPU_OK)
        return status;
    status = take_costs(settings, out, err);
    if (status != QUIPU_OK)
        return status;
    return out->model->take_options ? out->model->take_options(settings, out, err) : QUIPU_OK;
}

/* ---- Costs ---- */

static uint32_t steps_of(uint8_t steps, uint32_t participants) {
    uint32_t log = 0;
    switch ((enum quipu__phase_steps)steps) {
    case QUIPU__STEPS_NONE:
        return 0;
    case QUIPU__STEPS_ONE:
        return 1;
    case QUIPU__STEPS_LINEAR:
        return participants > 0 ? participants - 1 : 0;
    case QUIPU__STEPS_LOG:
        break;
    }
    while (log < 32 && (UINT64_C(1) << log) < participants)
        log++;
    return log;
}

static uint64_t size_of(uint8_t size, uint32_t participants, uint64_t total, uint64_t largest) {
    switch ((enum quipu__phase_size)size) {
    case QUIPU__SIZE_MAX:
        return largest;
    case QUIPU__SIZE_MEAN:
        return participants > 0 ? quipu__scale_rounded(total, 1, participants) : 0;
    case QUIPU__SIZE_TOTAL:
        return total;
    case QUIPU__SIZE_NONE:
        break;
    }
    return 0;
}

int64_t quipu__collective_time(const struct quipu__network *network, uint32_t operation, uint32_t participants,
                               uint64_t total, uint64_t largest) {
    if (operation >= QUIPU_COLLECTIVE_COUNT)
        return 0;
    const struct quipu__collective_cost *cost = &network->costs[operation];
    const uint64_t bytes = size_of(cost->size, participants, total, largest);
    const uint32_t steps = steps_of(cost->in, participants) + steps_of(cost->out, participants);
    const int64_t step = network->model->step(network, bytes);
    return step > 0 && steps > INT64_MAX / 4 / step ? INT64_MAX / 4 : step * (int64_t)steps;
}

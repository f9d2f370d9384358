/* model_text.h: what a trace becomes in the model, and what a check finds in it, as text. */
#ifndef QUIPU_TESTS_FORMATS_MODEL_TEXT_H
#define QUIPU_TESTS_FORMATS_MODEL_TEXT_H

#include "harness.h"

static inline const char *rules_found(const struct quipu_findings *findings) {
    const char *text = "";
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        text = harness_text("%s%s%s", text, *text ? " " : "", quipu_findings_at(findings, i)->rule->id);
    return text;
}

static inline struct quipu_reader *made_reader(const char *path) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s: %s", err.path, err.message);
    return reader;
}

static inline const char *model_text(const struct quipu_event *event) {
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (event->attributes[i].value.key == QUIPU_KEY_TEXT)
            return harness_text("%.*s", (int)event->attributes[i].value.size,
                                (const char *)event->attributes[i].value.data);
    return "";
}

static inline const char *model_field(const struct quipu_definitions *d, const struct quipu_event *event,
                                      const struct quipu_kind_field *field) {
    const int64_t value = quipu_event_get(event, field->column);
    if (field->refers == QUIPU_REFERS_TEXT)
        return model_text(event);
    if ((value == -1 || value == QUIPU_NONE) && field->refers != QUIPU_REFERS_SIGNED)
        return "?";
    switch (field->refers) {
    case QUIPU_REFERS_REGION:
        return d->regions.items[value].name;
    case QUIPU_REFERS_LOCATION:
        return d->locations.items[value].name;
    case QUIPU_REFERS_CHANNEL:
        return d->channels.items[value].name;
    case QUIPU_REFERS_MARKER:
        return d->markers.items[value].name;
    case QUIPU_REFERS_TASK_TYPE:
        return d->task_types.items[value].name;
    case QUIPU_REFERS_METRIC:
        return d->metrics.items[value].name;
    default:
        return harness_text("%lld", (long long)value);
    }
}

/* All events of a trace, each "time location kind field=value …", with "; " between them; unknown values are "?", definitions are
 * named. */
static inline const char *model_events(const char *path) {
    struct quipu_reader *reader = made_reader(path);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    struct quipu_event event;
    const char *text = "";
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event.kind);
        text = harness_text("%s%s%lld %s %s", text, *text ? "; " : "", (long long)event.time,
                            d->locations.items[event.location].name, kind->name);
        for (size_t i = 0; i < kind->field_count; i++)
            text =
                harness_text("%s %s=%s", text, kind->fields[i].name, model_field(d, &event, &kind->fields[i]));
    }
    quipu_reader_close(reader);
    return text;
}

/* Rules that a check of the trace finds to be broken. */
static inline const char *rules_checked(const char *path) {
    struct quipu_reader *reader = made_reader(path);
    struct quipu_check_result result;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const char *rules = rules_found(quipu_reader_findings(reader));
    quipu_reader_close(reader);
    return rules;
}

#endif

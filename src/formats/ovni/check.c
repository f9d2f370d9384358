/* check.c: the rules of the emulation, as a fold over the merged events of all streams, and which events records become. */
#include "formats/ovni/format.h"

#define EVENTS_AT_A_TIME ((uint64_t)1 << 20)

enum quipu_status quipu__ovni_check(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__ovni_trace *own = quipu__ovni_of(trace);
    const struct quipu__ovni_emulation_options options = {.is_lenient = true, .knows_streams = true};
    struct quipu__ovni_emulation *emulation;
    if (own->system.is_broken)
        return QUIPU_OK; /* already a finding */
    emulation = quipu__alloc_zero(own->memory, sizeof *emulation);
    if (!emulation)
        return quipu__no_memory(err, sizeof *emulation);
    own->files.findings = trace->findings; /* separate from those of opening */
    enum quipu_status status = quipu__ovni_emulation_open(emulation, &own->system, &options, err);
    if (status == QUIPU_OK) {
        while (status == QUIPU_OK)
            status = quipu__ovni_emulate(emulation, EVENTS_AT_A_TIME, err);
        if (status == QUIPU_END)
            quipu__ovni_emulation_end(emulation, true);
        quipu__ovni_emulation_close(emulation);
    }
    quipu__release(own->memory, emulation, sizeof *emulation);
    return status == QUIPU_END ? QUIPU_OK : status;
}

const struct quipu__mapping *quipu__ovni_mapping(uint32_t type) {
#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)
    static const struct quipu__field_outcome of_event[] = {
        {QUIPU__OVNI_RECORD_event_flags, QUIPU__OUTCOME_RESPELLED, QUIPU_COLUMN_COUNT,
         "they say how long the payload is and how it is stored", 0},
        {QUIPU__OVNI_RECORD_event_mcv, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
        {QUIPU__OVNI_RECORD_event_clock, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
        {QUIPU__OVNI_RECORD_event_payload, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0}};
    static const struct quipu__field_outcome of_jumbo[] = {
        {QUIPU__OVNI_RECORD_jumbo_flags, QUIPU__OUTCOME_RESPELLED, QUIPU_COLUMN_COUNT,
         "they say how long the payload is and how it is stored", 0},
        {QUIPU__OVNI_RECORD_jumbo_mcv, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
        {QUIPU__OVNI_RECORD_jumbo_clock, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
        {QUIPU__OVNI_RECORD_jumbo_data, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0}};
    static const struct quipu__mapping mappings[QUIPU__OVNI_RECORD_TYPE_COUNT] = {
        [QUIPU__OVNI_RECORD_TYPE_header] = {.is_definition = true},
        [QUIPU__OVNI_RECORD_TYPE_event] = {KIND(enter) | KIND(leave) | KIND(state_set) | KIND(state_push) |
                                               KIND(state_pop) | KIND(task_create) | KIND(task_begin) |
                                               KIND(task_pause) | KIND(task_resume) | KIND(task_end) |
                                               KIND(location_begin) | KIND(location_end) | KIND(affinity) |
                                               KIND(marker)
#define MODEL_EVENT(character, kind) | KIND(kind)
#include "formats/ovni/model_events.def"
                                               ,
                                           false, of_event, sizeof of_event / sizeof *of_event, 0},
        [QUIPU__OVNI_RECORD_TYPE_jumbo] = {KIND(metric) | KIND(marker)
#define MODEL_EVENT(character, kind) | KIND(kind)
#include "formats/ovni/model_events.def"
                                               ,
                                           false, of_jumbo, sizeof of_jumbo / sizeof *of_jumbo, 0}};
#undef KIND
    return &mappings[type];
}

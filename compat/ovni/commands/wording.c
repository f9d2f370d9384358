/* wording.c: a table of messages by rule, and by what was expected and found where a rule is broken in several ways. */
#include "wording.h"

#include "formats/ovni/rules.h"

#include <stdio.h>
#include <string.h>

/* The first row that fits is used; an empty text fits all. In messages {NAME} stands for what the finding has of that name. */
static const struct wording {
    uint8_t rule; /* enum quipu__ovni_rule */
    const char *expected, *found, *message;
} wordings[] = {
    {QUIPU__OVNI_RULE_FINISHED, "", "none", "missing {field} in the metadata of a thread"},
    {QUIPU__OVNI_RULE_REQUIRE, "", "", "unsupported {field} model version (want {found}, have {expected})"},
    {QUIPU__OVNI_RULE_BREAKDOWN, "", "", "cannot enable breakdown for nOS-V model"},
    {QUIPU__OVNI_RULE_CPUS, "at least one CPU", "0", "loom {field} has no physical CPUs"},
    {QUIPU__OVNI_RULE_CPUS, "each index once", "", "cpu with {found} already taken"},
    {QUIPU__OVNI_RULE_CLOCK_GAP, "", "", "detected large clock gate of {found} between streams"},
    {QUIPU__OVNI_RULE_NOT_ENABLED, "", "", "model {found} not enabled for event {code}"},
    {QUIPU__OVNI_RULE_OUT_OF_CPU, "", "", "current thread of event {code} is out of CPU"},
    {QUIPU__OVNI_RULE_SAME_VALUE, "", "", "{code} writes the same value as last_value: {found}"},
    {QUIPU__OVNI_RULE_BODY_STATE, "Created", "Dead", "body_execute: {field} is not allowed to run again"},
    {QUIPU__OVNI_RULE_BODY_STATE, "Created", "Paused",
     "body_execute: refusing to run {field} in Paused state, needs to resume intead"}, /* with its slip */
    {QUIPU__OVNI_RULE_BODY_STATE, "", "", "body_{doing}: {field} state must be {expected} but is {found}"},
    {QUIPU__OVNI_RULE_BODY_NESTED, "", "",
     "body_execute: cannot nest {field} over {found} which is already running"},
    {QUIPU__OVNI_RULE_BODY_PAUSE, "", "", "body_pause: {field} is not allowed to pause"},
    {QUIPU__OVNI_RULE_NOT_EMPTY, "", "", "{found}"},
};

/* What findings of the emulation end with, which messages leave out. */
#define CLOCK " (clock "

static size_t found_len(const char *found) {
    const char *end = strstr(found, CLOCK);
    for (const char *next = end; next; next = strstr(next + 1, CLOCK))
        end = next;
    return end ? (size_t)(end - found) : strlen(found);
}

static bool is_text(const char *wanted, const char *text, size_t len) {
    return *wanted == '\0' || (strlen(wanted) == len && memcmp(wanted, text, len) == 0);
}

static const struct wording *find_wording(const struct quipu_finding *finding) {
    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++)
        if (finding->rule == &quipu__ovni_rules[wordings[i].rule] &&
            is_text(wordings[i].expected, finding->expected, strlen(finding->expected)) &&
            is_text(wordings[i].found, finding->found, found_len(finding->found)))
            return &wordings[i];
    return NULL;
}

/* What an event of bodies does, by its last character. */
static const char *doing(const char *code) {
    static const char *const verbs[] = {['x'] = "execute", ['p'] = "pause", ['r'] = "resume", ['e'] = "end"};
    const unsigned char value = strlen(code) == 3 ? (unsigned char)code[2] : 0;
    return value < sizeof verbs / sizeof *verbs && verbs[value] ? verbs[value] : "event";
}

/* What the text in braces stands for. */
static const char *component(const struct quipu_finding *finding, const char *name, size_t *len) {
    const struct {
        const char *name, *text;
    } components[] = {{"{field}", finding->field},
                      {"{expected}", finding->expected},
                      {"{code}", finding->type},
                      {"{doing}", doing(finding->type)}};
    *len = found_len(finding->found);
    for (size_t i = 0; i < sizeof components / sizeof *components; i++)
        if (strncmp(name, components[i].name, strlen(components[i].name)) == 0) {
            *len = strlen(components[i].text);
            return components[i].text;
        }
    return finding->found;
}

bool wording_of(const struct quipu_finding *finding, char *out, size_t size) {
    const struct wording *wording = find_wording(finding);
    size_t used = 0;
    for (const char *at = wording ? wording->message : ""; *at && used < size;) {
        const bool is_named = *at == '{';
        size_t len = strcspn(at, "{");
        const char *text = is_named ? component(finding, at, &len) : at;
        at += is_named ? strcspn(at, "}") + 1 : len;
        used += (size_t)snprintf(out + used, size - used, "%.*s", (int)len, text);
    }
    return wording != NULL;
}

/* editions.h: the tables of editions.def, what emulators of different times show of a trace. */
#ifndef QUIPU_OVNI_EDITIONS_H
#define QUIPU_OVNI_EDITIONS_H

#include "formats/ovni/models.h"

enum quipu__ovni_edition {
#define EDITION(edition, label_base) QUIPU__OVNI_EDITION_##edition,
#include "formats/ovni/editions.def"
    QUIPU__OVNI_EDITIONS
};

/* What a type of Paraver is about. */
enum quipu__ovni_subject {
    QUIPU__OVNI_SUBJECT_PROCESS,
    QUIPU__OVNI_SUBJECT_THREAD,
    QUIPU__OVNI_SUBJECT_RUNNING, /* how many threads run on a CPU */
    QUIPU__OVNI_SUBJECT_STATE,
    QUIPU__OVNI_SUBJECT_APPLICATION, /* has a name, but no lines */
    QUIPU__OVNI_SUBJECT_AFFINITY,
    QUIPU__OVNI_SUBJECT_CHANNEL,
    QUIPU__OVNI_SUBJECTS
};

struct quipu__ovni_edition_output {
    uint8_t edition, subject, channel, when;
    struct {
        uint16_t type;
        const char *title; /* NULL: not in the list of types */
    } at[2];               /* threads, CPUs */
};
extern const struct quipu__ovni_edition_output quipu__ovni_edition_outputs[];
extern const size_t quipu__ovni_edition_output_count;

/* The channels in the order in which older editions show at time 0 that they have no value. */
extern const uint8_t quipu__ovni_edition_beginning[];
extern const size_t quipu__ovni_edition_beginning_count;

/* The value that older editions give to what has no one value because several threads run on a CPU. */
#define QUIPU__OVNI_SEVERAL_THREADS 777

/* Names of values in editions before today's. */
extern const struct quipu__ovni_value_row quipu__ovni_edition_values[];
extern const size_t quipu__ovni_edition_value_count;

/* The states of a thread that an older edition's model needs; 0: it has no such model. */
uint8_t quipu__ovni_edition_needs(enum quipu__ovni_edition edition, uint32_t model);

uint32_t quipu__ovni_edition_label_base(enum quipu__ovni_edition edition);

/* An event of the models that had the letters T and M before 1.1.0; NULL: it is none. */
const struct quipu__ovni_event_row *quipu__ovni_old_row(uint8_t model, uint8_t category, uint8_t value);

/* Replaces today's events of a dictionary by those of an edition. */
void quipu__ovni_edition_dictionary(struct quipu__ovni_dictionary *dictionary,
                                    enum quipu__ovni_edition edition);

#endif

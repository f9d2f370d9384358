/* layout.h: the fixed numbers of PICL files; README.md says where each comes from. */
#ifndef QUIPU_PICL_LAYOUT_H
#define QUIPU_PICL_LAYOUT_H

/* Record types of the new format that are negative. User-defined ones are 0 and above. */
enum {
    QUIPU__PICL_MARK = -2,
    QUIPU__PICL_ENTRY = -3,
    QUIPU__PICL_EXIT = -4,
    QUIPU__PICL_LABEL = -5,
    QUIPU__PICL_ALIAS = -6,
    QUIPU__PICL_MESSAGE = -7,
    QUIPU__PICL_TIMES = -101,
    QUIPU__PICL_COUNTS = -102,
    QUIPU__PICL_VOLUMES = -103,
    QUIPU__PICL_RECEIVED_VOLUMES = -104,
    QUIPU__PICL_SIZES = -105,
    QUIPU__PICL_PROCESSOR_SUBSET = -201,
    QUIPU__PICL_PROCESS_SUBSET = -202,
    QUIPU__PICL_EVENT_SUBSET = -203,
};

/* Values of the fields event type, processor and process. */
enum {
    QUIPU__PICL_ALL = -1,     /* all of them, none in particular, or not known */
    QUIPU__PICL_HOST = 32767, /* the host processor */
    QUIPU__PICL_TRACING = -901,
    QUIPU__PICL_SYSTEM = -1002,      /* the set of all system events */
    QUIPU__PICL_SYSTEM_LAST = -1000, /* from -2 down to this one */
};

/* Label of that set in traces whose calls are users' events, with what they do inside of them as system events. */
#define QUIPU__PICL_INSIDE "inside of user events"

/* Subsets of events that conversions make: users' events whose regions have a role, by its number. Their labels are the roles' texts. */
#define QUIPU__PICL_ROLE_SUBSETS (-2101)

/* Descriptors without a definition. */
enum {
    QUIPU__PICL_CHARACTERS = 0,
    QUIPU__PICL_INTEGERS = 2,
    QUIPU__PICL_DOUBLES = 5,
    QUIPU__PICL_PREDEFINED = 6, /* so many */
};

/* A record that is continued more often than this is broken. */
#define QUIPU__PICL_CONTINUATIONS_MOST 64

/* Group of the regions that are system events. */
#define QUIPU__PICL_REGION_GROUP "PICL"

/* Decimals of timestamps where nothing says otherwise. */
#define QUIPU__PICL_DEFAULT_DECIMALS 6

/* Reason of a gap: the buffer was full (quipu/kinds.def). */
#define QUIPU__PICL_GAP_FULL 2

/* Definitions of descriptors and subsets that are kept; a trace with more of them is damaged or hostile. */
#define QUIPU__PICL_DEFINITIONS_MOST 4096

/* Events that statistics are relative to; others are not checked. */
#define QUIPU__PICL_RELATIVES_MOST 64

/* Conversions of one control string. */
#define QUIPU__PICL_CONVERSIONS_MOST 64

#endif

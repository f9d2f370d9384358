/* event_records.h: one event as one record: data from values, from the fields of the event or from its attributes. */
#ifndef QUIPU_PICL_EVENT_RECORDS_H
#define QUIPU_PICL_EVENT_RECORDS_H

#include "formats/picl/from_model.h"

/* Writes a record at the time of the last event and counts it: integers, as many as fit into a record. */
void quipu__picl_put_integers(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                              int64_t event, const int64_t *values, uint32_t value_count);

/* The same for one text, or values of one type: at least one. */
void quipu__picl_put_values(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                            int64_t event, const struct quipu_value *values, uint32_t value_count);
void quipu__picl_put_value(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                           int64_t event, const struct quipu_value *value);

/* Whether an event names its other side. */
bool quipu__picl_has_peer(const struct quipu__picl_from_model *from, const struct quipu_event *event);

/* The fields of a layout as an event of the model has them, as many as PICL writes; -1 for what it does not have. */
uint32_t quipu__picl_fields_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                               const struct quipu__picl_layout *layout,
                               int64_t values[QUIPU__PICL_FIELDS_MOST]);

/* The name of an attribute's key; "" for one that is not defined. */
const char *quipu__picl_key_name(const struct quipu__picl_from_model *from, uint32_t key);

/* Which of the data an attribute is: by the name of the field of a layout, or without one data1 and so on. -1 for none. */
int quipu__picl_data_index(const char *name, const struct quipu__picl_layout *layout);

/* The integers that attributes of a PICL trace's event have for a layout, or for data1 and so on where it is NULL; -1 between them. */
uint32_t quipu__picl_attributes_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                                   const struct quipu__picl_layout *layout,
                                   int64_t values[QUIPU__PICL_FIELDS_MOST]);

/* The attribute of that name of a PICL trace's event, or NULL. */
const struct quipu_value *quipu__picl_find_attribute(const struct quipu__picl_from_model *from,
                                                     const struct quipu_event *event, const char *name);

#endif

/* builder.h: making definitions, for programs that write traces of their own.
 *
 *     struct quipu_builder *builder;
 *     struct quipu_location rank = QUIPU_LOCATION_INIT;
 *     struct quipu_region solve = QUIPU_REGION_INIT;
 *     struct quipu_event event = QUIPU_EVENT_INIT;
 *     status = quipu_builder_new(&(struct quipu_clock){.ticks_per_second = 1000000000}, NULL, &builder, &err);
 *     rank.name = "rank 0", rank.rank = 0, solve.name = "solve";
 *     event.location = quipu_builder_add_location(builder, &rank);
 *     event.object = quipu_builder_add_region(builder, &solve);
 *     status = quipu_writer_define(writer, quipu_builder_definitions(builder), &err);
 *     event.kind = QUIPU_KIND_enter, event.time = 10;
 *     status = quipu_writer_put_event(writer, &event, &err);
 */
#ifndef QUIPU_BUILDER_H
#define QUIPU_BUILDER_H

#include <quipu/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Initial values of definitions and events: nothing is known. */
/* clang-format off */
#define QUIPU_CLOCK_INIT {0, 0, false, 0, 0}
#define QUIPU_CLOCK_CORRECTION_INIT {0, 0}
#define QUIPU_LOCATION_INIT {QUIPU_UNKNOWN, "", QUIPU_LOCATION_PROCESS, QUIPU_NONE, -1, -1, -1, "", {0, 0}}
#define QUIPU_REGION_INIT {QUIPU_UNKNOWN, "", "", QUIPU_REGION_FUNCTION, QUIPU_NONE, QUIPU_NESTING_STRICT}
#define QUIPU_SOURCE_INIT {QUIPU_UNKNOWN, "", 0, "", QUIPU_NONE}
#define QUIPU_GROUP_INIT {QUIPU_UNKNOWN, "", false, 0, NULL, NULL, 0}
#define QUIPU_FILE_INIT {QUIPU_UNKNOWN, "", ""}
#define QUIPU_METRIC_INIT {QUIPU_UNKNOWN, "", "", "", QUIPU_METRIC_U64, QUIPU_METRIC_POINT, 0}
#define QUIPU_MARKER_INIT {QUIPU_UNKNOWN, "", 0}
#define QUIPU_CHANNEL_INIT {QUIPU_UNKNOWN, "", false, false, NULL, 0}
#define QUIPU_VALUE_LABEL_INIT {0, ""}
#define QUIPU_TASK_TYPE_INIT {QUIPU_UNKNOWN, ""}
#define QUIPU_ATTRIBUTE_KEY_INIT {QUIPU_UNKNOWN, "", "", QUIPU_VALUE_STRING, false, NULL}
#define QUIPU_VALUE_INIT {0, QUIPU_VALUE_U64, 0, {0}}
#define QUIPU_ATTRIBUTE_INIT {0, QUIPU_VALUE_INIT}
#define QUIPU_EVENT_INIT {0, QUIPU_KIND_enter, 0, 0, QUIPU_UNKNOWN, QUIPU_NONE, QUIPU_NONE, QUIPU_NONE, QUIPU_NONE, 0, QUIPU_UNKNOWN, QUIPU_UNKNOWN, QUIPU_UNKNOWN, NULL, 0}
/* clang-format on */

struct quipu_builder;

/* A builder without definitions. allocator may be NULL. */
QUIPU_API enum quipu_status quipu_builder_new(const struct quipu_clock *clock,
                                              const struct quipu_allocator *allocator,
                                              struct quipu_builder **out, struct quipu_error *err);
QUIPU_API void quipu_builder_free(struct quipu_builder *builder);

/* Everything that has been added so far; grows with each addition and lives as long as the builder. */
QUIPU_API const struct quipu_definitions *quipu_builder_definitions(const struct quipu_builder *builder);

/* Each adds a definition and returns its number, which counts from 0 in each class; QUIPU_NONE when memory is out.
 * Texts and lists are copied; NULL stands for an empty text. A native_id of QUIPU_UNKNOWN becomes the number plus 1. */
QUIPU_API uint32_t quipu_builder_add_location(struct quipu_builder *builder,
                                              const struct quipu_location *location);
QUIPU_API uint32_t quipu_builder_add_region(struct quipu_builder *builder, const struct quipu_region *region);
QUIPU_API uint32_t quipu_builder_add_source(struct quipu_builder *builder, const struct quipu_source *source);
QUIPU_API uint32_t quipu_builder_add_group(struct quipu_builder *builder, const struct quipu_group *group);
QUIPU_API uint32_t quipu_builder_add_file(struct quipu_builder *builder, const struct quipu_file *file);
QUIPU_API uint32_t quipu_builder_add_metric(struct quipu_builder *builder, const struct quipu_metric *metric);
QUIPU_API uint32_t quipu_builder_add_marker(struct quipu_builder *builder, const struct quipu_marker *marker);
QUIPU_API uint32_t quipu_builder_add_channel(struct quipu_builder *builder,
                                             const struct quipu_channel *channel);
QUIPU_API uint32_t quipu_builder_add_task_type(struct quipu_builder *builder,
                                               const struct quipu_task_type *task_type);
QUIPU_API uint32_t quipu_builder_add_attribute_key(struct quipu_builder *builder,
                                                   const struct quipu_attribute_key *attribute_key);

/* ---- Looking definitions up, of a builder or of a reader ---- */

/* The number of the first match, or QUIPU_NONE. Each searches the list from its beginning. */
QUIPU_API uint32_t quipu_location_find(const struct quipu_definitions *definitions, const char *name);
QUIPU_API uint32_t quipu_location_by_rank(const struct quipu_definitions *definitions, int64_t rank);
QUIPU_API uint32_t quipu_location_by_native_id(const struct quipu_definitions *definitions, uint64_t native_id);
QUIPU_API uint32_t quipu_region_find(const struct quipu_definitions *definitions, const char *name);
QUIPU_API uint32_t quipu_region_by_native_id(const struct quipu_definitions *definitions, uint64_t native_id);
QUIPU_API uint32_t quipu_group_find(const struct quipu_definitions *definitions, const char *name);
QUIPU_API uint32_t quipu_metric_find(const struct quipu_definitions *definitions, const char *name);

#ifdef __cplusplus
}
#endif
#endif

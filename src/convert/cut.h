/* cut.h: the two ways to cut a trace. Both go over it once. */
#ifndef QUIPU_CONVERT_CUT_H
#define QUIPU_CONVERT_CUT_H

#include "convert/convert.h"

/* Ways of struct quipu__conversion; how is a struct quipu_cut_options. */
enum quipu_status quipu__cut_records(struct quipu__conversion *conversion, struct quipu_error *err);
enum quipu_status quipu__cut_events(struct quipu__conversion *conversion, struct quipu_error *err);

#endif

/* show.h: showing tables by the options --json, --csv, --color and --limit. */
#ifndef QUIPU_CLI_SHOW_H
#define QUIPU_CLI_SHOW_H

#include "command.h"

#include <quipu/quipu.h>

struct quipu_render_options render_options_of(const struct arguments *arguments);

#endif

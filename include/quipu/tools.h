/* tools.h: what is done with traces, a subject a header. */
#ifndef QUIPU_TOOLS_H
#define QUIPU_TOOLS_H

#include <quipu/analysis.h>
#include <quipu/check.h>
#include <quipu/compare.h>
#include <quipu/convert.h>
#include <quipu/index.h>
#include <quipu/table.h>

#endif

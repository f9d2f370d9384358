/* tools.h: the headers of what can be done with traces. */
#ifndef QUIPU_TOOLS_H
#define QUIPU_TOOLS_H

#include <quipu/analysis.h>
#include <quipu/check.h>
#include <quipu/compare.h>
#include <quipu/convert.h>
#include <quipu/index.h>
#include <quipu/picture.h>
#include <quipu/relation.h>
#include <quipu/sql.h>
#include <quipu/table.h>

#endif

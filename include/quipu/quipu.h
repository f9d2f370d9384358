/* quipu.h: the whole public interface of libquipu.
 *
 *     #include <quipu/quipu.h>
 *
 * Read base.h first, then reader.h; model.h says what events are; schema.h describes native records. The other headers
 * have one subject each: writer.h, printer.h, analysis.h with table.h, check.h, convert.h, index.h, state.h, calls.h,
 * messages.h and transport.h.
 */
#ifndef QUIPU_QUIPU_H
#define QUIPU_QUIPU_H

#include <quipu/base.h>
#include <quipu/builder.h>
#include <quipu/calls.h>
#include <quipu/format.h>
#include <quipu/messages.h>
#include <quipu/model.h>
#include <quipu/printer.h>
#include <quipu/reader.h>
#include <quipu/schema.h>
#include <quipu/state.h>
#include <quipu/tools.h>
#include <quipu/transport.h>
#include <quipu/where.h>
#include <quipu/writer.h>

#endif

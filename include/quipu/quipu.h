/* quipu.h: the whole public interface of libquipu.
 *
 *     #include <quipu/quipu.h>
 *
 * Read base.h first, then reader.h; model.h says what events are; schema.h describes native records; writer.h
 * and tools.h do something with them.
 */
#ifndef QUIPU_QUIPU_H
#define QUIPU_QUIPU_H

#include <quipu/base.h>
#include <quipu/format.h>
#include <quipu/model.h>
#include <quipu/reader.h>
#include <quipu/schema.h>
#include <quipu/tools.h>
#include <quipu/writer.h>

#endif

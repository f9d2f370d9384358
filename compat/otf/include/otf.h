/* otf.h: the Open Trace Format 1.x: everything that a program needs to read and write traces.
 *
 *     OTF_FileManager *manager = OTF_FileManager_open(100);
 *     OTF_HandlerArray *handlers = OTF_HandlerArray_open();
 *     OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)handle_enter, OTF_ENTER_RECORD);
 *     OTF_Reader *reader = OTF_Reader_open("trace.otf", manager);
 *     OTF_Reader_readDefinitions(reader, handlers);
 *     OTF_Reader_readEvents(reader, handlers);
 *     OTF_Reader_close(reader);
 *     OTF_HandlerArray_close(handlers);
 *     OTF_FileManager_close(manager);
 */
#ifndef OTF_H
#define OTF_H

#include "OTF_Definitions.h"
#include "OTF_FileManager.h"
#include "OTF_Filenames.h"
#include "OTF_HandlerArray.h"
#include "OTF_KeyValue.h"
#include "OTF_MasterControl.h"
#include "OTF_RStream.h"
#include "OTF_Reader.h"
#include "OTF_WStream.h"
#include "OTF_Writer.h"

#endif /* OTF_H */

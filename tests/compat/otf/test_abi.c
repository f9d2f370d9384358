/* The interface of libopen-trace-format on x86-64: sizes, offsets, enums and macros have the values that
 * programs compiled against OTF 1.12.5 were built with. Nearly all is checked while compiling. */
#include "../../../compat/otf/include/OTF_CopyHandler.h"
#include "../../../compat/otf/include/OTF_CopyHandler_stream.h"
#include "../../../compat/otf/include/OTF_Errno.h"
#include "../../../compat/otf/include/OTF_File_iofsl.h"
#include "../../../compat/otf/include/otf.h"
#include "harness.h"

/* clang-format off */
#define IS(a, b) _Static_assert((a) == (b), #a " is " #b)
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define MEMBER(type, name, at, bytes)                                                                          \
    _Static_assert(offsetof(type, name) == (at), "place of " #type "." #name);                                 \
    _Static_assert(sizeof(((type *)0)->name) == (bytes), "size of " #type "." #name)

/* ---- Record types ---- */

IS(OTF_EVENTCOMMENT_RECORD, 0);
IS(OTF_COUNTER_RECORD, 1);
IS(OTF_ENTER_RECORD, 2);
IS(OTF_COLLOP_RECORD, 5);
IS(OTF_RECEIVE_RECORD, 10);
IS(OTF_SEND_RECORD, 11);
IS(OTF_LEAVE_RECORD, 12);
IS(OTF_DEFTIMERRESOLUTION_RECORD, 13);
IS(OTF_DEFPROCESS_RECORD, 14);
IS(OTF_DEFPROCESSGROUP_RECORD, 15);
IS(OTF_DEFFUNCTION_RECORD, 16);
IS(OTF_DEFFUNCTIONGROUP_RECORD, 17);
IS(OTF_DEFCOUNTER_RECORD, 18);
IS(OTF_DEFCOUNTERGROUP_RECORD, 19);
IS(OTF_DEFCOLLOP_RECORD, 20);
IS(OTF_DEFSCL_RECORD, 21);
IS(OTF_DEFSCLFILE_RECORD, 22);
IS(OTF_DEFVERSION_RECORD, 23);
IS(OTF_DEFCREATOR_RECORD, 24);
IS(OTF_DEFFILE_RECORD, 25);
IS(OTF_DEFFILEGROUP_RECORD, 26);
IS(OTF_FUNCTIONSUMMARY_RECORD, 28);
IS(OTF_FUNCTIONGROUPSUMMARY_RECORD, 29);
IS(OTF_MESSAGESUMMARY_RECORD, 30);
IS(OTF_FILEOPERATIONSUMMARY_RECORD, 31);
IS(OTF_FILEGROUPOPERATIONSUMMARY_RECORD, 32);
IS(OTF_DEFINITIONCOMMENT_RECORD, 34);
IS(OTF_BEGINPROCESS_RECORD, 35);
IS(OTF_ENDPROCESS_RECORD, 36);
IS(OTF_ENTERSNAPSHOT_RECORD, 37);
IS(OTF_SENDSNAPSHOT_RECORD, 38);
IS(OTF_SUMMARYCOMMENT_RECORD, 39);
IS(OTF_SNAPSHOTCOMMENT_RECORD, 40);
IS(OTF_UNKNOWN_RECORD, 41);
IS(OTF_FILEOPERATION_RECORD, 42);
IS(OTF_OPENFILESNAPSHOT_RECORD, 43);
IS(OTF_COLLOPSUMMARY_RECORD, 44);
IS(OTF_DEFMARKER_RECORD, 45);
IS(OTF_MARKER_RECORD, 46);
IS(OTF_RMAPUT_RECORD, 47);
IS(OTF_RMAPUTRE_RECORD, 48);
IS(OTF_RMAGET_RECORD, 49);
IS(OTF_RMAEND_RECORD, 50);
IS(OTF_BEGINCOLLOP_RECORD, 51);
IS(OTF_ENDCOLLOP_RECORD, 52);
IS(OTF_BEGINFILEOP_RECORD, 53);
IS(OTF_ENDFILEOP_RECORD, 54);
IS(OTF_DEFATTRLIST_RECORD, 55);
IS(OTF_DEFPROCESSORGROUPATTR_RECORD, 56);
IS(OTF_DEFKEYVALUE_RECORD, 57);
IS(OTF_NOOP_RECORD, 58);
IS(OTF_BEGINCOLLOPSNAPSHOT_RECORD, 59);
IS(OTF_BEGINFILEOPSNAPSHOT_RECORD, 60);
IS(OTF_DEFTIMERANGE_RECORD, 61);
IS(OTF_DEFCOUNTERASSIGNMENTS_RECORD, 62);
IS(OTF_DEFPROCESSSUBSTITUTES_RECORD, 63);
IS(OTF_DEFUNIQUEID_RECORD, 64);
IS(OTF_DEFAUXSAMPLEPOINT_RECORD, 65);
IS(OTF_COLLOPCOUNTSNAPSHOT_RECORD, 66);
IS(OTF_COUNTERSNAPSHOT_RECORD, 67);

/* ---- Other macros ---- */

IS(OTF_NRECORDS, 68);
IS(OTF_VERSION_MAJOR, 1);
IS(OTF_VERSION_MAYOR, 1);
IS(OTF_VERSION_MINOR, 12);
IS(OTF_VERSION_SUB, 5);
IS(OTF_WSTREAM_FORMAT_SHORT, 0);
IS(OTF_WSTREAM_FORMAT_LONG, 1);
IS(OTF_WSTREAM_FORMAT_INLINE_SNAPSHOTS, 2);
IS(OTF_COUNTER_TYPE_BITS, 3);
IS(OTF_COUNTER_TYPE_ACC, 0);
IS(OTF_COUNTER_TYPE_ABS, 1);
IS(OTF_COUNTER_SCOPE_BITS, 12);
IS(OTF_COUNTER_SCOPE_START, 0);
IS(OTF_COUNTER_SCOPE_POINT, 4);
IS(OTF_COUNTER_SCOPE_LAST, 8);
IS(OTF_COUNTER_SCOPE_NEXT, 12);
IS(OTF_COUNTER_VARTYPE_BITS, 480);
IS(OTF_COUNTER_VARTYPE_UNSIGNED8, 0);
IS(OTF_COUNTER_VARTYPE_SIGNED8, 32);
IS(OTF_COUNTER_VARTYPE_UNSIGNED4, 64);
IS(OTF_COUNTER_VARTYPE_SIGNED4, 96);
IS(OTF_COUNTER_VARTYPE_UNSIGNED2, 128);
IS(OTF_COUNTER_VARTYPE_SIGNED2, 160);
IS(OTF_COUNTER_VARTYPE_FLOAT, 256);
IS(OTF_COUNTER_VARTYPE_DOUBLE, 288);
IS(OTF_COUNTER_VARTYPE_ISINTEGER(255), 1);
IS(OTF_COUNTER_VARTYPE_ISINTEGER(256), 0);
IS(OTF_COUNTER_VARTYPE_ISSIGNED(96), 1);
IS(OTF_COUNTER_VARTYPE_ISUNSIGNED(96), 0);
IS(OTF_COUNTER_PROP_DEFAULT, 0);
IS(OTF_COLLECTIVE_TYPE_UNKNOWN, 0);
IS(OTF_COLLECTIVE_TYPE_BARRIER, 1);
IS(OTF_COLLECTIVE_TYPE_ONE2ALL, 2);
IS(OTF_COLLECTIVE_TYPE_ALL2ONE, 3);
IS(OTF_COLLECTIVE_TYPE_ALL2ALL, 4);
IS(OTF_FILEOP_BITS, 0x1f);
IS(OTF_FILEOP(0x65), 5);
IS(OTF_FILEOP_OPEN, 0);
IS(OTF_FILEOP_CLOSE, 1);
IS(OTF_FILEOP_READ, 2);
IS(OTF_FILEOP_WRITE, 3);
IS(OTF_FILEOP_SEEK, 4);
IS(OTF_FILEOP_UNLINK, 5);
IS(OTF_FILEOP_RENAME, 6);
IS(OTF_FILEOP_DUP, 7);
IS(OTF_FILEOP_SYNC, 8);
IS(OTF_FILEOP_LOCK, 9);
IS(OTF_FILEOP_UNLOCK, 10);
IS(OTF_FILEOP_OTHER, 31);
IS(OTF_IOFLAGS_BITS, 0xffffffe0);
IS(OTF_IOFLAG_IOFAILED, 32);
IS(OTF_IOFLAG_ASYNC, 64);
IS(OTF_IOFLAG_COLL, 128);
IS(OTF_IOFLAG_DIRECT, 256);
IS(OTF_IOFLAG_SYNC, 512);
IS(OTF_IOFLAG_ISREADLOCK, 1024);
IS(OTF_MARKER_TYPE_UNKNOWN, 0);
IS(OTF_MARKER_TYPE_ERROR, 1);
IS(OTF_MARKER_TYPE_WARNING, 2);
IS(OTF_MARKER_TYPE_HINT, 3);
IS(OTF_ERR_LEN, 1000);
IS(OTF_NO_ERROR, 0);
IS(OTF_ERROR, -1);
IS(OTF_KEYVALUE_MAX_ARRAY_LEN, 100);
IS(OTF_RETURN_OK, 0);
IS(OTF_RETURN_BREAK, 1);
IS(OTF_RETURN_ABORT, 1);
IS(OTF_READ_ERROR, UINT64_MAX);
IS(OTF_READ_MAXRECORDS, (UINT64_MAX-1));
IS(OTF_ZBUFFER_DEFAULTSIZE, 1048576);
IS(OTF_IOFSL_INDEX_BUFFER_DEFAULTLENGTH, 1024);
IS(OTF_IOFSL_FLAG_NONBLOCKING, 1);
IS(OTF_FILETYPE_MASTER, 16);
IS(OTF_FILETYPE_GLOBAL_DEF, 32);
IS(OTF_FILETYPE_DEF, 64);
IS(OTF_FILETYPE_EVENT, 128);
IS(OTF_FILETYPE_SNAPS, 256);
IS(OTF_FILETYPE_STATS, 512);
IS(OTF_FILETYPE_MARKER, 1024);
IS(OTF_FILETYPE_IOFSL_ALL, 2048);
IS(OTF_FILETYPE_IOFSL_IDX, 4096);
IS(OTF_FILETYPE_BITS, 2032);
IS(OTF_FILECOMPRESSION_UNCOMPRESSED, 0);
IS(OTF_FILECOMPRESSION_COMPRESSED, 4);
IS(OTF_FILECOMPRESSION_BITS, 15);
IS(OTF_HAVE_STDINT_H, 1);
IS(OTF_HAVE_INTTYPES_H, 1);
IS(OTF_SIZEOF_LONG, 8);
IS(OTF_UINT64_MAX, UINT64_MAX);

/* ---- Enums ---- */

IS((int)OTF_UNKNOWN, -1);
IS((int)OTF_CHAR, 0);
IS((int)OTF_INT8, 1);
IS((int)OTF_UINT8, 2);
IS((int)OTF_INT16, 3);
IS((int)OTF_UINT16, 4);
IS((int)OTF_INT32, 5);
IS((int)OTF_UINT32, 6);
IS((int)OTF_INT64, 7);
IS((int)OTF_UINT64, 8);
IS((int)OTF_FLOAT, 9);
IS((int)OTF_DOUBLE, 10);
IS((int)OTF_BYTE_ARRAY, 11);
IS((int)OTF_ATTR_UNKNOWN, 0);
IS((int)OTF_ATTR_IsMPIRank, 1);
IS((int)OTF_ATTR_IsPThread, 2);
IS((int)OTF_ATTR_IsOMPThread, 3);
IS((int)OTF_ATTR_IsCellSPUThread, 4);
IS((int)OTF_ATTR_hasGroupCounters, 5);
IS((int)OTF_ATTR_hasEnterLeaveRecords, 6);
IS((int)OTF_ATTR_IsCommunicator, 7);
IS((int)OTF_ATTR_IsCUDAThread, 8);
IS((int)OTF_ATTR_IsMasterThread, 9);
IS((int)OTF_AUX_SAMPLE_POINT_SNAPSHOT, 0);
IS((int)OTF_AUX_SAMPLE_POINT_SUMMARY, 1);
IS((int)OTF_AUX_SAMPLE_POINT_INLINE_SNAPSHOT, 2);
IS((int)OTF_IOFSL_DISABLED, 0);
IS((int)OTF_IOFSL_MULTIFILE_SPLIT, 1);
IS((int)OTF_IOFSL_MULTIFILE, 2);
IS((int)OTF_FILEMODE_NOTHING, 0);
IS((int)OTF_FILEMODE_READ, 1);
IS((int)OTF_FILEMODE_WRITE, 2);
IS((int)OTF_FILEMODE_SEEK, 3);
IS((int)OTF_FILESTATUS_UNKNOWN, 0);
IS((int)OTF_FILESTATUS_ACTIVE, 1);
IS((int)OTF_FILESTATUS_SUSPENDED, 2);
IS((int)OTF_FILESTATUS_CLOSED, 3);
SIZE(enum OTF_Type_enum, 4);
SIZE(enum OTF_ATTR_TYPE_enum, 4);
SIZE(enum OTF_AuxSamplePointType_enum, 4);
SIZE(enum enum_OTF_IofslMode, 4);
SIZE(enum enum_OTF_FileMode, 4);
SIZE(enum enum_OTF_FileStatus, 4);
SIZE(OTF_FileType, 4);
SIZE(OTF_FileCompression, 4);

/* ---- Structs ---- */

SIZE(OTF_MapEntry, 24);
MEMBER(OTF_MapEntry, argument, 0, 4);
MEMBER(OTF_MapEntry, n, 4, 4);
MEMBER(OTF_MapEntry, s, 8, 4);
MEMBER(OTF_MapEntry, values, 16, 8);
SIZE(OTF_Pair, 8);
MEMBER(OTF_Pair, argument, 0, 4);
MEMBER(OTF_Pair, value, 4, 4);
SIZE(OTF_MasterControl, 40);
MEMBER(OTF_MasterControl, n, 0, 4);
MEMBER(OTF_MasterControl, s, 4, 4);
MEMBER(OTF_MasterControl, map, 8, 8);
MEMBER(OTF_MasterControl, rn, 16, 4);
MEMBER(OTF_MasterControl, rs, 20, 4);
MEMBER(OTF_MasterControl, rmap, 24, 8);
MEMBER(OTF_MasterControl, manager, 32, 8);
SIZE(OTF_HandlerArray, 16);
MEMBER(OTF_HandlerArray, pointer, 0, 8);
MEMBER(OTF_HandlerArray, firsthandlerarg, 8, 8);
SIZE(byte_array, 104);
MEMBER(byte_array, array, 0, 100);
MEMBER(byte_array, len, 100, 4);
SIZE(OTF_Value, 104);
SIZE(OTF_KeyValuePair, 112);
MEMBER(OTF_KeyValuePair, key, 0, 4);
MEMBER(OTF_KeyValuePair, type, 4, 4);
MEMBER(OTF_KeyValuePair, value, 8, 104);
SIZE(OTF_KeyValuePairList, 128);
MEMBER(OTF_KeyValuePairList, kvPair, 0, 112);
MEMBER(OTF_KeyValuePairList, kvNext, 112, 8);
MEMBER(OTF_KeyValuePairList, kvPrev, 120, 8);
SIZE(OTF_KeyValueList, 40);
MEMBER(OTF_KeyValueList, key_count, 0, 4);
MEMBER(OTF_KeyValueList, count, 4, 4);
MEMBER(OTF_KeyValueList, size, 8, 4);
MEMBER(OTF_KeyValueList, kvBegin, 16, 8);
MEMBER(OTF_KeyValueList, kvEnd, 24, 8);
MEMBER(OTF_KeyValueList, kvCurrent, 32, 8);
SIZE(OTF_File, 104);
MEMBER(OTF_File, filename, 0, 8);
MEMBER(OTF_File, file, 8, 8);
MEMBER(OTF_File, z, 16, 8);
MEMBER(OTF_File, zbuffer, 24, 8);
MEMBER(OTF_File, zbuffersize, 32, 4);
MEMBER(OTF_File, zbuffer_seek_further, 40, 8);
MEMBER(OTF_File, pos, 48, 8);
MEMBER(OTF_File, mode, 56, 4);
MEMBER(OTF_File, manager, 64, 8);
MEMBER(OTF_File, externalbuffer, 72, 8);
MEMBER(OTF_File, externalpos, 80, 8);
MEMBER(OTF_File, externallen, 88, 8);
MEMBER(OTF_File, iofsl, 96, 8);
SIZE(OTF_RBuffer, 112);
MEMBER(OTF_RBuffer, file, 0, 8);
MEMBER(OTF_RBuffer, buffer, 8, 8);
MEMBER(OTF_RBuffer, pos, 16, 4);
MEMBER(OTF_RBuffer, end, 20, 4);
MEMBER(OTF_RBuffer, lastnewline, 24, 4);
MEMBER(OTF_RBuffer, size, 28, 4);
MEMBER(OTF_RBuffer, jumpsize, 32, 4);
MEMBER(OTF_RBuffer, array, 40, 8);
MEMBER(OTF_RBuffer, arraysize, 48, 4);
MEMBER(OTF_RBuffer, time, 56, 8);
MEMBER(OTF_RBuffer, process, 64, 4);
MEMBER(OTF_RBuffer, filesize, 72, 8);
MEMBER(OTF_RBuffer, firstTime, 80, 8);
MEMBER(OTF_RBuffer, lastTime, 88, 8);
MEMBER(OTF_RBuffer, list, 96, 8);
MEMBER(OTF_RBuffer, zbuffersize, 104, 4);
SIZE(OTF_WBuffer, 48);
MEMBER(OTF_WBuffer, file, 0, 8);
MEMBER(OTF_WBuffer, buffer, 8, 8);
MEMBER(OTF_WBuffer, size, 16, 4);
MEMBER(OTF_WBuffer, pos, 20, 4);
MEMBER(OTF_WBuffer, process, 24, 4);
MEMBER(OTF_WBuffer, time, 32, 8);
MEMBER(OTF_WBuffer, zbuffersize, 40, 4);
SIZE(OTF_RStream, 80);
MEMBER(OTF_RStream, namestub, 0, 8);
MEMBER(OTF_RStream, id, 8, 4);
MEMBER(OTF_RStream, defBuffer, 16, 8);
MEMBER(OTF_RStream, eventBuffer, 24, 8);
MEMBER(OTF_RStream, snapsBuffer, 32, 8);
MEMBER(OTF_RStream, statsBuffer, 40, 8);
MEMBER(OTF_RStream, markerBuffer, 48, 8);
MEMBER(OTF_RStream, buffersizes, 56, 4);
MEMBER(OTF_RStream, zbuffersizes, 60, 4);
MEMBER(OTF_RStream, manager, 64, 8);
MEMBER(OTF_RStream, recordLimit, 72, 8);
SIZE(OTF_WStream, 80);
MEMBER(OTF_WStream, namestub, 0, 8);
MEMBER(OTF_WStream, id, 8, 4);
MEMBER(OTF_WStream, format, 12, 4);
MEMBER(OTF_WStream, defBuffer, 16, 8);
MEMBER(OTF_WStream, eventBuffer, 24, 8);
MEMBER(OTF_WStream, snapsBuffer, 32, 8);
MEMBER(OTF_WStream, statsBuffer, 40, 8);
MEMBER(OTF_WStream, markerBuffer, 48, 8);
MEMBER(OTF_WStream, compression, 56, 4);
MEMBER(OTF_WStream, buffersizes, 60, 4);
MEMBER(OTF_WStream, zbuffersizes, 64, 4);
MEMBER(OTF_WStream, manager, 72, 8);
MEMBER(OTF_Value, otf_char, 0, 1);
MEMBER(OTF_Value, otf_int8, 0, 1);
MEMBER(OTF_Value, otf_uint8, 0, 1);
MEMBER(OTF_Value, otf_int16, 0, 2);
MEMBER(OTF_Value, otf_uint16, 0, 2);
MEMBER(OTF_Value, otf_int32, 0, 4);
MEMBER(OTF_Value, otf_uint32, 0, 4);
MEMBER(OTF_Value, otf_int64, 0, 8);
MEMBER(OTF_Value, otf_uint64, 0, 8);
MEMBER(OTF_Value, otf_float, 0, 4);
MEMBER(OTF_Value, otf_double, 0, 8);
IS(_Alignof(OTF_Value), 8);
SIZE(otf_errno, 4);
SIZE(otf_strerr, 1000);
/* clang-format on */

static void test_abi_values_have_the_types_that_programs_rely_on(void **state) {
    (void)state;
    /* Constants are compared and printed with these types. */
    assert_true(_Generic(OTF_READ_ERROR, uint64_t : true, default : false));
    assert_true(_Generic(OTF_READ_MAXRECORDS, uint64_t : true, default : false));
    assert_string_equal(OTF_VERSION_STRING, "salmon");
    /* A handler without its trailing parameters can be cast to the type of handlers. */
    assert_true(_Generic((OTF_FunctionPointer *)0, int (*)(void *) : true, default : false));
}

QUIPU_TESTS(cmocka_unit_test(test_abi_values_have_the_types_that_programs_rely_on))

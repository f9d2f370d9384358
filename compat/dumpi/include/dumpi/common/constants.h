/* constants.h: predefined values.
 * Made by tools/dumpi-headers from the record tables: change those. */
#ifndef DUMPI_COMMON_CONSTANTS_H
#define DUMPI_COMMON_CONSTANTS_H

/* clang-format off */
#include <dumpi/common/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranks and tags that are none. */
#define DUMPI_ROOT (-2)
#define DUMPI_ANY_SOURCE (-1)
#define DUMPI_ANY_TAG (-1)

/* Statuses that were not asked for. */
#define DUMPI_STATUS_IGNORE ((dumpi_status *)0)
#define DUMPI_STATUSES_IGNORE ((dumpi_status *)0)

/* request */
typedef enum dumpi_native_requests {
    DUMPI_REQUEST_ERROR = 0,
    DUMPI_REQUEST_NULL = 1,
    DUMPI_FIRST_USER_REQUEST = 2
} dumpi_native_requests;

/* iorequest */
typedef enum dumpio_native_requests {
    DUMPIO_REQUEST_ERROR = 0,
    DUMPIO_REQUEST_NULL = 1,
    DUMPIO_FIRST_USER_REQUEST = 2
} dumpio_native_requests;

/* datatype */
typedef enum dumpi_native_datatypes {
    DUMPI_DATATYPE_ERROR = 0,
    DUMPI_DATATYPE_NULL = 1,
    DUMPI_CHAR = 2,
    DUMPI_SIGNED_CHAR = 3,
    DUMPI_UNSIGNED_CHAR = 4,
    DUMPI_BYTE = 5,
    DUMPI_WCHAR = 6,
    DUMPI_SHORT = 7,
    DUMPI_UNSIGNED_SHORT = 8,
    DUMPI_INT = 9,
    DUMPI_UNSIGNED = 10,
    DUMPI_LONG = 11,
    DUMPI_UNSIGNED_LONG = 12,
    DUMPI_FLOAT = 13,
    DUMPI_DOUBLE = 14,
    DUMPI_LONG_DOUBLE = 15,
    DUMPI_LONG_LONG_INT = 16,
    DUMPI_UNSIGNED_LONG_LONG = 17,
    DUMPI_LONG_LONG = 18,
    DUMPI_PACKED = 19,
    DUMPI_LB = 20,
    DUMPI_UB = 21,
    DUMPI_FLOAT_INT = 22,
    DUMPI_DOUBLE_INT = 23,
    DUMPI_LONG_INT = 24,
    DUMPI_SHORT_INT = 25,
    DUMPI_2INT = 26,
    DUMPI_LONG_DOUBLE_INT = 27,
    DUMPI_FIRST_USER_DATATYPE = 28
} dumpi_native_datatypes;

/* comm */
typedef enum dumpi_native_comms {
    DUMPI_COMM_ERROR = 0,
    DUMPI_COMM_NULL = 1,
    DUMPI_COMM_WORLD = 2,
    DUMPI_COMM_SELF = 3,
    DUMPI_FIRST_USER_COMM = 4
} dumpi_native_comms;

/* group */
typedef enum dumpi_native_groups {
    DUMPI_GROUP_ERROR = 0,
    DUMPI_GROUP_NULL = 1,
    DUMPI_GROUP_EMPTY = 2,
    DUMPI_FIRST_USER_GROUP = 3
} dumpi_native_groups;

/* info */
typedef enum dumpi_native_infos {
    DUMPI_INFO_NULL = 0,
    DUMPI_FIRST_USER_INFO = 1
} dumpi_native_infos;

/* file */
typedef enum dumpi_native_files {
    DUMPI_FILE_NULL = 0,
    DUMPI_FIRST_USER_FILE = 1
} dumpi_native_files;

/* win */
typedef enum dumpi_native_wins {
    DUMPI_WIN_NULL = 0,
    DUMPI_FIRST_USER_WIN = 1
} dumpi_native_wins;

/* errhandler */
typedef enum dumpi_native_errhandlers {
    DUMPI_ERRHANDLER_ERROR = 0,
    DUMPI_ERRHANDLER_NULL = 1,
    DUMPI_FIRST_USER_ERRHANDLER = 2
} dumpi_native_errhandlers;

/* keyval */
typedef enum dumpi_native_keyvals {
    DUMPI_TAG_UB = 0,
    DUMPI_HOST = 1,
    DUMPI_IO = 2,
    DUMPI_WTIME_IS_GLOBAL = 3,
    DUMPI_UNIVERSE_SIZE = 4,
    DUMPI_LASTUSEDCODE = 5,
    DUMPI_APPNUM = 6,
    DUMPI_WIN_BASE = 7,
    DUMPI_WIN_SIZE = 8,
    DUMPI_WIN_DISP_UNIT = 9,
    DUMPI_FIRST_USER_KEYVAL = 10
} dumpi_native_keyvals;

/* op */
typedef enum dumpi_native_ops {
    DUMPI_OP_ERROR = 0,
    DUMPI_MAX = 1,
    DUMPI_MIN = 2,
    DUMPI_SUM = 3,
    DUMPI_PROD = 4,
    DUMPI_LAND = 5,
    DUMPI_BAND = 6,
    DUMPI_LOR = 7,
    DUMPI_BOR = 8,
    DUMPI_LXOR = 9,
    DUMPI_BXOR = 10,
    DUMPI_MINLOC = 11,
    DUMPI_MAXLOC = 12,
    DUMPI_REPLACE = 13,
    DUMPI_OP_NULL = 14,
    DUMPI_FIRST_USER_OP = 15
} dumpi_native_ops;

/* combiner */
typedef enum dumpi_native_combiners {
    DUMPI_COMBINER_ERROR = 0,
    DUMPI_COMBINER_NAMED = 1,
    DUMPI_COMBINER_DUP = 2,
    DUMPI_COMBINER_CONTIGUOUS = 3,
    DUMPI_COMBINER_VECTOR = 4,
    DUMPI_COMBINER_HVECTOR_INTEGER = 5,
    DUMPI_COMBINER_HVECTOR = 6,
    DUMPI_COMBINER_INDEXED = 7,
    DUMPI_COMBINER_HINDEXED_INTEGER = 8,
    DUMPI_COMBINER_HINDEXED = 9,
    DUMPI_COMBINER_INDEXED_BLOCK = 10,
    DUMPI_COMBINER_STRUCT_INTEGER = 11,
    DUMPI_COMBINER_STRUCT = 12,
    DUMPI_COMBINER_SUBARRAY = 13,
    DUMPI_COMBINER_DARRAY = 14,
    DUMPI_COMBINER_F90_REAL = 15,
    DUMPI_COMBINER_F90_COMPLEX = 16,
    DUMPI_COMBINER_F90_INTEGER = 17,
    DUMPI_COMBINER_RESIZED = 18
} dumpi_native_combiners;

/* topology */
typedef enum dumpi_native_topologies {
    DUMPI_TOPOLOGY_ERROR = 0,
    DUMPI_GRAPH = 1,
    DUMPI_CART = 2,
    DUMPI_UNDEFINED = 3
} dumpi_native_topologies;

/* distribution */
typedef enum dumpi_native_distributions {
    DUMPI_DISTRIBUTION_ERROR = 0,
    DUMPI_DISTRIBUTE_BLOCK = 1,
    DUMPI_DISTRIBUTE_CYCLIC = 2,
    DUMPI_DISTRIBUTE_NONE = 3,
    DUMPI_DISTRIBUTE_DFLT_DARG = 4
} dumpi_native_distributions;

/* locktype */
typedef enum dumpi_native_locktypes {
    DUMPI_LOCKTYPE_ERROR = 0,
    DUMPI_LOCK_SHARED = 1,
    DUMPI_LOCK_EXCLUSIVE = 2
} dumpi_native_locktypes;

/* whence */
typedef enum dumpi_native_whence {
    DUMPI_WHENCE_ERROR = 0,
    DUMPI_SEEK_SET = 1,
    DUMPI_SEEK_CUR = 2,
    DUMPI_SEEK_END = 3
} dumpi_native_whence;

/* win_assert */
typedef enum dumpi_native_win_assert {
    DUMPI_MODE_NONE = 0,
    DUMPI_MODE_NOCHECK = 1,
    DUMPI_MODE_NOSTORE = 2,
    DUMPI_MODE_NOPUT = 4,
    DUMPI_MODE_NOPRECEDE = 8,
    DUMPI_MODE_NOSUCCEED = 16,
    DUMPI_MODE_ERROR = -1
} dumpi_native_win_assert;

/* filemode */
typedef enum dumpi_native_filemode {
    DUMPI_FILEMODE_ERROR = 0,
    DUMPI_MODE_RDONLY = 1,
    DUMPI_MODE_RDWR = 2,
    DUMPI_MODE_WRONLY = 3,
    DUMPI_MODE_CREATE = 4,
    DUMPI_MODE_EXCL = 5,
    DUMPI_MODE_DELETE_ON_CLOSE = 6,
    DUMPI_MODE_UNIQUE_OPEN = 7,
    DUMPI_MODE_SEQUENTIAL = 8,
    DUMPI_MODE_APPEND = 9
} dumpi_native_filemode;

/* typeclass */
typedef enum dumpi_native_typeclasses {
    DUMPI_TYPECLASS_ERROR = 0,
    DUMPI_TYPECLASS_REAL = 1,
    DUMPI_TYPECLASS_INTEGER = 2,
    DUMPI_TYPECLASS_COMPLEX = 3
} dumpi_native_typeclasses;

/* threadlevel */
typedef enum dumpi_native_threadlevels {
    DUMPI_THREADLEVEL_ERROR = 0,
    DUMPI_THREAD_SINGLE = 1,
    DUMPI_THREAD_FUNNELED = 2,
    DUMPI_THREAD_SERIALIZED = 3,
    DUMPI_THREAD_MULTIPLE = 4
} dumpi_native_threadlevels;

/* comparison */
typedef enum dumpi_native_comparisons {
    DUMPI_COMPARISON_ERROR = 0,
    DUMPI_IDENT = 1,
    DUMPI_CONGRUENT = 2,
    DUMPI_SIMILAR = 3,
    DUMPI_UNEQUAL = 4
} dumpi_native_comparisons;

/* ordering */
typedef enum dumpi_native_orderings {
    DUMPI_ORDERING_ERROR = 0,
    DUMPI_ORDER_C = 1,
    DUMPI_ORDER_FORTRAN = 2
} dumpi_native_orderings;

/* What the text tools call a value; never NULL. */
const char *dumpi_get_request_name(dumpi_request value);
const char *dumpi_get_datatype_name(dumpi_datatype value);
const char *dumpi_get_comm_name(dumpi_comm value);
const char *dumpi_get_group_name(dumpi_group value);
const char *dumpi_get_info_name(dumpi_info value);
const char *dumpi_get_file_name(dumpi_file value);
const char *dumpi_get_win_name(dumpi_win value);
const char *dumpi_get_errhandler_name(dumpi_errhandler value);
const char *dumpi_get_keyval_name(dumpi_keyval value);
const char *dumpi_get_op_name(dumpi_op value);
const char *dumpi_get_combiner_name(dumpi_combiner value);
const char *dumpi_get_topology_name(dumpi_topology value);
const char *dumpi_get_locktype_name(dumpi_locktype value);
const char *dumpi_get_whence_name(dumpi_whence value);
const char *dumpi_get_win_assert_name(dumpi_win_assert value);
const char *dumpi_get_filemode_name(dumpi_filemode value);
const char *dumpi_get_typeclass_name(dumpi_typeclass value);
const char *dumpi_get_threadlevel_name(dumpi_threadlevel value);
const char *dumpi_get_comparison_name(dumpi_comparison value);
const char *dumpi_get_ordering_name(dumpi_ordering value);

#ifdef __cplusplus
}
#endif
#endif

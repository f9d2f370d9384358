/* freedefs.h: freeing what the functions of dumpiio.h have read. VAL, ARR may be NULL. */
#ifndef DUMPI_LIBUNDUMPI_FREEDEFS_H
#define DUMPI_LIBUNDUMPI_FREEDEFS_H

#include <stdlib.h>

/* In place of a count: the list ends with a NULL. */
#define DUMPI_NULLTERM (-2)

#define DUMPI_FREE_CHAR(VAL) free(VAL)
#define DUMPI_FREE_INT(VAL) free(VAL)
#define DUMPI_FREE_DATATYPE(VAL) free(VAL)
#define DUMPI_FREE_DISTRIBUTION(VAL) free(VAL)
#define DUMPI_FREE_ERRCODE(VAL) free(VAL)
#define DUMPI_FREE_INFO(VAL) free(VAL)
#define DUMPI_FREE_REQUEST(VAL) free(VAL)
#define DUMPI_FREE_STATUS(VAL) free(VAL)
#define DUMPIO_FREE_REQUEST(VAL) free(VAL)

/* Whether there is an element i. */
#define DUMPI_HAS_ELEMENT(COUNT, ARR, I)                                                                       \
    ((ARR) && ((long)(COUNT) == DUMPI_NULLTERM ? (ARR)[I] != NULL : (I) < (long)(COUNT)))

/* Lists of strings or of rows, and lists of lists of strings. */
#define DUMPI_FREE_CHAR_ARRAY_2(COUNT, ARR)                                                                    \
    do {                                                                                                       \
        long dumpi_i;                                                                                          \
        for (dumpi_i = 0; DUMPI_HAS_ELEMENT(COUNT, ARR, dumpi_i); dumpi_i++)                                   \
            free((ARR)[dumpi_i]);                                                                              \
        free(ARR);                                                                                             \
    } while (0)
#define DUMPI_FREE_INT_ARRAY_2(COUNT, ARR) DUMPI_FREE_CHAR_ARRAY_2(COUNT, ARR)
#define DUMPI_FREE_CHAR_ARRAY_3(X, Y, ARR)                                                                     \
    do {                                                                                                       \
        long dumpi_j;                                                                                          \
        for (dumpi_j = 0; DUMPI_HAS_ELEMENT(X, ARR, dumpi_j); dumpi_j++)                                       \
            DUMPI_FREE_CHAR_ARRAY_2(Y, (ARR)[dumpi_j]);                                                        \
        free(ARR);                                                                                             \
    } while (0)

#endif

/* parameters.h: parameter lists of words, for the wrappers: PARAMETERS_3 is "word a, word b, word c", VALUES_3 what a list
 * of them is filled with, which may not be empty, and PASSED_3 the first three elements of the list passed. */
#ifndef QUIPU_RECORD_MPI_PARAMETERS_H
#define QUIPU_RECORD_MPI_PARAMETERS_H

#define PARAMETERS_0 void
#define PARAMETERS_1 word a
#define PARAMETERS_2 PARAMETERS_1, word b
#define PARAMETERS_3 PARAMETERS_2, word c
#define PARAMETERS_4 PARAMETERS_3, word d
#define PARAMETERS_5 PARAMETERS_4, word e
#define PARAMETERS_6 PARAMETERS_5, word f
#define PARAMETERS_7 PARAMETERS_6, word g
#define PARAMETERS_8 PARAMETERS_7, word h
#define PARAMETERS_9 PARAMETERS_8, word i
#define PARAMETERS_10 PARAMETERS_9, word j
#define PARAMETERS_11 PARAMETERS_10, word k
#define PARAMETERS_12 PARAMETERS_11, word l
#define PARAMETERS_13 PARAMETERS_12, word m
#define PARAMETERS_14 PARAMETERS_13, word n
#define PASSED_0
#define PASSED_1 passed[0]
#define PASSED_2 PASSED_1, passed[1]
#define PASSED_3 PASSED_2, passed[2]
#define PASSED_4 PASSED_3, passed[3]
#define PASSED_5 PASSED_4, passed[4]
#define PASSED_6 PASSED_5, passed[5]
#define PASSED_7 PASSED_6, passed[6]
#define PASSED_8 PASSED_7, passed[7]
#define PASSED_9 PASSED_8, passed[8]
#define PASSED_10 PASSED_9, passed[9]
#define PASSED_11 PASSED_10, passed[10]
#define PASSED_12 PASSED_11, passed[11]
#define PASSED_13 PASSED_12, passed[12]
#define PASSED_14 PASSED_13, passed[13]
#define VALUES_0 0
#define VALUES_1 a
#define VALUES_2 VALUES_1, b
#define VALUES_3 VALUES_2, c
#define VALUES_4 VALUES_3, d
#define VALUES_5 VALUES_4, e
#define VALUES_6 VALUES_5, f
#define VALUES_7 VALUES_6, g
#define VALUES_8 VALUES_7, h
#define VALUES_9 VALUES_8, i
#define VALUES_10 VALUES_9, j
#define VALUES_11 VALUES_10, k
#define VALUES_12 VALUES_11, l
#define VALUES_13 VALUES_12, m
#define VALUES_14 VALUES_13, n

#endif

/* names.c: names of calls and of predefined values, and versions. Prints them. */
#include <stdio.h>

#include <dumpi/common/constants.h>
#include <dumpi/common/funclabels.h>
#include <dumpi/common/funcs.h>

int main(void) {
    const char version[3] = {1, 2, 3};
    printf("%s %s %s %s\n", dumpi_function_label(DUMPI_Send), dumpi_function_label(DUMPIO_Test),
           dumpi_get_function_name(DUMPI_Pcontrol), dumpi_get_function_name(999));
    printf("%s %s %s\n", dumpi_get_datatype_name(DUMPI_INT), dumpi_get_datatype_name(DUMPI_FIRST_USER_DATATYPE),
           dumpi_get_datatype_name(-1));
    printf("%s %s %s\n", dumpi_get_errhandler_name(1), dumpi_get_errhandler_name(2),
           dumpi_get_errhandler_name(-1));
    printf("%s %s\n", dumpi_get_info_name(3), dumpi_get_info_name(-3));
    printf("%s %s\n", dumpi_get_win_assert_name(3), dumpi_get_win_assert_name(255));
    printf("%s %s\n", dumpi_get_comm_name(DUMPI_COMM_WORLD), dumpi_get_request_name(DUMPI_REQUEST_NULL));
    printf("%d %d %d %d\n", dumpi_have_version(version, 1, 2, 3), dumpi_have_version(version, 1, 2, 4),
           dumpi_have_version(version, 0, 9, 9), dumpi_have_version(version, 2, 0, 0));
    return 0;
}

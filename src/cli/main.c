/* main.c: the program quipu: one process. */
#include "dispatch.h"

int main(int argc, char **argv) {
    return dispatch(argc, argv, NULL);
}

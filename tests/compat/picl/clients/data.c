/* data.c: data of users, some of which PICL has no text for. usage: data TRACE */
#include <picl.h>

#include <math.h>

int main(int argc, char **argv) {
    int nodes, me, host;
    char *blanks[] = {"", "two words"}, *words[] = {"two", "words"};
    double infinite[] = {1.5, NAN, -INFINITY}, finite[] = {1.5, -0.25};
    open0(&nodes, &me, &host);
    tracefiles("", argc > 1 ? argv[1] : "", 0);
    tracelevel(3, 3, 3);
    tracenode(100000, 0, 0);
    tracedata(1, 10, "string", 2, blanks);
    tracedata(2, 10, "string", 2, words);
    tracedata(3, 11, "double", 3, infinite);
    tracedata(4, 11, "double", 2, finite);
    traceexit();
    close0();
    return 0;
}

/* gtg_program.c: a client of the GTG library, which writes OTF through the library under test: two processes, states,
 * a variable, a message. Writes "gtg" into the current folder. */
#include <GTG.h>

int main(void) {
    setTraceType(OTF);
    initTrace("gtg", 0, GTG_FLAG_NONE);
    addContType("CT_P", "0", "Process");
    addStateType("ST", "CT_P", "State");
    addEntityValue("S_C", "ST", "Computing", GTG_GREEN);
    addEntityValue("S_W", "ST", "Waiting", GTG_RED);
    addVarType("V", "Load", "CT_P");
    addLinkType("L", "Message", "CT_P", "CT_P", "CT_P");
    addContainer(0.0, "C_0", "CT_P", "0", "process 0", "0");
    addContainer(0.0, "C_1", "CT_P", "0", "process 1", "0");
    for (int step = 1; step <= 20; step++) {
        const char *one = step % 2 ? "C_0" : "C_1", *other = step % 2 ? "C_1" : "C_0";
        char key[16];
        sprintf(key, "m%d", step);
        setState(step, "ST", one, "S_C");
        setState(step + 0.25, "ST", other, "S_W");
        startLink(step + 0.5, "L", "C_0", one, other, "message", key);
        endLink(step + 0.75, "L", "C_0", one, other, "message", key);
        setVar(step + 0.8, "V", one, step * 1.5);
    }
    destroyContainer(25.0, "C_0", "CT_P");
    destroyContainer(25.0, "C_1", "CT_P");
    return endTrace() != TRACE_SUCCESS;
}

"""Writes the source of a library that counts MPI calls (counter.h), from an MPI's header and Fortran libraries.

    counter.py COMPILER [LIBRARY...] > counter.c
"""
import re
import subprocess
import sys

FUNCTIONS_TO_COMPARE = re.compile(r"_fn_+$|_fn_null_+$|_null_copy|_null_delete|sizeof")  # addresses that programs give to MPI


def extensions(compiler):
    """The header of calls beyond the standard, where there is one."""
    has_header = subprocess.run([compiler, "-E", "-include", "mpi-ext.h", "-xc", "/dev/null"], capture_output=True).returncode == 0
    return ("-include", "mpi-ext.h") if has_header else ()


def prototypes(compiler):
    """(type, name, parameters) of the functions that mpi.h declares."""
    text = subprocess.run([compiler, "-E", "-P", "-include", "mpi.h", *extensions(compiler), "-xc", "/dev/null"],
                          capture_output=True, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", "", text)
    found = {}
    for kind, name, parameters in re.findall(r"(?:^|[;}])\s*(?:extern\s+)?(int|double|MPI_Aint|MPI_Fint|MPI_\w+)\s+(MPIX?_\w+)\s*\(([^;{}]*)\)\s*;", text, re.M):
        if "..." not in parameters and not re.match(r"MPI_T_|MPI_\w*_(c2f|f2c|f2f08|c2f08|f082f|f082c|f2c08)$", name):
            found[name] = (kind, " ".join(parameters.split()))
    return found


def argument_names(parameters):
    if parameters in ("", "void"):
        return []
    split = re.findall(r"(?:[^,()]|\([^()]*\))+", parameters)
    return [re.search(r"(\w+)\s*(?:\[\w*\]\s*)*$", parameter)[1] for parameter in split]


def fortran_functions(libraries):
    """Lower case symbols with one underscore behind them; the others are the same functions."""
    found = set()
    for library in libraries:
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        found.update(re.findall(r" [TW] (mpi_[a-z0-9_]*[a-z0-9]_)$", symbols, re.M))
    return sorted(name for name in found if not FUNCTIONS_TO_COMPARE.search(name))


def c_wrapper(number, name, kind, parameters):
    names = ", ".join(argument_names(parameters))
    after = "    find_rank();\n" if name.startswith("MPI_Init") else ""
    return (f"{kind} {name}({parameters}) {{\n    {kind} (*real_function)({parameters}) = ({kind} (*)({parameters}))count_enter(&functions[{number}]);\n"
            f"    const {kind} returned = (*real_function)({names});\n    count_leave();\n{after}    return returned;\n}}\n")


def fortran_wrapper(number, name):
    """Arguments are addresses and lengths of strings: as many as any function has are handed on as they are."""
    kind = "double" if re.match(r"mpi_w(time|tick)_", name) else "intptr_t"
    types = ", ".join(["intptr_t"] * 24)
    parameters = ", ".join(f"intptr_t a{i}" for i in range(24))
    names = ", ".join(f"a{i}" for i in range(24))
    after = "    find_rank();\n" if name.startswith("mpi_init") else ""
    return (f"{kind} {name}({parameters}) {{\n    {kind} (*real_function)({types}) = ({kind} (*)({types}))count_enter(&functions[{number}]);\n"
            f"    const {kind} returned = (*real_function)({names});\n    count_leave();\n{after}    return returned;\n}}\n")


def main(compiler, *libraries):
    functions, bodies = [], []
    for name, (kind, parameters) in sorted(prototypes(compiler).items()):
        bodies.append(c_wrapper(len(functions), name, kind, parameters))
        functions.append(name)
    for name in fortran_functions(libraries):
        bodies.append(fortran_wrapper(len(functions), name))
        functions.append(name)
    print('#include "counter.h"\nstatic struct counted functions[] = {')
    print("".join(f'    {{"{name}", 0, NULL}},\n' for name in functions) + "};")
    print("__attribute__((destructor)) static void at_end(void) {\n    write_counts(functions, sizeof functions / sizeof *functions);\n}")
    print("".join(bodies))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The second, slow implementation of the causal analyses, where it is at hand, as a module."""
import importlib.machinery
import importlib.util
import os
import pathlib
import sys

SHARED = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."), "..", "shared")
ORACLE = SHARED / "check" / "analysis-oracle"


def load():
    os.environ.setdefault("QUIPU_BUILD", "build")
    loader = importlib.machinery.SourceFileLoader("analysis_oracle", str(ORACLE))
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("analysis_oracle", loader))
    loader.exec_module(module)
    name_processes = module.processes

    def members_are_processes(trace):
        """It takes all locations that use a communicator for its members, also threads."""
        name_processes(trace)
        if any(process != location for location, process in trace.proc.items()):
            trace.members = {number: sorted({trace.proc[member] for member in members}) for number, members in trace.members.items()}

    module.processes = members_are_processes
    return module

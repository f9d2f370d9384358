"""What is run while calls of the system fail: command lines, the traces they read, and what each fault may lead to.

A command line is a line of text. {trace} is each trace of TRACES in turn, {target} each format or export target that can be
written, {suffix} the ending of its files, out/ the folder for output (empty, or, in a second pass with --force, full of older
files of the same names). Commands and formats are compared with the tables of the command, so none can be forgotten."""

# Traces by format. The first of each format stands for it where several traces are read.
TRACES = {
    "dumpi": ["in/dumpi/ring.meta", "in/phases/dumpi-2026.11.20.11.44.43.meta"],
    "otf": ["in/otf/small.otf", "in/otf-compressed/ring.otf"],
    "picl": ["in/picl/ring.picl"],
    "charisma": ["in/charisma/ring.ctrace"],
    "ovni": ["in/ovni/stream.obs"],
    "paraver": ["in/paraver/ring.prv"],
}

# Formats that others' libraries read, whose calls of the system are theirs: libotf2 tries none again, and says no more than that it failed.
READ_BY_OTHERS = {"otf2"}

# The folders of the project that they come from, as in/NAME.
FOLDERS = {
    "dumpi": "tests/data/sweep/dumpi",
    "otf": "tests/data/otf",
    "charisma": "tests/data/sweep/charisma",
    "ovni": "tests/data/sweep/ovni",
    "looms/trace/loom.a.0/proc.1/thread.1": "tests/data/sweep/ovni",
    "otf-compressed": "tests/data/sweep/otf-compressed",
    "otf-in-flight": "tests/data/otf-in-flight",
    "picl": "tests/data/sweep/picl",
    "paraver": "tests/data/sweep/paraver",
    "phases": "examples/traces/phases",
}

# Made from the above before anything fails: (file, copy of the folder, size that the file is cut to, in hundredths).
DAMAGED = {
    "in/dumpi-cut/ring.meta": ("dumpi", "ring-0001.bin", 60),
    "in/otf-cut/small.otf": ("otf", "small.1.events", 60),
    "in/charisma-cut/ring.ctrace": ("charisma", "ring.ctrace", 60),
}

# Copies of the above that have an index beside them.
INDEXED = {
    "in/dumpi-indexed/ring.meta": "dumpi",
    "in/otf-indexed/ring.otf": "otf-compressed",
}

# Made by the command before anything fails.
STATES = {f"in/{name}{part}.state": f"{command} --part {part}/2 {trace}" for part in (1, 2)
          for name, command, trace in (("", "profile", "in/otf/small.otf"), ("checked-", "check", "in/dumpi/ring.meta"))}

SUFFIXES = {"dumpi": ".meta", "otf": ".otf", "charisma": ".ctrace", "perfetto": ".perfetto-trace", "chrome": ".chrome.json",
            "picl": ".picl", "ovni": ".ovni", "otf2": ".otf2", "paraver": ".prv", "goal": ".goal",
            "dimemas": ".dim", "sqlite": ".sqlite"}

# Targets that only convert writes, of one trace.
ONLY_CONVERTED = {"sqlite"}

# Of formats that can be repaired.
EACH_REPAIRED = """
    repair {trace} -o out/whole{own}
    repair --json {trace} -o out/whole{own}
"""

EACH_TRACE = """
    info {trace}
    info --json --threads 2 {trace}
    {trace}
    cat {trace}
    cat --json {trace} -o out/events.json
    cat --records {trace}
    cat --records --json {trace}
    cat --since 2 --until 40 --location 0 {trace}
    check {trace}
    check --json {trace} -o out/findings.json
    profile {trace}
    profile --csv --threads 2 {trace} -o out/profile.csv
    state --at end {trace}
    definitions {trace}
    definitions --json {trace} -o out/definitions.json
    calls {trace}
    table events {trace}
    table calls --threads 2 {trace}
    table states {trace}
    table tasks {trace}
    table io {trace}
    table collectives {trace}
    table waits_instances {trace}
    sql {trace} select/**/region,count(*)from/**/calls/**/group/**/by/**/1
    comm --json --where bytes>0 {trace} -o out/comm.json
    messages --where bytes>0 {trace}
    waits --causes {trace}
    waits --overlap {trace}
    why --location 0 --since 2 {trace}
    critical-path --threads 3 {trace}
    efficiency --threads 2 {trace}
    efficiency {trace} {trace} --weak --json -o out/scaling.json
    imbalance --threads 3 {trace}
    efficiency --over time --bins 9 {trace}
    efficiency --over phase {trace}
    timeline --by process {trace}
    tasks --over time {trace}
    timeline --waits --by all {trace}
    timeline --threads 3 --bins 7 --csv {trace}
    phases {trace}
    phases --iterations --json {trace} -o out/phases.json
    clock {trace}
    replay {trace}
    replay --network loggops --sensitivity {trace}
    replay --network ideal {trace} -o out/ideal.otf
    clock {trace} --correct offset,clc -o out/right.otf
    clock {trace} --correct linear -o out/lines.otf
    clock {trace} --correct clc --amortise 100000 -o out/amortised.otf
    diff {trace} {trace}
    diff --level calls {trace} in/otf/small.otf --json -o out/calls.json
    report {trace} -o out/report.html --figures out
    report {trace} in/otf/small.otf --only runs -o out/runs.html
    profile --tree --top 3 {trace}
    profile --by phase --csv {trace}
    profile --by callsite --csv {trace}
    why {trace}
    waits --list --threads 3 {trace}
    convert {trace} --to perfetto --with waits,critical-path -o out/drawn.perfetto-trace
    profile --where duration>1us&&region~"M.I" {trace}
    io {trace}
    io --study --json {trace} -o out/study.json
    index {trace} -o out/index.qpx
    index --threads 2 --count 3 {trace} -o out/index.qpx
    merge {trace} -o out/merged{own}
    cut --since 2 --until 40 {trace} -o out/part{own}
    cut --location 0 {trace} -o out/part{own} --report out/report.json
    convert --explain --to chrome {trace}
"""

EACH_TRACE_AND_TARGET = """
    convert {trace} --to {target} -o out/copy{suffix} --report out/report.json
"""

EACH_TARGET = """
    convert --json in/otf/small.otf --to {target} -o out/copy{suffix}
    merge in/otf/small.otf in/dumpi/ring.meta --to {target} -o out/both{suffix}
"""

EACH_DAMAGED = """
    info {trace}
    cat {trace} -o out/events
    check --json {trace}
    repair {trace} -o out/whole{own}
    convert {trace} --to otf -o out/copy.otf
    convert {trace} --to perfetto -o out/copy.perfetto
    merge {trace} -o out/merged{own}
    state --at end --json {trace}
"""

# A trace that is a folder of folders, which are looked into.
OF_FOLDERS = ["in/looms/trace"]
EACH_OF_FOLDERS = """
    info {trace}
    cat --records {trace} -o out/records
    check --json {trace}
    repair {trace} -o out/whole
    merge {trace} -o out/merged
    convert {trace} --to otf -o out/copy.otf
    cut --since 2 {trace} -o out/part
    index {trace} -o out/index.qpx
"""

EACH_INDEXED = """
    profile {trace}
    cat --since 20 --until 40 {trace}
    cut --since 20 {trace} -o out/part{own}
    state --at 20 {trace}
    index {trace} --count 2 -o out/index.qpx
    profile {trace} --with-index {trace}.qpx --json
    timeline {trace} --with-index {trace}.qpx --json
"""

EACH_FORMAT = """
    schema {format}
    schema --json {format} -o out/schema.json
"""

ONCE = """
    convert in/otf/small.otf --to chrome -o -
    convert in/otf/small.otf --compress 6 -o out/small.otf
    convert in/otf/small.otf --set long=yes -o out/small.otf
    convert in/dumpi/ring.meta --compress 6 --to otf -o out/ring.otf
    convert --fail-on-loss in/otf/small.otf --to chrome -o out/small.json
    cut --snapshots --since 2 in/otf/small.otf -o out/part.otf
    merge --streams 1 in/otf/small.otf -o out/merged.otf
    merge --streams 0 in/otf-compressed/ring.otf -o out/apart.otf
    merge in/otf/small.otf in/otf-compressed/ring.otf -o out/both.otf
    snapshot --every 20 in/otf/small.otf -o out/with.otf
    snapshot --count 3 in/otf-compressed/ring.otf --streams 1 -o out/with.otf
    waits --causes --max-memory 1M in/otf-in-flight/unreceived.otf
    info in/otf in/dumpi
    cat in/otf
    check in/dumpi/ring-0000.bin
    cat in/otf/small.1.events
    formats
    merge-states in/1.state in/2.state
    merge-states in/1.state in/2.state -o out/profile
    merge-states in/checked-1.state in/checked-2.state
    formats --json -o out/formats.json
    formats --csv
    help
    help convert
    cat --help
    view --help
    merge-states --help
    --version
    generate man out
    generate man-formats out
    generate readme-formats
    generate bash
    generate zsh
    generate fish
    complete -- cat --kind send,l
    complete -- cat in/otf/small.otf --region M
"""

# Recordings of {program} (tests/faults/recorded.c), whose times are others each time: instead of being compared with the undisturbed
# result they are read, and must hold all that the program has done. The first word of the line says which command they are of.
EACH_RECORDING = """
    record --io -o out/trace -- {program} out/data out/counts
    record --io -o out/trace.otf -- {program} out/data out/counts
"""

# The program was not started, could not be executed, or could not begin.
NOT_RUN = {126, 127, 77}

# What each fault may lead to: type of call (tests/faults/calls.def) -> error -> exit codes. A run that gives the undisturbed
# result is right in any case; no exit code means that nothing else is. Errors that a caller is to try again come once only.
AGAIN = {"EINTR", "EAGAIN", "SHORT"}
EXITS = {
    "read": {"EIO": {4}, "EINTR": set(), "EAGAIN": set(), "SHORT": set(), "END": {3, 4}},
    "write": {"EIO": {5}, "ENOSPC": {5}, "EINTR": set(), "EAGAIN": set(), "SHORT": set()},
    "print": {"EIO": {5}, "ENOSPC": {5}, "SHORT": set()},
    "open_input": {"EIO": {4}, "EACCES": {4}, "EMFILE": {4}, "EINTR": set()},
    "open_output": {"EACCES": {5}, "ENOSPC": {5}, "EMFILE": {5}, "EINTR": set()},
    "open_folder": {"EIO": {4, 5}, "EACCES": {4, 5}, "EINTR": set()},
    "close_input": {"EIO": set()},
    "close_output": {"EIO": {5}, "EINTR": set()},
    "stat": {"EIO": {4, 5}, "EACCES": {4, 5}, "ENAMETOOLONG": {4, 5}, "ELOOP": {4, 5}},
    "access": {"EIO": {4, 5}},
    "list": {"EIO": {4, 5}, "EMFILE": {4, 5}, "EACCES": {4, 5}},
    "entry": {"EIO": {4, 5}},
    "seek": {"EIO": {4, 5}},
    "map": {"ENOMEM": {4, 6}},
    "sync": {"EIO": {5}, "ENOSPC": {5}, "EINTR": set()},
    "sync_folder": {"EIO": {5}, "EINTR": set()},
    "rename": {"EIO": {5}, "ENOSPC": {5}, "EACCES": {5}},
    "remove": {"EIO": {5}},
    "make": {"EACCES": {5}, "ENOSPC": {5}},
    "resize": {"ENOSPC": {5}, "EINTR": set()},
    "reserve": {"ENOSPC": {6}, "EINTR": set()},
    "protect": {"EPERM": {5}},
    "wait": {"EINTR": set()},
    "pipe": {"EMFILE": {5}},
    "memory": {"ENOMEM": {6}},
    "foreign_memory": {"ENOMEM": {6}},
    "thread": {"EAGAIN": {6}},
    "ask": {"EINVAL": set()},
    "max-memory": {"LIMIT": {6}},  # not a call: steps of the option
}

# What fails next, one call after the other, where an output could not be written: what is left of it is removed by the next writer of its name.
THEN = ("remove", "EIO", 3)

# Codes besides these where memory lies in a temporary file, which cannot be made then.
EXITS_WITH_LIMIT = {"make": {6}}

# Functions of the C library that the command may use and that no fault is made for: they do not ask the system for anything
# that can fail, or, as streams of stdio, come down to what is in calls.def.
HARMLESS = """
    newlocale uselocale freelocale nl_langinfo malloc_trim mallopt exp2 fmax fmin log10 log2 pow gethostname sigtimedwait execlp freopen64 fseeko64 ftello64
    __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __cxa_finalize __errno_location __libc_start_main __sched_cpucount
    __sysv_signal __stack_chk_fail __assert_fail _exit abort atexit exit clock_gettime closedir dirfd fcntl fcntl64 fclose ferror feof
    fflush fgets fileno fmemopen fnmatch fprintf fputc fputs fread free ftell fwrite getc getenv geteuid getpid getppid gettimeofday
    kill memchr memcmp memcpy memmove memrchr memset printf pthread_cond_broadcast
    fallocate64 madvise munmap
    setenv waitpid fork execl execv execvp clearerr dlerror dlopen dlsym getline
    pthread_cond_destroy pthread_cond_signal pthread_cond_timedwait pthread_cond_wait pthread_condattr_destroy pthread_join
    pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock pthread_self pthread_sigmask putc putchar puts qsort raise
    setlocale sigaddset sigemptyset sigfillset signal sigprocmask snprintf sprintf sscanf __isoc99_sscanf stderr stdin stdout
    __isoc99_fscanf localtime_r strftime
    strcasecmp strchr strcmp strcspn strdup strerror strerror_r strlen strncasecmp strncmp strndup strnlen strpbrk strrchr
    strspn strstr strtod strtok strtok_r strtol strtoll strtoul strtoull umask vfprintf vsnprintf
"""

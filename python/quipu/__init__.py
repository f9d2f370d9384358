"""Event traces of parallel programs: DUMPI, OTF, OTF2, PICL, ovni, CHARISMA, Paraver.

    import quipu

    trace = quipu.open("run.otf")
    trace.info["events"]
    trace.events(where="bytes > 1M", since="1s", until="2s").to_pandas()
    trace.table("profile", by="region").to_polars()
    trace.sql("SELECT sender, sum(bytes) FROM messages GROUP BY sender")

What such calls give is a Result: a question, not yet an answer. Each use of it reads the trace, in memory that does not grow with the trace where rows
are made while it is read; frames of pandas and polars are the way to keep an answer. Results pass their columns on by Arrow's protocol
(__arrow_c_stream__), so polars, DuckDB, pyarrow and others take them as they are.

Times are nanoseconds from the trace's origin. What is not known is None. `quipu.tables` has the tables, with columns, units and documentation.
"""
from __future__ import annotations

import csv
import datetime
import difflib
import html
import json
import os
import re
import shutil
import subprocess
import threading
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _pipit, _quipu

__all__ = ["Check", "Column", "Damage", "Error", "Figure", "Option", "Result", "Table", "Trace", "open", "record", "tables"]
__version__: str = _quipu.version

Error = _quipu.Error
Path = Union[str, bytes, "os.PathLike[str]"]
Time = Union[int, str, datetime.timedelta]
Names = Union[int, str, Sequence[Union[int, str]]]

ALL_THREADS = 2**32 - 1


class Damage(UserWarning):
    """A trace is damaged: the rows are what is intact."""


class Column(NamedTuple):
    """A column of a table: its type is "i64", "u64", "f64", "text" or "category"; in `quipu.tables` also "time", "decimal" or "json"."""

    name: str
    type: str
    unit: str
    doc: str


class Option(NamedTuple):
    """An option of an analysis."""

    name: str
    kind: str
    doc: str


class Table(NamedTuple):
    """What a table has: those of kind "stream" are made while a trace is read, the others are "definitions" or the "answer" of an analysis."""

    name: str
    doc: str
    kind: str
    columns: Tuple[Column, ...]
    options: Tuple[Option, ...]


tables: Mapping[str, Table] = {
    name: Table(name, doc, kind, tuple(Column(*column) for column in columns), tuple(Option(*option) for option in options))
    for name, doc, kind, columns, options in _quipu.relations()
}


def _error(status: str, message: str, **finding: Any) -> Error:
    error = Error(message)
    error.status = status
    error.finding = {"path": None, "byte": None, "line": None, "record": None, "field": "", "message": message, "advice": "", **finding}
    return error


def _no_such(what: str, name: str, names: Iterable[str]) -> Error:
    near = difflib.get_close_matches(name, list(names), n=3)
    return _error("NOT_FOUND", f'there is no {what} "{name}"' + (f"; did you mean {' or '.join(near)}?" if near else ""))


# ---- Results ----

SHOWN_ROWS = 20

# Batches that polars takes at a time: so few that what it has translated lies in a cache when it is filled again.
PORTION_BATCHES = 4


class _Stream:
    """A stream that is started, with what it has to say about the trace at its end."""

    def __init__(self, started: Tuple[Any, Any]):
        self.capsule, self.source = started

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.capsule

    def lend(self, take: Callable[["_Stream"], Any]) -> Any:
        """What a library makes of all rows. It does not look for interrupts, so the stream does; and it words errors in its own way, so they are ours."""
        _quipu.lend(self.source)
        try:
            taken = take(self)
        except Exception:
            _quipu.explain(self.source)
            raise
        self.warn()
        return taken

    def warn(self) -> None:
        """To be called when all rows have been read."""
        damage = _quipu.damage(self.source)
        if damage:
            warnings.warn(damage, Damage, stacklevel=4)


class Result:
    """Rows of a table, which are read each time that they are asked for."""

    def __init__(self, name: str, begin: Callable[[], Tuple[Any, Any]]):
        self._name = name
        self._begin = begin

    def __repr__(self) -> str:
        return f"<quipu.Result: {self._name}>"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a stream of Arrow's, which reads the trace as its consumer goes on; of the types that the table has."""
        return self._begin()[0]

    @property
    def schema(self) -> List[Column]:
        """Name, type, unit and documentation of each column."""
        return [Column(*column) for column in _quipu.columns(self._begin()[0])]

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return [column.name for column in self.schema]

    def _batches(self, stream: _Stream) -> Iterator[List[List[Any]]]:
        batch = _quipu.next(stream.capsule)
        while batch is not None:
            yield batch
            batch = _quipu.next(stream.capsule)
        stream.warn()

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        """The rows as dictionaries; None where nothing is known."""
        stream = _Stream(self._begin())
        names = [column[0] for column in _quipu.columns(stream.capsule)]
        for batch in self._batches(stream):
            for row in zip(*batch):
                yield dict(zip(names, row))

    def to_dict(self) -> Dict[str, List[Any]]:
        """All rows as {column: values}."""
        stream = _Stream(self._begin())
        schema = _quipu.columns(stream.capsule)
        values: List[List[Any]] = [[] for _ in schema]
        for batch in self._batches(stream):
            for column, more in zip(values, batch):
                column.extend(more)
        return {column[0]: column_values for column, column_values in zip(schema, values)}

    def to_pandas(self) -> Any:
        """All rows as a DataFrame of pandas. Whole numbers are of the types Int64 and UInt64, which have a place for what is not known."""
        import pandas

        types = {"i64": "Int64", "u64": "UInt64", "f64": "float64", "category": "category", "text": "object"}
        stream = _Stream(self._begin())
        schema = _quipu.columns(stream.capsule)
        try:
            import pyarrow
        except ImportError:
            batches = list(self._batches(stream))
            columns = [[value for batch in batches for value in batch[at]] for at in range(len(schema))]
            series = [pandas.Series(values, dtype=types[column[1]], name=column[0]) for column, values in zip(schema, columns)]
            return pandas.concat(series, axis=1)
        mapped = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.uint64(): pandas.UInt64Dtype()}
        return stream.lend(lambda borrowed: pyarrow.RecordBatchReader.from_stream(borrowed).read_all().to_pandas(types_mapper=mapped.get))

    def to_polars(self) -> Any:
        """All rows as a DataFrame of polars."""
        import polars

        nulls: Dict[Tuple[str, Tuple[int, ...]], Any] = {}  # columns without values, in as many chunks as others have

        def column(name: str, values: Any, lengths: Tuple[int, ...], is_null: bool) -> Any:
            made = nulls.get((name, lengths)) if is_null else None
            if made is None:
                made = polars.Series(name, _Stream((values, None)))
            if is_null and len(made) == 0:
                made = nulls[name, lengths] = polars.concat([made.clear(length) for length in lengths], rechunk=False)
            return made

        def take(stream: _Stream) -> Any:
            if not hasattr(polars, "Categories"):  # before 1.31, where categories of two frames were not the same
                return polars.DataFrame(stream)
            frames = []
            while (portion := _quipu.portion(stream.capsule, PORTION_BATCHES)) is not None:
                lengths, columns = tuple(portion[0]), portion[1]
                frames.append(polars.DataFrame([column(name, values, lengths, is_null) for name, values, is_null in columns]))
            return polars.concat(frames, rechunk=False) if frames else polars.DataFrame(stream)

        return _Stream(self._begin()).lend(take)

    def _repr_html_(self) -> str:
        """The first rows, for notebooks. Names come from the trace, so all is escaped."""
        stream = _Stream(self._begin())
        schema = [Column(*column) for column in _quipu.columns(stream.capsule)]
        rows: List[Tuple[Any, ...]] = []
        for batch in self._batches(stream):
            rows.extend(zip(*batch))
            if len(rows) > SHOWN_ROWS:
                break
        return _table_as_html(self._name, schema, rows)


def _table_as_html(name: str, schema: Sequence[Column], rows: Sequence[Sequence[Any]]) -> str:
    def cell(tag: str, value: Any, title: str = "") -> str:
        attribute = f' title="{html.escape(title)}"' if title else ""
        return f"<{tag}{attribute}>{'' if value is None else html.escape(str(value))}</{tag}>"

    # Columns in which nothing is known would only take room.
    shown = [at for at, _ in enumerate(schema) if not rows or any(row[at] is not None for row in rows[:SHOWN_ROWS])]
    head = "".join(cell("th", schema[at].name, " ".join(filter(None, (schema[at].doc, schema[at].unit and f"({schema[at].unit})")))) for at in shown)
    body = "".join("<tr>" + "".join(cell("td", row[at]) for at in shown) + "</tr>" for row in rows[:SHOWN_ROWS])
    count = f"the first {SHOWN_ROWS} rows" if len(rows) > SHOWN_ROWS else f"{len(rows)} rows"
    hidden = len(schema) - len(shown)
    more = f"; {hidden} columns without values are not shown" if hidden else ""
    return f"<table><caption>{html.escape(name)}: {count}{more}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Check:
    """Whether a trace follows the rules of its format, and where it does not."""

    def __init__(self, answer: Mapping[str, Any]):
        self.verdict: str = answer["verdict"]
        """ "ok", "warn" or "reject"."""
        self.records: int = answer["records"]
        self.findings: List[Dict[str, Any]] = answer["findings"]
        """Each with rule, severity, file, byte, record, what was found and what was expected; at most 100 of a rule."""
        self.totals: List[Dict[str, Any]] = answer["totals"]
        """How many findings each rule has, with its advice."""

    def __bool__(self) -> bool:
        return self.verdict != "reject"

    def __repr__(self) -> str:
        return f"<quipu.Check: {self.verdict}, {self.records} records, {sum(total['count'] for total in self.totals)} findings>"

    def _repr_html_(self) -> str:
        schema = [Column(name, "text", "", "") for name in (self.findings[0] if self.findings else {"rule": ""})]
        rows = [tuple(finding.values()) for finding in self.findings]
        return _table_as_html(f"{self.verdict}, {self.records} records", schema, rows)


class Figure(NamedTuple):
    """A figure of a report. A notebook shows it."""

    name: str
    title: str
    command: str
    """Prints the table."""
    csv: str
    """The table."""
    svg: str
    """Empty where the table itself is the figure."""

    def _repr_html_(self) -> str:
        if self.svg:
            return self.svg[self.svg.index("<svg"):]
        rows = list(csv.reader(self.csv.splitlines()))
        return _table_as_html(self.title, [Column(name, "text", "", "") for name in rows[0]], rows[1:])


# ---- Selections ----

_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}


def _ns(time: Optional[Time]) -> Optional[int]:
    """A time as nanoseconds: a number of them, a text such as "1.5ms", or a timedelta."""
    if time is None or isinstance(time, int):
        return time
    if isinstance(time, datetime.timedelta):
        return (time.days * 86400 + time.seconds) * 10**9 + time.microseconds * 1000
    match = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?\s*([a-z]+)", time) if isinstance(time, str) else None
    if not match or match[4] not in _UNITS:
        raise ValueError(f'a time is a number of nanoseconds or a text such as "1.5ms", not {time!r}')
    fraction = match[3] or ""
    ns: int = int(match[2] + fraction) * _UNITS[match[4]] // 10 ** len(fraction)
    return -ns if match[1] else ns


def _listed(given: Names) -> List[Union[int, str]]:
    return [given] if isinstance(given, (int, str)) else list(given)


# ---- Traces ----


class Trace(_pipit.Names):
    """A trace, or several. `quipu.open` makes it. Any number of threads may use it at the same time."""

    def __init__(
        self, path: Path, *more: Path, format: Optional[str] = None, variant: Optional[str] = None, memory: int = 0, threads: Optional[int] = None,
        index: Optional[str] = None, allow_outside: bool = False,
    ):
        options = (format, variant, memory, ALL_THREADS if threads is None else threads, index, allow_outside)
        self.paths: List[str] = [os.fsdecode(each) for each in (path, *more)]
        if "-" in self.paths:
            raise ValueError("standard input cannot be read again and again; name a file")
        self._traces = tuple((os.fsencode(each), *options) for each in self.paths)
        self.format: str = [_quipu.open(each) for each in self._traces][0]
        """The name of the format."""
        self._options: Dict[str, Any] = {"format": format, "variant": variant, "memory": memory, "threads": threads, "index": index, "allow_outside": allow_outside}
        self._numbers: Dict[str, Dict[str, List[int]]] = {}
        self._lock = threading.Lock()
        self.exit_code: Optional[int] = None
        """That of the program which was recorded."""

    if TYPE_CHECKING:  # each table is a method of its name

        def __getattr__(self, name: str) -> Callable[..., Result]: ...

    def __repr__(self) -> str:
        return f"<quipu.Trace: {', '.join(self.paths)} ({self.format})>"

    @property
    def info(self) -> Dict[str, Any]:
        """What the trace is, found by reading it once: format, times, numbers of events by kind, messages, definitions."""
        return dict(json.loads(_quipu.info(self._traces[0])))

    @property
    def definitions(self) -> Dict[str, Result]:
        """What numbers in events refer to, by class: locations, regions, communicators and others."""
        return {name: self.table(name) for name, table in tables.items() if table.kind == "definitions"}

    # ---- Tables ----

    def _numbers_of(self, what: str, given: Optional[Names]) -> Optional[Tuple[int, ...]]:
        """Numbers of definitions, ascending: of all that have a name, or as given."""
        if given is None:
            return None
        with self._lock:
            if what not in self._numbers and any(isinstance(each, str) for each in _listed(given)):
                known = self.table(what, columns=["number", "name"]).to_dict()
                names: Dict[str, List[int]] = {}
                for number, name in zip(known["number"], known["name"]):
                    names.setdefault(name, []).append(number)
                self._numbers[what] = names
        numbers = set()
        for each in _listed(given):
            if isinstance(each, str) and each not in self._numbers[what]:
                raise _no_such(what.rstrip("s"), each, self._numbers[what])
            numbers.update(self._numbers[what][each] if isinstance(each, str) else [each])
        return tuple(sorted(numbers))

    def _selection(
        self, since: Optional[Time] = None, until: Optional[Time] = None, where: Optional[str] = None, location: Optional[Names] = None,
        region: Optional[Names] = None,
    ) -> Tuple[Any, ...]:
        return (_ns(since), _ns(until), where, self._numbers_of("locations", location), self._numbers_of("regions", region))

    def _setting(self, option: Option, value: Any) -> Tuple[str, str]:
        if option.kind == "flag":
            value = "yes" if value else "no"
        elif option.kind == "time" and value != "end":
            value = _ns(value)
        elif option.kind == "locations":
            value = ",".join(map(str, self._numbers_of("locations", value) or ()))
        return option.name, str(value)

    def table(self, name: str, *, columns: Optional[Union[str, Sequence[str]]] = None, **options: Any) -> Result:
        """The rows of a table of `quipu.tables`.

        columns: the name, or names, of those to read; fewer are faster. since, until: times in nanoseconds, or texts such as "1.5ms". location, region: names or
        numbers. where: an expression, such as "bytes > 1M && rank in 0-7". All else are options of the analysis: table("profile", by="region").
        """
        table = tables.get(name)
        if not table:
            raise _no_such("table", name, tables)
        known = {option.name: option for option in table.options}
        settings, selection = [], {}
        for key, value in options.items():
            option = known.get(key.replace("_", "-"))
            if value is None:
                continue
            if option:
                settings.append(self._setting(option, value))
            elif key in ("since", "until", "where", "location", "region"):
                selection[key] = value
            else:
                raise TypeError(f"{name} has no option {key!r}" + (f"; it has {', '.join(known)}" if known else ""))
        request = (self._traces[0], name, self._selection(**selection), tuple(settings), None if columns is None else tuple(_listed(columns)))
        return Result(f"{name} of {self.paths[0]}", lambda: _quipu.relation(*request))

    def events(
        self, where: Optional[str] = None, *, since: Optional[Time] = None, until: Optional[Time] = None, location: Optional[Names] = None,
        region: Optional[Names] = None, columns: Optional[Union[str, Sequence[str]]] = None,
    ) -> Result:
        """All events, with what each kind has, or those that an expression, a window of time, locations or calls of regions select."""
        return self.table("events", where=where, since=since, until=until, location=location, region=region, columns=columns)

    def sql(self, query: str) -> Result:
        """The answer to a query in SQLite's language. Each table of `quipu.tables` is one of SQL; those of several traces are in the schemas a, b, c
        and so on. Columns get the types of their values; the rows are kept in memory while they are read."""
        return Result(query if len(query) < 80 else query[:77] + "...", lambda: _quipu.sql(self._traces, query))

    def compare(
        self, other: Union["Trace", Path, None] = None, table: str = "differences", *, levels: Optional[str] = None, threshold: Optional[float] = None
    ) -> Result:
        """What differs in another trace: where the time goes, waiting, communication, phases. other: the second trace that was opened, unless given.
        table: "differences", or one of levels ("profile,waits"), with everything that was compared. threshold: per cent that a time must differ by."""
        if other is None and len(self._traces) < 2:
            raise TypeError("compare needs another trace: compare(other), or quipu.open(path, other)")
        second = self._traces[1] if other is None else (other if isinstance(other, Trace) else Trace(other, **self._options))._traces[0]
        name = f"{table} between {self.paths[0]} and {os.fsdecode(second[0])}"
        given = None if threshold is None else str(threshold)
        return Result(name, lambda: _quipu.compare(self._traces[0], second, table, levels, given))

    # ---- Whole traces ----

    def check(self, rules: Optional[str] = None) -> Check:
        """Checks the trace against the rules of its format; rules: an additional set, where the format has one."""
        return Check(json.loads(_quipu.check(self._traces[0], rules)))

    def figures(self, *pages: str) -> Dict[str, Figure]:
        """The figures of `quipu report` by name, of all its pages or of some, such as "waits". In a notebook: trace.figures("time")["regions"]."""
        texts = iter(_quipu.figures(self._traces[0], ",".join(pages) or None).split("\0")[:-1])
        return {name: Figure(name, *rest) for name, *rest in zip(*[texts] * len(Figure._fields))}

    def convert(
        self, path: Path, to: Optional[str] = None, *, since: Optional[Time] = None, until: Optional[Time] = None, where: Optional[str] = None,
        location: Optional[Names] = None, region: Optional[Names] = None, replace: bool = False, fail_on_loss: bool = False, compression: int = 0,
        streams: int = 0, variant: Optional[str] = None, with_: Optional[str] = None, **settings: Any,
    ) -> Dict[str, Any]:
        """Writes the trace, or what is selected of it, and returns the report of what the target could not hold. The format is `to`, or else that of
        path's suffix, or else the trace's own. settings: options of the format's writer. with_: what timelines show besides, "waits,critical-path".
        """
        selection = self._selection(since, until, where, location, region)
        words = {True: "yes", False: "no"}
        given = tuple((name.replace("_", "-"), words[value] if isinstance(value, bool) else str(value)) for name, value in settings.items())
        is_selected = any(part is not None for part in selection)
        return dict(json.loads(_quipu.convert(self._traces[0], self.format, os.fsencode(path), to, selection, is_selected, given, variant, compression,
                                              streams, replace, fail_on_loss, with_)))


def _add_tables() -> None:
    """Each table is a method of its name, documented by what the library says of it: trace.waits(), trace.messages(since="1s")."""

    def method_of(table: Table) -> Callable[..., Result]:
        def method(self: Trace, **options: Any) -> Result:
            return self.table(table.name, **options)

        method.__name__ = table.name
        method.__qualname__ = f"Trace.{table.name}"
        lines = [table.doc[:1].upper() + table.doc[1:] + ".", "", "Columns:"]
        lines += [f"    {column.name}{f' ({column.unit})' if column.unit else ''}: {column.doc}" for column in table.columns]
        if table.options:
            lines += ["", "Options:"] + [f"    {option.name.replace('-', '_')}: {option.doc}" for option in table.options]
        method.__doc__ = "\n".join(lines)
        return method

    for table in tables.values():
        if not hasattr(Trace, table.name):
            setattr(Trace, table.name, method_of(table))


_add_tables()


def open(path: Path, *more: Path, **options: Any) -> Trace:
    """Opens a trace of any format, and more that `sql` and `compare` use with it.

    format, variant: of the trace, where they are not recognised. memory: bytes that reading may take. threads: for analyses, and to make rows ahead
    of who takes them; all processors unless given. index: file of the index, "" for none. allow_outside: also read files outside of the trace's
    folder that it refers to. A trace that is damaged is read as far as it is intact, with a warning of the class Damage.
    """
    return Trace(path, *more, **options)


def record(
    command: Sequence[str], output: Path, *, io: bool = False, mpi: bool = False, callsites: bool = False, papi: Optional[str] = None,
    to: Optional[str] = None, replace: bool = False,
) -> Trace:
    """Runs a program, records what it does with MPI (io: with files), and opens the trace. The command `quipu`, which records, must be installed: it has
    recorders for the MPI of this machine, which a wheel cannot have. The attribute `exit_code` of the trace is the program's."""
    program = shutil.which("quipu")
    if not program:
        raise _error("NOT_FOUND", "the command quipu, which records, is not installed", advice="install Quipu of this version, and put quipu into PATH")
    found = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    if __version__ not in found.split():
        raise _error("UNSUPPORTED", f"{program} is not of version {__version__}: {found.strip()}", path=program)
    flags = [name for name, is_set in (("--io", io), ("--mpi", mpi), ("--callsites", callsites), ("--force", replace)) if is_set]
    flags += [text for name, value in (("--papi", papi), ("--to", to)) if value for text in (name, value)]
    done = subprocess.run([program, "record", "--progress", "never", *flags, "-o", os.fsdecode(output), "--", *command], check=False)
    try:
        trace = Trace(output)
    except Error as error:
        path = os.fsdecode(output)
        raise _error(error.status, f"{path}: there is no trace of the program; quipu record, which ended with {done.returncode}, has said why on "
                     "standard error", path=path) from error
    trace.exit_code = done.returncode
    return trace

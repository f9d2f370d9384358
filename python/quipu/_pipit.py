"""Functions of Pipit by their names, with its columns, so that a notebook which uses them changes one import. They return what Pipit returns: frames of
pandas, arrays of numpy. A process is a number: its rank; without one the number of its location, counted on behind the ranks where others have them. Times are nanoseconds.

Of Pipit's own, `trace.events` is a table to edit; here `trace.events(...)` selects, and `to_pandas()` of that is the table."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

METRICS = {"time.exc": "exclusive_ns", "time.inc": "inclusive_ns"}


class Names:
    """What Trace has of Pipit."""

    @classmethod
    def from_otf2(cls: Any, path: str, *arguments: Any, **options: Any) -> Any:
        """Opens a trace, of any format."""
        return cls(path)

    def _processes(self: Any) -> Dict[int, int]:
        """The process of each location: the rank of the nearest location around it that has one, or else the nearest process."""
        table = self.table("locations", columns=["number", "parent", "rank", "kind"]).to_dict()
        ranks = dict(zip(table["number"], table["rank"]))
        parents = dict(zip(table["number"], table["parent"]))
        kinds = dict(zip(table["number"], table["kind"]))
        behind = max((rank + 1 for rank in ranks.values() if rank is not None), default=0)

        def process_of(number: int) -> int:
            around = [number]
            while parents[around[-1]] is not None and parents[around[-1]] not in around:
                around.append(parents[around[-1]])
            known = [ranks[at] for at in around if ranks[at] is not None]
            return known[0] if known else behind + next((at for at in around if kinds[at] == "process"), number)

        return {number: process_of(number) for number in ranks}

    def _processes_in(self: Any, table: Dict[str, List[Any]]) -> List[Optional[int]]:
        """The process of each row of a table that names locations. Names may repeat, so the format's own numbers tell locations apart."""
        known = self.table("locations", columns=["number", "native_id", "name"]).to_dict()
        processes = self._processes()
        named = {(name, native): processes[number] for number, native, name in zip(known["number"], known["native_id"], known["name"])}
        return [named.get(location) for location in zip(table["location"], table["location_id"])]

    def _profile(self: Any, metrics: Sequence[str]) -> Any:
        """Sums of metrics with the columns Name and Process."""
        import pandas

        table = self.table("profile", columns=["location", "location_id", "region", *(METRICS[metric] for metric in metrics)]).to_dict()
        frame = pandas.DataFrame({"Name": table["region"], "Process": self._processes_in(table)})
        for metric in metrics:
            frame[metric] = pandas.Series(table[METRICS[metric]], dtype="float64")
        return frame.dropna(subset=["Name", "Process"]).groupby(["Name", "Process"])[list(metrics)].sum()

    def flat_profile(self: Any, metrics: Union[str, List[str]] = "time.exc", groupby_column: str = "Name", per_process: bool = False) -> Any:
        """The time in each function: sums of each process (per_process), or means of them over the processes that call it."""
        if groupby_column != "Name":
            raise ValueError('groupby_column is "Name"; other groups are columns of table("profile")')
        frame = self._profile([metrics] if isinstance(metrics, str) else metrics)
        return frame if per_process else frame.groupby("Name").mean()

    def load_imbalance(self: Any, metric: str = "time.exc", num_processes: int = 1) -> Any:
        """For each function the largest time of a process divided by the mean, the processes with the largest ones, and the mean."""
        import pandas

        rows = {}
        for name, group in self._profile([metric])[metric].groupby(level="Name"):
            sorted_group = group.droplevel("Name").sort_values(ascending=False)
            mean = sorted_group.mean()
            rows[name] = (sorted_group.iloc[0] / mean if mean else float("nan"), list(sorted_group.index[:num_processes]), mean)
        columns = [f"{metric}.imbalance", "Top processes", f"{metric}.mean"]
        return pandas.DataFrame.from_dict(rows, orient="index", columns=columns).sort_values(columns[2], ascending=False)

    def idle_time(self: Any, idle_functions: Sequence[str] = ("Idle",), mpi_events: bool = False) -> Any:
        """The time of each process in functions that wait; mpi_events: MPI_Wait, MPI_Waitall and MPI_Recv too."""
        names = [*idle_functions, *(("MPI_Wait", "MPI_Waitall", "MPI_Recv") if mpi_events else ())]
        frame = self._profile(["time.inc"]).reset_index()
        return frame[frame["Name"].isin(names)].groupby("Process")["time.inc"].sum().reset_index()

    def time_profile(self: Any, num_bins: int = 50, normalized: bool = False) -> Any:
        """The time in each function, without what it calls, in equal bins of time; normalized: as a part of the bin's length."""
        import numpy
        import pandas

        times = self.info["time"]
        edges = numpy.linspace(times["first_ns"], times["last_ns"], num_bins + 1)
        calls = self.table("calls", columns=["begin_ns", "duration_ns", "region", "parent"]).to_dict()
        begins, lengths = numpy.array(calls["begin_ns"], dtype=float), numpy.array(calls["duration_ns"], dtype=float)
        regions, parents = pandas.Series(calls["region"], dtype="object"), pandas.Series(calls["parent"], dtype="object")

        def in_bins(chosen: Any) -> Any:
            until = [numpy.clip(edge - begins[chosen], 0, lengths[chosen]).sum() for edge in edges]
            return numpy.diff(until)

        spent = {name: in_bins((regions == name).to_numpy()) - in_bins((parents == name).to_numpy()) for name in regions.dropna().unique()}
        frame = pandas.DataFrame({"bin_start": edges[:-1], "bin_end": edges[1:]})
        for name, values in spent.items():
            frame[name] = values / (edges[1] - edges[0]) if normalized else values
        return frame

    def _exchanges(self: Any) -> List[Tuple[int, int, int, int]]:
        """Sender, receiver, messages, bytes."""
        query = "SELECT sender_number, receiver_number, count(*) AS messages, coalesce(sum(bytes), 0) AS bytes FROM messages GROUP BY 1, 2"
        processes = self._processes()
        return [(processes[row["sender_number"]], processes[row["receiver_number"]], row["messages"], row["bytes"]) for row in self.sql(query)]

    def comm_matrix(self: Any, output: str = "size") -> Any:
        """Bytes, or with output "count" messages, from each process (row) to each (column), as an array of numpy."""
        import numpy

        exchanges = self._exchanges()
        count = 1 + max([*self._ranks(), *(exchange[0] for exchange in exchanges), *(exchange[1] for exchange in exchanges)], default=-1)
        matrix = numpy.zeros((count, count))
        for sender, receiver, messages, size in exchanges:
            matrix[sender][receiver] += size if output == "size" else messages
        return matrix

    def _ranks(self: Any) -> List[int]:
        return [rank for rank in self.table("locations", columns=["rank"]).to_dict()["rank"] if rank is not None]

    def comm_by_process(self: Any, output: str = "size") -> Any:
        """Bytes or messages that each process sent and received."""
        import pandas

        matrix = self.comm_matrix(output)
        return pandas.DataFrame({"Sent": matrix.sum(axis=1), "Received": matrix.sum(axis=0)}).rename_axis("Process")

    def message_histogram(self: Any, bins: int = 20, **options: Any) -> Any:
        """How many messages have which size: counts and edges, as numpy.histogram has them."""
        import numpy

        sizes = self.events("kind == send", columns=["bytes"]).to_dict()["bytes"]
        return numpy.histogram([size for size in sizes if size is not None], bins=bins, **options)

    def comm_over_time(self: Any, output: str = "size", message_type: str = "send", bins: int = 50, **options: Any) -> Any:
        """Bytes or messages that are sent (message_type "send") or received in equal bins of time: amounts and edges."""
        import numpy

        kind = "send" if message_type == "send" else "recv"
        events = self.events(f"kind == {kind}", columns=["time_ns", "bytes"]).to_dict()
        weights = [size or 0 for size in events["bytes"]] if output == "size" else None
        times = self.info["time"]
        return numpy.histogram(events["time_ns"], bins=bins, weights=weights, range=(times["first_ns"], times["last_ns"]), **options)

    def critical_path_analysis(self: Any) -> List[Any]:
        """What the run time consists of: a list with one frame, a row for each part of the path in the order of time."""
        import pandas

        table = self.table("critical_path_segments", columns=["from_ns", "duration_ns", "location", "location_id", "region"]).to_dict()
        return [pandas.DataFrame({"Timestamp (ns)": table["from_ns"], "Duration (ns)": table["duration_ns"], "Name": table["region"],
                                  "Process": self._processes_in(table)})]

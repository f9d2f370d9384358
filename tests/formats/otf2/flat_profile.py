"""What a reader that stands on python3-otf2 makes of a trace, step by step as Pipit's does: all definitions with what they refer to, then all
events in time order with all of their fields, and calls as pairs of enter and leave. Prints JSON: how many definitions and events of each type,
and the flat profile: calls and exclusive ticks by region.

    flat_profile.py ANCHOR"""
import collections
import json
import sys

import otf2

CLASSES = ("attributes", "strings", "system_tree_nodes", "location_groups", "locations", "regions", "groups", "comms", "metric_members",
           "metrics", "rma_windows", "parameters", "io_files", "io_handles", "calling_contexts")


def fields_of(definition):
    """Values of all properties; asking for one resolves what it refers to."""
    names = [name for name in dir(type(definition)) if not name.startswith("_") and isinstance(getattr(type(definition), name, None), property)]
    return {name: getattr(definition, name) for name in names}


def read(anchor):
    definitions, events, calls = collections.Counter(), collections.Counter(), collections.Counter()
    exclusive = collections.Counter()
    active = collections.defaultdict(list)  # by location: region, when it was entered, time in calls within it
    with otf2.reader.open(anchor) as trace:
        for name in CLASSES:
            for definition in getattr(trace.definitions, name, ()):
                fields_of(definition)
                definitions[name] += 1
        for location, event in trace.events:
            events[type(event).__name__] += 1
            vars(event)
            if isinstance(event, otf2.events.Enter):
                active[location].append([event.region.name, event.time, 0])
            elif isinstance(event, otf2.events.Leave) and active[location]:
                region, entered, within = active[location].pop()
                assert region == event.region.name
                calls[region] += 1
                exclusive[region] += event.time - entered - within
                if active[location]:
                    active[location][-1][2] += event.time - entered
        resolution = trace.timer_resolution
    return {"definitions": definitions, "events": events, "ticks_per_second": resolution,
            "profile": {region: [calls[region], exclusive[region]] for region in calls}}


if __name__ == "__main__":
    print(json.dumps(read(sys.argv[1])))

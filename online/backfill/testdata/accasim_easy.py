"""Plays SWF files under the EASY backfill of AccaSim, and prints when each job starts: set, job, start.

Usage: accasim_easy.py PROCESSORS (shipped|repaired) FILE...

From 1.1 on its scheduler hands an empty list on in place of the nodes that it has reserved, so that what
is backfilled may take them: "shipped" is that. "repaired" hands on those of the scheduler, as 1.0 does.
"""
import collections
import collections.abc
import json
import os
import sys
import tempfile

# AccaSim is of the time of Python 3.6: these have moved since.
for name in ("Mapping", "MutableMapping", "Sequence", "Iterable"):
    setattr(collections, name, getattr(collections.abc, name))

from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import EASYBackfilling
from accasim.base.simulator_class import Simulator


class Repaired(FirstFit):
    def _compute_reservation_overlaps(self, job, now, reserved_time, reserved_nodes):
        if reserved_nodes == []:
            reserved_nodes = self.scheduler._reserved_slot[1]
        return FirstFit._compute_reservation_overlaps(self, job, now, reserved_time, reserved_nodes)


def starts(workload, machine, mode, folder):
    allocator = FirstFit() if mode == "shipped" else Repaired()
    allocator.scheduler = EASYBackfilling(allocator)
    simulator = Simulator(workload, machine, allocator.scheduler, show_statistics=False, statistics_output=False,
                          scheduling_output=False, RESULTS_FOLDER_PATH=folder)
    found, dispatch = {}, simulator.mapper.dispatch_events

    def noting(events, decided, *rest):
        found.update({job: at for at, job, nodes in decided if nodes})
        return dispatch(events, decided, *rest)

    simulator.mapper.dispatch_events = noting
    simulator.start_simulation()
    return found


def main():
    processors, mode, files = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    out, sys.stdout = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as folder:
        machine = os.path.join(folder, "machine.json")
        with open(machine, "w") as f:
            json.dump({"groups": {"g": {"core": 1}}, "resources": {"g": processors}, "nodes": {"g": processors},
                       "equivalence": {"processor": {"core": 1}}, "start_time": 0, "system_name": "machine"}, f)
        for number, file in enumerate(files):
            for job, at in starts(os.path.abspath(file), machine, mode, folder).items():
                print(number, job, at, file=out)


main()

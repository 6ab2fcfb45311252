"""Plays sets of tasks under non-preemptive global schedulers in SimSo, and prints when each job ends: set, task,
number of the job from 1, end.

Usage: simso_nonpreemptive.py < sets, a line each: "set PROCESSORS HORIZON KEY", with KEY one of fifo, edf, llf
and dm (deadline monotonic: fixed priorities), or "task WCET DEADLINE RELEASE PERIOD", a periodic task of the set
above it; its deadline is relative. Of jobs with equal keys the one released first goes first, then that of the task named
first.
"""
import sys
import types

try:  # SimSo is of a time when Python had this module, and asks it for a scheduler in a file of its own alone.
    import imp  # noqa: F401
except ImportError:
    sys.modules["imp"] = types.ModuleType("imp")

from simso.configuration import Configuration
from simso.core import Model, Scheduler, Timer

KEYS = {
    "fifo": lambda job: 0,
    "edf": lambda job: job.activation_date + job.deadline,
    "llf": lambda job: job.activation_date + job.deadline - job.wcet,
    "dm": lambda job: job.deadline,
}
# A decision comes one cycle after what calls for it, so that all of the same time is known to it. As many of these as
# there are jobs one behind the other are less than one of our ticks.
CYCLES = 10**6


class NonPreemptive(Scheduler):
    key = None

    def init(self):
        self.waiting = []

    def decide(self):
        Timer(self.sim, self.processors[0].resched, (), 1, in_ms=False).start()

    def on_activate(self, job):
        self.waiting.append(job)
        self.decide()

    def on_terminated(self, job):
        self.decide()

    def schedule(self, cpu):
        self.waiting.sort(key=lambda job: (self.key(job), job.activation_date, job.task.identifier))
        idle = [p for p in self.processors if not p.is_running()]
        decisions = list(zip(self.waiting, idle))
        del self.waiting[: len(decisions)]
        return decisions


def play(number, processors, horizon, key, tasks):
    configuration = Configuration()
    configuration.cycles_per_ms = CYCLES
    configuration.duration = horizon * CYCLES
    configuration.scheduler_info.clas = type("Keyed", (NonPreemptive,), {"key": staticmethod(KEYS[key])})
    for p in range(processors):
        configuration.add_processor("p%d" % p, p)
    for i, (wcet, deadline, release, period) in enumerate(tasks):
        configuration.add_task("t%d" % i, i, wcet=wcet, deadline=deadline, activation_date=release, period=period,
                               abort_on_miss=False)
    configuration.check_all()
    model = Model(configuration)
    model.run_model()
    for task in model.task_list:
        for i, job in enumerate(task.jobs):
            if job.end_date is not None:
                print(number, task.identifier, i + 1, job.end_date // CYCLES)


def main():
    sets = []
    for line in sys.stdin:
        kind, *fields = line.split()
        if kind == "set":
            sets.append((int(fields[0]), int(fields[1]), fields[2], []))
        else:
            sets[-1][3].append(tuple(map(int, fields)))
    for number, (processors, horizon, key, tasks) in enumerate(sets):
        play(number, processors, horizon, key, tasks)


main()

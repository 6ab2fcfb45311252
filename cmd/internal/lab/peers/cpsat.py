"""One job set for OR-tools' CP-SAT: C0 to C12, objectives in lexicographic order.

Reads a problem as JSON from standard input, writes a JSON object a line: a plan
(slave, beat, fetch and start of every task) whenever one is found, and at the
end the status, the bounds and the seconds spent in the solver.
"""

import json
import math
import sys
import time

from ortools.sat.python import cp_model


class Model:
    """The variables and constraints of a problem p."""

    def __init__(self, p):
        self.p = p
        self.m = cp_model.CpModel()
        horizon = p["horizon"]
        tasks, slaves = range(len(p["tasks"])), range(len(p["slaves"]))
        times = lambda name: [self.m.new_int_var(0, horizon, f"{name}{t}") for t in tasks]
        self.assigned, self.fetch = times("assigned"), times("fetch")
        self.start, self.finish, self.hold = times("start"), times("finish"), times("hold")
        self.beat = [self.m.new_int_var(0, horizon // p["heartbeat"], f"beat{t}") for t in tasks]
        # C0: one of the slaves that the task is eligible for.
        self.on = [
            {s: self.m.new_bool_var(f"on{t}_{s}") for s in slaves if p["tasks"][t]["wcet"][s] > 0}
            for t in tasks
        ]
        for t in tasks:
            self.timing(t)
        for s in slaves:
            self.capacity(s)
        self.stages()
        self.together()
        if p["fifo"]:
            for s in slaves:
                self.first_in_first_out(s)
        self.objectives()

    def timing(self, t):
        """C1 to C3."""
        m, task = self.m, self.p["tasks"][t]
        m.add_exactly_one(self.on[t].values())
        m.add(self.hold[t] == self.finish[t] - self.assigned[t])
        m.add(self.fetch[t] >= self.assigned[t])
        m.add(self.assigned[t] >= self.p["jobs"][task["job"]]["release"])
        for s, on in self.on[t].items():
            first = self.p["slaves"][s]["first_beat"]
            m.add(self.assigned[t] == first + self.p["heartbeat"] * self.beat[t]).only_enforce_if(on)
            m.add(self.finish[t] == self.start[t] + task["wcet"][s]).only_enforce_if(on)
            m.add(self.start[t] >= self.fetch[t] + task["transfer"][s]).only_enforce_if(on)

    def capacity(self, s):
        """C4 to C6, C9 and absences."""
        m, slave, all_tasks = self.m, self.p["slaves"][s], self.p["tasks"]
        here = [t for t in range(len(all_tasks)) if s in self.on[t]]
        runs = [
            m.new_optional_fixed_size_interval_var(self.start[t], all_tasks[t]["wcet"][s], self.on[t][s], f"run{t}_{s}")
            for t in here
        ]
        holds = [
            m.new_optional_interval_var(
                self.assigned[t], self.hold[t], self.finish[t], self.on[t][s], f"hold{t}_{s}")
            for t in here
        ]
        away = [m.new_fixed_size_interval_var(a, b - a, f"down{s}_{a}") for a, b in slave["down"]]
        for pool in slave["pools"]:
            needs = [pool["needs"][all_tasks[t]["kind"]] for t in here]
            if pool["runs"]:
                m.add_cumulative(runs, needs, pool["units"])
            else:
                m.add_cumulative(holds + away, needs + [pool["units"]] * len(away), pool["units"])
        if not self.p["concurrent"]:
            m.add_no_overlap([
                m.new_optional_fixed_size_interval_var(
                    self.fetch[t], all_tasks[t]["transfer"][s], self.on[t][s], f"fetch{t}_{s}")
                for t in here
                if all_tasks[t]["transfer"][s] > 0
            ])

    def stages(self):
        """C7, C8 and C10, with the end of each stage and job as a gate."""
        ends, jobs = {}, self.p["jobs"]
        for t, task in enumerate(self.p["tasks"]):
            for key in ((task["job"], task["stage"]), (task["job"],)):
                if key not in ends:
                    ends[key] = self.m.new_int_var(0, self.p["horizon"], f"end{key}")
                self.m.add(ends[key] >= self.finish[t])
        for t, task in enumerate(self.p["tasks"]):
            job = jobs[task["job"]]
            for before in job["stages"][task["stage"]]:
                self.m.add(self.assigned[t] >= ends[task["job"], before])
            for before in job["after"]:
                self.m.add(self.assigned[t] >= ends[before,])
            if job["hard"]:
                self.m.add(self.finish[t] <= job["due"])

    def together(self):
        """C11 and C12: what all slaves share, gangs, and tasks that are apart."""
        m = self.m
        for number, shared in enumerate(self.p["shared"]):
            held = [
                m.new_interval_var(self.assigned[t], self.hold[t], self.finish[t], f"shared{number}_{t}")
                for t, _ in shared["takes"]
            ]
            dips = [m.new_fixed_size_interval_var(a, b - a, f"dip{number}_{a}") for a, b, _ in shared["dips"]]
            needs = [units for _, units in shared["takes"]] + [units for _, _, units in shared["dips"]]
            m.add_cumulative(held + dips, needs, shared["units"])
        for first, last in self.p["gangs"]:
            for t in range(first + 1, last + 1):
                m.add(self.start[t] == self.start[first])
        for first, last in self.p["apart"]:
            for s in range(len(self.p["slaves"])):
                m.add_at_most_one(self.on[t][s] for t in range(first, last + 1) if s in self.on[t])

    def first_in_first_out(self, s):
        here = [t for t in range(len(self.on)) if s in self.on[t]]
        for t in here:
            for u in here:
                if t == u:
                    continue
                earlier = self.m.new_bool_var(f"earlier{t}_{u}_{s}")
                both = [self.on[t][s], self.on[u][s]]
                self.m.add(self.start[t] <= self.start[u]).only_enforce_if(both + [earlier])
                self.m.add(self.beat[t] >= self.beat[u]).only_enforce_if(both + [earlier.negated()])

    def objectives(self):
        m, jobs, horizon = self.m, self.p["jobs"], self.p["horizon"]
        late, missed = {}, {}
        for j, job in enumerate(jobs):
            if job["soft"]:
                late[j] = m.new_int_var(0, horizon, f"late{j}")
                missed[j] = m.new_bool_var(f"missed{j}")
        for t, task in enumerate(self.p["tasks"]):
            j = task["job"]
            if j in late:
                m.add(late[j] >= self.finish[t] - jobs[j]["due"])
        for j in late:
            m.add(late[j] == 0).only_enforce_if(missed[j].negated())
        tardiness = m.new_int_var(0, horizon, "tardiness")
        m.add_max_equality(tardiness, list(late.values()) + [0])
        makespan = m.new_int_var(0, horizon, "makespan")
        m.add_max_equality(makespan, self.finish)
        self.value = {
            "misses": sum(jobs[j]["weight"] * missed[j] for j in missed),
            "tardiness": tardiness,
            "weighted-tardiness": sum(jobs[j]["weight"] * late[j] for j in late),
            "makespan": makespan,
        }

    def variables(self):
        for group in (self.assigned, self.beat, self.fetch, self.start, self.finish, self.hold):
            yield from group
        for on in self.on:
            yield from on.values()


def say(**message):
    print(json.dumps(message), flush=True)


class Printer(cp_model.CpSolverSolutionCallback):
    """Says every plan as it is found."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def on_solution_callback(self):
        x = self.model
        say(plan=[
            [next(s for s, on in x.on[t].items() if self.value(on)),
             self.value(x.beat[t]), self.value(x.fetch[t]), self.value(x.start[t])]
            for t in range(len(x.on))
        ])


def solve(p):
    started = time.monotonic()
    model = Model(p)
    bounds, search, status, found = [], 0.0, cp_model.UNKNOWN, False
    goal = p["objectives"] or [None]
    for objective in goal:
        if objective is not None:
            model.m.minimize(model.value[objective])
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = p["workers"]
        solver.parameters.max_time_in_seconds = max(0.01, p["seconds"] - (time.monotonic() - started))
        status = solver.solve(model.m, Printer(model))
        search += solver.wall_time
        if status == cp_model.MODEL_INVALID:
            sys.exit(model.m.validate())
        found = found or status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        if status == cp_model.INFEASIBLE:
            break
        if objective is not None:
            bounds.append(max(0, math.ceil(solver.best_objective_bound - 1e-6)))
        if status != cp_model.OPTIMAL:
            break
        if objective is not None:
            model.m.add(model.value[objective] <= bounds[-1])
            model.m.clear_hints()
            for v in model.variables():
                model.m.add_hint(v, solver.value(v))
    say(status=answer(p, status, found), bounds=bounds, search=search)


def answer(p, status, found):
    if status == cp_model.OPTIMAL:
        return "optimal" if p["objectives"] else "feasible"
    if found:
        return "feasible"
    return "infeasible" if status == cp_model.INFEASIBLE else "unknown"


solve(json.load(sys.stdin))

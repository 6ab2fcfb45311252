#!/usr/bin/env python3
"""Checks proof files, slowly, as docs/proof.md says it: a second opinion on package
inference, which it was written without looking at.

    check_proof.py SET.json PROOF [SET.json PROOF ...]

prints a line for each proof: "proved" and its claims, or "line N: why" for the first line
that does not follow. The job set is plain JSON, as package secondopinion writes it.
"""

import copy
import gzip
import json
import re
import sys

NEVER = 1 << 60
FARTHEST = 1 << 40  # times are no further from 0
MOST = 1 << 60  # other numbers are no more
DEAREST = 1 << 58  # prices are no more, and what a job pays that can be
LARGEST = (1 << 63) - 1  # sums and products are no more

RUN, FETCH, STAY = range(3)
CORES, LINE, SLOTS, REDUCE_SLOTS, NAMED = range(5)


class Fault(Exception):
    """A line that is not in order, or does not follow."""


def need(condition, why):
    if not condition:
        raise Fault(why)


def capped(value):
    return min(value, LARGEST)


def number(word, least=0, most=MOST):
    need(re.fullmatch(r"0|-?[1-9][0-9]*", word), f"{word!r} is no number")
    value = int(word)
    need(least <= value <= most, f"{value} is not in [{least}, {most}]")
    return value


# The job set.


class Task:
    def __init__(self, number, job, stage, slot, data):
        self.number, self.job, self.stage, self.slot = number, job, stage, slot
        self.run, self.fetch = data["wcet"], data["transfer"]
        self.cores, self.units, self.pools = data["cores"], data["units"], data["pools"]

    def figures(self):
        """What equal tasks have in common."""
        rows = tuple((e, c if e else 0) for e, c in zip(self.run, self.fetch))
        return rows, self.cores, tuple(self.units), tuple(self.pools)


class Limit:
    """What tasks on all slaves have in common: levels over time, less what is taken, and units by task."""

    def __init__(self, levels, taken, units):
        self.levels, self.taken, self.units = levels, taken, units

    def left(self, p):
        level = [n for a, n in self.levels if a <= p][-1]
        return level - sum(n for a, b, n in self.taken if a <= p < b)

    def at(self, p):
        return max(0, self.left(p))

    def last(self):
        return self.levels[-1][1]

    def changes(self):
        """The times from which on it is more or less."""
        points = {a for a, _ in self.levels} | {p for a, b, _ in self.taken for p in (a, b)}
        return [p for p in points if p == 0 or self.left(p) != self.left(p - 1)]


class JobSet:
    """A job set in units of the tick of a proof, without some slaves."""

    def __init__(self, data, tick):
        def time(t):
            if t >= NEVER:
                return t
            need(t % tick == 0, f"a time of the job set is no multiple of {tick}")
            return t // tick

        beat = data["heartbeat"]
        self.heartbeat = 1 if tick % beat == 0 else time(beat)
        self.concurrent, self.fifo = data["concurrent"], data["fifo"]
        self.slaves = data["slaves"]
        for slave in self.slaves:
            slave["first"] = time(slave["first"])
            slave["down"] = [(time(a), time(b)) for a, b in slave["down"]]
            slave["taken"] = [(r, time(a), time(b), n) for r, a, b, n in slave["taken"]]
        self.jobs, self.tasks, self.stages = data["jobs"], [], []
        for i, job in enumerate(self.jobs):
            job["release"] = time(job["release"])
            if job["kind"] == "best-effort":
                del job["due"]
            else:
                job["due"] = time(job["due"])
            self.read_stages(i, job, time)
        self.limits = self.read_limits(data["pools"], time)
        self.limit_numbers = len(data["pools"]) + len(self.jobs) + len(self.stages)
        self.here = set(range(len(self.slaves)))
        self.most_cores = max(t.cores for t in self.tasks)

    def read_limits(self, pools, time):
        """Pools, and behind them the caps of jobs and of stages, by number."""
        def held(all):
            return [(time(a), time(b), n) for a, b, n in all]

        limits = {}
        for n, pool in enumerate(pools):
            units = {t.number: t.pools[n] for t in self.tasks if t.pools[n] > 0}
            limits[n] = Limit([(time(a), k) for a, k in pool["levels"]], held(pool["taken"]), units)
        for i, job in enumerate(self.jobs):
            if 0 < job["at_most"] < len(self.tasks_of(i)) or job["taken"]:
                limits[len(pools) + i] = Limit([(0, job["at_most"])], held(job["taken"]), dict.fromkeys(self.tasks_of(i), 1))
        for k, stage in enumerate(self.stages):
            if 0 < stage["at_most"] < len(stage["tasks"]) or stage["taken"]:
                units = dict.fromkeys(stage["tasks"], 1)
                limits[len(pools) + len(self.jobs) + k] = Limit([(0, stage["at_most"])], held(stage["taken"]), units)
        return limits

    def settled(self):
        """When slaves and limits no longer change, but for absences that end."""
        times = [b for s in self.slaves for _, _, b, _ in s["taken"]]
        times += [a for s in self.slaves for a, b in s["down"] if b >= NEVER]
        times += [p for limit in self.limits.values() for p in limit.changes()]
        return max(times + [stage["start_at"] for stage in self.stages], default=0)

    def stays(self, s):
        return s in self.here and not any(b >= NEVER for _, b in self.slaves[s]["down"])

    def leavable(self):
        """The jobs that plans may leave out: with tasks that do not fit in the end, and those after them."""
        out = set()
        if any(b >= NEVER for s in self.slaves for _, b in s["down"]) or not all(map(self.pooled, self.stages)):
            out = {stage["job"] for stage in self.stages if not (self.pooled(stage) and self.has_room(stage))}
        for i in self.job_order():
            if out & set(self.jobs[i]["after"]):
                out.add(i)
        return out

    def pooled(self, stage):
        """Whether in the end limits allow each task of a stage, and all of a gang at once."""
        for limit in self.limits.values():
            units = [limit.units.get(t, 0) for t in stage["tasks"]]
            if max(units) > limit.last() or stage["together"] and sum(units) > limit.last():
                return False
        return True

    def has_room(self, stage):
        """Whether in the end there are slaves for each task of a stage, or for all at once."""
        return self.place(stage, stage["tasks"], {s: [] for s in self.here if self.stays(s)})

    def place(self, stage, tasks, on):
        if not tasks:
            return True
        for s in on:
            if self.tasks[tasks[0]].run[s] == 0 or stage["apart_now"] and on[s]:
                continue
            there = on[s] + tasks[:1] if stage["together"] or stage["apart_now"] else tasks[:1]
            if stage["together"] and any(sum(self.needs(t, s, r) for t in there) > (self.units(s, r) or 0)
                                         for r in range(NAMED + len(self.slaves[s]["units"])) if r != LINE):
                continue
            if self.place(stage, tasks[1:], {**on, s: there}):
                return True
        return False

    def ties(self, i):
        """Whether tasks of a job are capped, start together or are apart."""
        job = self.jobs[i]
        return job["at_most"] > 0 or any(self.stages[k][of] for k in job["ids"] for of in ("at_most", "gang", "apart"))

    def read_stages(self, i, job, time):
        job["first"] = len(self.stages)
        for stage in job["stages"]:
            k = len(self.stages)
            tasks = []
            for data in stage["tasks"]:
                data["wcet"] = [time(e) for e in data["wcet"]]
                data["transfer"] = [time(c) if e else 0 for e, c in zip(data["wcet"], data["transfer"])]
                tasks.append(len(self.tasks))
                self.tasks.append(Task(len(self.tasks), i, k, stage["slot"], data))
            after = [job["first"] + b for b in stage["after"]]
            start, several = time(stage["start_at"]), len(tasks) > 1
            self.stages.append({"job": i, "tasks": tasks, "after": after, "slot": stage["slot"], "start_at": start,
                                "at_most": stage["at_most"], "taken": stage["taken"],
                                "gang": stage["gang"], "apart": stage["apart"],
                                "together": stage["gang"] and (several or start > 0),
                                "apart_now": stage["apart"] and several})
        job["ids"] = list(range(job["first"], len(self.stages)))
        followed = {b for k in job["ids"] for b in self.stages[k]["after"]}
        job["begins"] = [k for k in job["ids"] if not self.stages[k]["after"]]
        job["ends"] = [k for k in job["ids"] if k not in followed]

    def tasks_of(self, i):
        return [t for k in self.jobs[i]["ids"] for t in self.stages[k]["tasks"]]

    def due(self, i):
        return self.jobs[i].get("due", NEVER)

    def beat_from(self, s, t):
        """The first heartbeat of s at t or later."""
        first, h = self.slaves[s]["first"], self.heartbeat
        return first + max(0, -((first - t) // h)) * h

    def beat_by(self, s, t):
        """The last heartbeat of s at t or before; below the first one there is none."""
        first, h = self.slaves[s]["first"], self.heartbeat
        return first + (t - first) // h * h if t >= first else -NEVER

    def presences(self, s):
        start = 0
        for a, b in self.slaves[s]["down"]:
            yield start, a
            start = b
        yield start, NEVER

    def units(self, s, r):
        """How many units of r slave s has; None if it has no such resource."""
        slave = self.slaves[s]
        if r == CORES:
            return slave["cores"]
        if r == LINE:
            return None if self.concurrent else 1
        if r in (SLOTS, REDUCE_SLOTS):
            pool = r - SLOTS
            return slave["slots"][pool] if pool < len(slave["slots"]) else None
        return slave["units"][r - NAMED] or None if 0 <= r - NAMED < len(slave["units"]) else None

    def needs(self, t, s, r):
        task = self.tasks[t]
        if r == CORES:
            return task.cores
        if r == LINE:
            return 1 if task.fetch[s] > 0 and not self.concurrent else 0
        if r in (SLOTS, REDUCE_SLOTS):
            return 1 if r - SLOTS == min(task.slot, len(self.slaves[s]["slots"]) - 1) else 0
        return task.units[r - NAMED]

    def taken(self, s, r, p):
        return sum(n for q, a, b, n in self.slaves[s]["taken"] if q == r and a <= p < b)

    def tied(self, t, s):
        if self.concurrent or self.tasks[t].fetch[s] == 0:
            return True
        if self.fifo or self.stages[self.tasks[t].stage]["together"]:
            return False
        slave = self.slaves[s]
        return not slave["taken"] and sum(slave["slots"]) * self.most_cores <= slave["cores"]

    def walk(self, items, before):
        """Items in order of number, each behind those before it."""
        order, seen = [], set()

        def visit(i):
            if i not in seen:
                seen.add(i)
                for k in before(i):
                    visit(k)
                order.append(i)

        for i in items:
            visit(i)
        return order

    def job_order(self):
        return self.walk(range(len(self.jobs)), lambda i: self.jobs[i]["after"])

    def stage_order(self, i):
        return self.walk(self.jobs[i]["ids"], lambda k: self.stages[k]["after"])


def held(r):
    return {CORES: RUN, LINE: FETCH}.get(r, STAY)


# Literals: ("x", task, slave, holds), ("b", task, task, holds), and (variable, "<=" or ">", value) where a variable is
# a letter and a number.


def parse_literal(word):
    m = re.fullmatch(r"(-?)([xb])(\d+)\.(\d+)", word)
    if m:
        return m[2], number(m[3]), number(m[4]), not m[1]
    m = re.fullmatch(r"([srfgeu])(\d+)(<=|>)(-?\d+)", word)
    need(m, f"{word!r} is no literal")
    return (m[1], number(m[2])), m[3], number(m[4], -FARTHEST, FARTHEST)


def negated(lit):
    if len(lit) == 4:
        return lit[0], lit[1], lit[2], not lit[3]
    return lit[0], ">" if lit[1] == "<=" else "<=", lit[2]


def weakest(clause):
    """Of literals that bound the same variable on the same side the weakest."""
    out = {}
    for lit in clause:
        if len(lit) == 4:
            out[lit] = lit
            continue
        var, op, v = lit
        pick = max if op == "<=" else min
        out[var, op] = var, op, pick(v, out.get((var, op), lit)[2])
    return tuple(out.values())


class Question:
    """What is asked, and what is known of it at the root."""

    def __init__(self, js, refuted):
        self.js, self.refuted = js, refuted
        self.role, self.by, self.limits = {}, {}, {}

    # Reading.

    def add_job(self, role, words):
        need(len(words) == 2, "a job and a time are due")
        i = number(words[0], 0, len(self.js.jobs) - 1)
        need(not self.limits and (not self.role or i > max(self.role)), "jobs do not ascend")
        self.role[i], self.by[i] = role, number(words[1], 0, FARTHEST)

    def add_limit(self, name, words):
        need(name not in self.limits, f"a second limit on {name}")
        need(len(words) == 1, "a limit is due")
        self.limits[name] = number(words[0])

    def begin(self):
        """Works out the root state once all lines are read."""
        self.check_later()
        self.lead = {t: t for i in self.role for t in self.js.tasks_of(i)}
        for stage in self.js.stages:
            if stage["job"] in self.role and stage["together"]:
                self.lead.update((t, stage["tasks"][0]) for t in stage["tasks"])
        self.lay_out()
        self.bound()
        self.group()
        self.classes = self.equal_tasks()

    def check_later(self):
        js = self.js
        later = [i for i in self.role if self.role[i] == "later"]
        end = js.settled()
        for i, role in self.role.items():
            job = js.jobs[i]
            end = max(end, self.by[i] if role != "later" else job.get("due", job["release"]))
            for k in job["after"]:
                need(self.role.get(k) != "may", f"job {i} comes after job {k}, which may be let go")
        end = max(end, self.gangs_over(later))
        for i in js.job_order():
            if self.role.get(i) != "later":
                continue
            for k in js.stage_order(i):
                end = self.laid_out(js.stages[k], end)
        for i in later:
            need(self.by[i] >= end, f"job {i} may have to end as late as {end}")

    def gangs_over(self, later):
        """When gangs have ended of which a task begins before all slaves stay as they are."""
        js = self.js
        longest = max((self.longest(stage)[1] for stage in js.stages if stage["job"] in later and stage["together"]), default=0)
        steady = max([js.settled()] + [b for s in js.here for _, b in js.slaves[s]["down"] if b < NEVER])
        return steady + longest if longest else 0

    def longest(self, stage):
        """The sum of the longest fetches, and the longest run, of tasks of a stage."""
        js, fetches, run = self.js, 0, 0
        for t in stage["tasks"]:
            slaves = [s for s in self.open_to(t) if js.slaves[s]["down"][:1] != [(0, NEVER)]]
            fetches += max((js.tasks[t].fetch[s] for s in slaves), default=0)
            run = max([run] + [js.tasks[t].run[s] for s in slaves])
        return fetches, run

    def laid_out(self, stage, ready):
        """When tasks of a stage have ended that are laid out from a time on."""
        js = self.js
        if stage["together"]:
            fetches, run = self.longest(stage)
            return max([ready] + [js.beat_from(s, ready) for s in js.here if js.stays(s)]) + fetches + run
        for t in stage["tasks"]:
            ends = [self.finish_alone(t, s, ready) for s in self.open_to(t) if js.stays(s)]
            if ends and all(limit.units.get(t, 0) <= limit.last() for limit in js.limits.values()):
                ready = max(ends) if stage["apart_now"] else min(ends)
        return ready

    def finish_alone(self, t, s, ready):
        task = self.js.tasks[t]
        hold = task.run[s] + task.fetch[s]
        return self.first_stay(s, ready, hold) + hold

    def first_stay(self, s, ready, hold):
        for a, b in self.js.presences(s):
            at = self.js.beat_from(s, max(ready, a))
            if at + hold <= b:
                return at
        return NEVER

    def last_stay(self, s, limit, task):
        """The latest hand-out, and the greatest finish, by a limit."""
        hold = task.run[s] + task.fetch[s]
        for a, b in reversed(list(self.js.presences(s))):
            finish = min(limit, b)
            at = self.js.beat_by(s, finish - hold)
            if at >= a:
                return at, finish
        return -NEVER, -NEVER

    def open_to(self, t):
        return [s for s in sorted(self.js.here) if self.js.tasks[t].run[s] > 0]

    # Windows.

    def before(self, k):
        """The stages before stage k."""
        js, stage = self.js, self.js.stages[k]
        if stage["after"]:
            return list(stage["after"])
        return [b for other in js.jobs[stage["job"]]["after"] if other in self.role for b in js.jobs[other]["ends"]]

    def lay_out(self):
        """The windows of places."""
        js = self.js
        order = [k for i in js.job_order() if i in self.role for k in js.stage_order(i)]
        self.stages_before = {k: self.before(k) for k in order}
        first = self.first = self.forward(order)
        self.window, self.places = {}, {}
        limits = {k: self.by[js.stages[k]["job"]] for k in order}
        for k in reversed(order):
            handed = min(self.backward(t, limits[k], first) for t in js.stages[k]["tasks"])
            for b in self.stages_before[k]:  # jobs that may be let go do not press others
                if js.stages[b]["job"] == js.stages[k]["job"] or self.role[js.stages[k]["job"]] != "may":
                    limits[b] = min(limits[b], handed)

    def ends_alone(self):
        """When stages can end if each job has the cluster to itself."""
        js = self.js
        order = [k for i in js.job_order() if i in self.role for k in js.stage_order(i)]
        self.stages_before = {k: self.before(k) for k in order}
        self.forward(order)
        return self.ends

    def forward(self, order):
        """When each task can be handed out first, by slave."""
        js, first, ends = self.js, {}, {}
        self.ends = ends
        for k in order:
            ready = max([js.jobs[js.stages[k]["job"]]["release"]] + [ends[b] for b in self.stages_before[k]])
            ends[k] = ready
            for t in js.stages[k]["tasks"]:
                finishes = [NEVER]
                for s in self.open_to(t):
                    hold = js.tasks[t].run[s] + js.tasks[t].fetch[s]
                    first[t, s] = self.first_stay(s, ready, hold)
                    finishes.append(first[t, s] + hold)
                ends[k] = max(ends[k], min(finishes))
        return first

    def backward(self, t, limit, first):
        """Makes the places of a task that ends by a limit; the latest time at which it is handed out."""
        self.places[t], latest = [], -NEVER
        for s in self.open_to(t):
            at, finish = self.last_stay(s, limit, self.js.tasks[t])
            if at >= first[t, s]:
                self.places[t].append(s)
                self.window[t, s] = first[t, s], finish - self.js.tasks[t].run[s]
                latest = max(latest, at)
        return latest

    def bound(self):
        """Bounds of all variables at the root."""
        js, root = self.js, State(self)
        self.root = root
        for i, role in self.role.items():
            lo_e, hi_e = 0, self.by[i] + (role == "may")
            together = {k: self.together(js.stages[k]) for k in js.jobs[i]["ids"] if js.stages[k]["together"]}
            if not all(self.places[t] for t in js.tasks_of(i)) or any(a > b for a, b in together.values()):
                lo_e = self.by[i] + 1
                self.places.update((t, []) for t in js.tasks_of(i))
            for k in js.jobs[i]["ids"]:
                lo_g, hi_g = 0, 0
                for t in js.stages[k]["tasks"]:
                    self.bound_task(t, together.get(k))
                    lo_g, hi_g = max(lo_g, root.lo["f", t]), max(hi_g, root.hi["f", t])
                root.lo["g", k], root.hi["g", k] = lo_g, hi_g
                lo_e = max(lo_e, lo_g)
            root.lo["e", i], root.hi["e", i] = lo_e, hi_e
            root.impossible = root.impossible or lo_e > hi_e
        for s in range(len(js.slaves)):
            root.lo["u", s], root.hi["u", s] = 0, len(js.tasks)
        self.least = dict(root.lo)
        if not root.impossible:
            root.raise_ends()

    def together(self, stage):
        """When all tasks of a gang can start."""
        lo, hi = 0, FARTHEST
        if stage["start_at"] > 0:
            lo = hi = stage["start_at"]
        for t in stage["tasks"]:
            windows = [(self.window[t, s][0] + self.js.tasks[t].fetch[s], self.window[t, s][1]) for s in self.places[t]]
            lo = max([lo] + [min(a for a, _ in windows)] if windows else [NEVER])
            hi = min([hi] + [max(b for _, b in windows)] if windows else [-NEVER])
        return lo, hi

    def bound_task(self, t, together):
        task, root = self.js.tasks[t], self.root
        spans = {"s": [], "r": [], "f": []}
        for s in self.places[t]:
            first, last = self.window[t, s]
            spans["s"].append((first + task.fetch[s], last))
            spans["r"].append((first, last - task.fetch[s]))
            earliest, latest = first + task.fetch[s], last
            if together:
                earliest, latest = max(earliest, together[0]), min(latest, together[1])
            spans["f"].append((earliest + task.run[s], latest + task.run[s]))
        if together and self.places[t]:
            spans["s"] = [together]
        for letter, of in spans.items():
            root.lo[letter, t] = min((a for a, _ in of), default=0)
            root.hi[letter, t] = max((b for _, b in of), default=0)

    # Symmetries.

    def group(self):
        """Which slaves are equal: by number, the first one of each one's group."""
        js = self.js
        count = [t for i in self.role for t in js.tasks_of(i)
                 if self.role[i] != "may" or all(self.places[u] for u in js.tasks_of(i))]
        figures = [tuple(js.tasks[t].figures()[0]) for t in count]
        first, self.group_of = {}, {}
        for s in sorted(js.here):
            slave = {k: v for k, v in js.slaves[s].items()}
            key = json.dumps(slave, sort_keys=True), tuple(row[s] for row in figures)
            self.group_of[s] = first.setdefault(key, s)

    def between(self, k):
        """Which stages come before and after stage k."""
        then = frozenset(n for n, before in self.stages_before.items() if k in before)
        return frozenset(self.stages_before[k]), then

    def links(self, i):
        """Which stages of other jobs come before and after those of job i."""
        js, job = self.js, self.js.jobs[i]
        after = frozenset(job["after"])
        then = frozenset(k for k, other in enumerate(js.jobs) if i in other["after"])
        return after, then

    def measured(self, i):
        return bool(self.limits) and self.by[i] > self.js.due(i)

    def equal_tasks(self):
        """The classes that each task is in."""
        js, classes = self.js, {}
        for i, role in self.role.items():
            job = js.jobs[i]
            alone = role != "may" and not self.measured(i) and not js.ties(i)
            for k in job["ids"]:
                for t in js.stages[k]["tasks"]:
                    of = js.stages[k]["slot"], js.tasks[t].figures()
                    classes[t] = {("stage", k, of)}
                    if alone:
                        classes[t].add((job["release"], self.by[i], self.between(k), of))
            if role != "may":
                classes[js.tasks_of(i)[0]].add(self.job_key(i))
        return classes

    def job_key(self, i):
        js, job = self.js, self.js.jobs[i]
        def ties(of):
            return tuple(json.dumps(of.get(word)) for word in ("at_most", "taken", "gang", "apart", "start_at"))

        stages = tuple((tuple(b - job["first"] for b in js.stages[k]["after"]), js.stages[k]["slot"], ties(js.stages[k]),
                        tuple(js.tasks[t].figures() for t in js.stages[k]["tasks"])) for k in job["ids"])
        return ("job", self.role[i], self.by[i], job["kind"], job["release"], js.due(i), job["weight"], stages, ties(job), self.links(i))

    # Literals.

    def check_literal(self, lit):
        js = self.js
        if len(lit) == 4:
            letter, t, s, _ = lit
            known = s in self.places if letter == "b" else s in range(len(js.slaves))
            need(t in self.places and known, "a literal about what is not in the question")
            return
        letter, n = lit[0]
        known = {"g": lambda: n < len(js.stages) and js.stages[n]["job"] in self.role,
                 "e": lambda: n in self.role, "u": lambda: n < len(js.slaves)}.get(letter, lambda: n in self.places)
        need(known(), "a literal about what is not in the question")

    def read(self, word):
        """A literal, in which the start of any task of a gang is that of the first."""
        lit = parse_literal(word)
        self.check_literal(lit)
        if len(lit) == 3 and lit[0][0] == "s":
            lit = ("s", self.lead[lit[0][1]]), lit[1], lit[2]
        if lit[0] == "b":
            lit = "b", self.lead[lit[1]], self.lead[lit[2]], lit[3]
        return lit


class State:
    """Bounds and choices that are known or supposed."""

    def __init__(self, q):
        self.q, self.js = q, q.js
        self.lo, self.hi = {}, {}
        self.on, self.off, self.sooner = {}, set(), {}  # sooner: whether the first of two tasks starts before the second
        self.impossible = False

    def copy(self):
        out = State(self.q)
        out.lo, out.hi, out.on = dict(self.lo), dict(self.hi), dict(self.on)
        out.off, out.sooner, out.impossible = set(self.off), dict(self.sooner), self.impossible
        return out

    def suppose(self, lit):
        if len(lit) == 3:
            self.suppose_bound(*lit)
            return
        letter, t, s, holds = lit
        if letter == "b":
            self.impossible |= self.sooner.setdefault((t, s), holds) != holds
        elif holds:
            self.impossible |= s not in self.left(t)
            self.on[t] = s
            self.suppose_bound(("u", s), "<=", t)
            self.suppose_in(self.js.tasks[t].job)
        else:
            self.impossible |= self.truth(("x", t, s, True)) is True
            self.off.add((t, s))

    def suppose_in(self, i):
        self.suppose_bound(("e", i), "<=", self.q.by[i])

    def suppose_bound(self, var, op, v):
        if op == "<=":
            self.hi[var] = min(self.hi[var], v)
        else:
            self.lo[var] = max(self.lo[var], v + 1)
        self.impossible |= self.lo[var] > self.hi[var]
        letter, n = var
        if letter in "srfg" and self.lo[var] > self.q.least[var]:
            i = self.js.stages[n]["job"] if letter == "g" else self.js.tasks[n].job
            if not self.is_in(i):
                self.suppose_in(i)

    def raise_ends(self):
        """Stages and jobs that are in end when their tasks can at the earliest."""
        for i in self.q.role:
            if not self.is_in(i):
                continue
            for k in self.js.jobs[i]["ids"]:
                for t in self.js.stages[k]["tasks"]:
                    least = self.least_finish(t, False)
                    if least >= NEVER:
                        self.impossible = True
                        return
                    self.suppose_bound(("g", k), ">", least - 1)
                    self.suppose_bound(("e", i), ">", least - 1)

    def is_in(self, i):
        return self.hi["e", i] <= self.q.by[i]

    def is_out(self, i):
        return self.lo["e", i] > self.q.by[i]

    def left(self, t):
        """The places that are left to a task."""
        if t in self.on:
            return [s for s in self.q.places[t] if s == self.on[t] and (t, s) not in self.off]
        return [s for s in self.q.places[t] if (t, s) not in self.off]

    def place_of(self, t):
        """The slave that a task is on, if that is known."""
        if t in self.on:
            return self.on[t]
        if self.is_in(self.js.tasks[t].job):
            left = self.left(t)
            if len(left) == 1:
                return left[0]
        return None

    def truth(self, lit):
        """True, False, or None where it is not known."""
        if len(lit) == 3:
            var, op, v = lit
            if self.hi[var] <= v:
                return op == "<="
            if self.lo[var] > v:
                return op == ">"
            return None
        letter, t, s, holds = lit
        if letter == "b":
            return self.sooner[t, s] == holds if (t, s) in self.sooner else None
        if s not in self.left(t) or self.is_out(self.js.tasks[t].job):
            return not holds
        return holds if self.place_of(t) == s else None

    # Where a task can be.

    def reach(self, t, s, wait=True, fetch_from=-NEVER, start_from=-NEVER):
        """All (R, S) at a place, presence by presence: least and greatest R, least and greatest S."""
        js, q, task = self.js, self.q, self.js.tasks[t]
        c, e, tied = task.fetch[s], task.run[s], js.tied(t, s)
        first, last = q.window[t, s]
        i = task.job
        ready = max([first] + [self.least_end(b) for b in q.stages_before[task.stage]]) if wait else first
        lo_r, hi_r = max(self.lo["r", t], fetch_from), self.hi["r", t]
        lo_s = max(self.lo["s", q.lead[t]], self.lo["f", t] - e, start_from)
        if len(js.stages[task.stage]["tasks"]) == 1:
            lo_s = max(lo_s, self.lo["g", task.stage] - e)
        if len(js.tasks_of(i)) == 1:
            lo_s = max(lo_s, self.lo["e", i] - e)
        finish = min(self.hi["f", t], self.hi["g", task.stage], self.hi["e", i])
        hi_s = min(last, self.hi["s", q.lead[t]], finish - e)
        out = []
        for a, b in js.presences(s):
            r = [max(lo_r, js.beat_from(s, max(ready, a))), hi_r]
            at = [max(lo_s, r[0] + c), min(hi_s, b - e)]
            if tied:
                at = [at[0], min(at[1], r[1] + c)]
                r = [at[0] - c, at[1] - c]
            else:
                r[1] = min(r[1], at[1] - c)
            if r[0] <= r[1] and at[0] <= at[1]:
                out.append((r[0], r[1], at[0], at[1]))
        return out

    def hull(self, t, s, **more):
        """The reach as one interval each; None if there is none."""
        parts = self.reach(t, s, **more)
        if not parts:
            return None
        return (min(p[0] for p in parts), max(p[1] for p in parts),
                min(p[2] for p in parts), max(p[3] for p in parts))

    def least_finish(self, t, wait):
        task, q = self.js.tasks[t], self.q
        if self.is_in(task.job):
            spans = [(self.hull(t, s, wait=wait), s) for s in self.left(t)]
            return min((h[2] + task.run[s] for h, s in spans if h), default=NEVER)
        least = self.lo["f", t]
        if q.places[t]:
            least = max(least, self.lo["s", q.lead[t]] + min(task.run[s] for s in q.places[t]),
                        self.lo["r", t] + min(task.run[s] + task.fetch[s] for s in q.places[t]))
        return least

    def least_end(self, k):
        return max([self.lo["g", k]] + [self.least_finish(t, False) for t in self.js.stages[k]["tasks"]])

    def fetch_bounds(self, t):
        """The least and the greatest R of a task."""
        spans = [h for h in (self.hull(t, s) for s in self.left(t)) if h]
        if not spans:
            return NEVER, -NEVER
        return min(h[0] for h in spans), max(h[1] for h in spans)


# Rules: each tells whether a state is impossible.


def sure_on(state, s):
    """The tasks on s with their reach; None stands for an empty one."""
    return {t: state.hull(t, s) for t in state.q.places if state.place_of(t) == s}


def holds_at(js, t, s, r, reach, p):
    task = js.tasks[t]
    lo_r, hi_r, lo_s, hi_s = reach
    if held(r) == RUN:
        return hi_s <= p < lo_s + task.run[s]
    if held(r) == FETCH:
        return hi_r <= p < lo_r + task.fetch[s]
    return hi_r < p + js.heartbeat and lo_s + task.run[s] > p


def check_point(js, s, r, p):
    if held(r) == STAY:
        need(p == js.beat_by(s, p), f"slave {s} has no heartbeat at {p}")


def check_resource(js, s, r):
    need(js.units(s, r) is not None, f"slave {s} has no resource {r}")


def held_by(state, sure, s, r, p):
    js = state.js
    return js.taken(s, r, p) + sum(js.needs(t, s, r) for t, reach in sure.items() if holds_at(js, t, s, r, reach, p))


def rule_task(state, args):
    t, = args
    return state.is_in(state.js.tasks[t].job) and not any(state.reach(t, s) for s in state.left(t))


def rule_stage(state, args):
    k, = args
    return any(state.least_finish(t, True) > state.hi["g", k] for t in state.js.stages[k]["tasks"])


def rule_job(state, args):
    i, = args
    return state.is_in(i) and any(state.least_finish(t, True) > state.hi["e", i] for t in state.js.tasks_of(i))


def rule_cap(state, args):
    s, r, p = args
    js = state.js
    check_resource(js, s, r)
    check_point(js, s, r, p)
    sure = sure_on(state, s)
    return None in sure.values() or held_by(state, sure, s, r, p) > js.units(s, r)


def rule_push(state, args):
    t, s, r, *points = args
    js, task = state.js, state.js.tasks[t]
    check_resource(js, s, r)
    if state.place_of(t) != s:
        return False
    sure = sure_on(state, s)
    if sure[t] is None:
        return True
    if not points or not js.needs(t, s, r):
        return False
    if None in sure.values():
        return True
    reach = sure.pop(t)
    from_r = from_s = -NEVER
    for p in points:
        check_point(js, s, r, p)
        over = reach[0] + task.fetch[s] <= p if held(r) == FETCH else reach[2] + task.run[s] <= p
        if over or held_by(state, sure, s, r, p) + js.needs(t, s, r) <= js.units(s, r):
            return False
        if held(r) == RUN:
            from_s = max(from_s, p + 1)
        elif held(r) == FETCH:
            from_r = max(from_r, p + 1)
        else:
            from_r = max(from_r, p + js.heartbeat)
        reach = state.hull(t, s, fetch_from=from_r, start_from=from_s)
        if reach is None:
            return True
    return False


def rule_energy(state, args):
    s, r, a, b = args
    js = state.js
    check_resource(js, s, r)
    need(a < b, "an empty interval")
    sure = sure_on(state, s)
    if None in sure.values():
        return True
    total = 0
    for t, (lo_r, hi_r, lo_s, hi_s) in sure.items():
        length, lo, hi = js.tasks[t].run[s], lo_s, hi_s
        if held(r) != RUN:
            length, lo, hi = js.tasks[t].fetch[s] + (length if held(r) == STAY else 0), lo_r, hi_r
        total += js.needs(t, s, r) * max(0, min(length, b - a, lo + length - a, b - hi))
    return total > js.units(s, r) * (b - a)


def rule_disjunctive(state, args):
    s, r, t = args
    js = state.js
    check_resource(js, s, r)
    sure = sure_on(state, s)
    if None in sure.values():
        return True
    window = {}  # when each can begin, and how long it holds r
    for u, (lo_r, hi_r, lo_s, hi_s) in sure.items():
        length, lo, hi = js.tasks[u].run[s], lo_s, hi_s
        if held(r) != RUN:
            length, lo, hi = js.tasks[u].fetch[s] + (length if held(r) == STAY else 0), lo_r, hi_r
        if length > 0:
            window[u] = lo, hi, length
    if t not in window:
        return False
    first, last, length = window.pop(t)
    turns = {u: w for u, w in window.items() if js.needs(u, s, r) + js.needs(t, s, r) > js.units(s, r)}
    before = [u for u, (_, hi, _) in turns.items() if first + length > hi or told_before(state, r, u, t)]
    after = [u for u, (lo, _, run) in turns.items() if lo + run > last or told_before(state, r, t, u)]
    large = [u for u in turns if 2 * js.needs(u, s, r) > js.units(s, r)]  # each two of which take turns
    ends = [turns[u][0] + turns[u][2] for u in before]
    begins = [turns[u][1] for u in after]
    end = -NEVER
    for lo, _, run in sorted(turns[u] for u in before if u in large):
        end = max(end, lo) + run
    begin = NEVER
    for _, hi, run in sorted((turns[u] for u in after if u in large), key=lambda w: -w[1] - w[2]):
        begin = min(begin, hi + run) - run
    return max([end] + ends) > last or min([begin] + begins) < first + length


def told_before(state, r, t, u):
    """Whether literals say that t, which takes turns with u, comes before it."""
    if held(r) == FETCH:
        return False
    t, u = state.q.lead[t], state.q.lead[u]
    return state.sooner.get((t, u)) is True or state.sooner.get((u, t)) is False


def limit_of(js, n):
    need(n in js.limits, f"there is no limit {n}")
    return js.limits[n]


def reaches(state, t):
    """The reach of a task at each place that is left; its job is in."""
    hulls = {s: state.hull(t, s) for s in state.left(t)}
    return {s: reach for s, reach in hulls.items() if reach}


def takers(state, limit):
    """The tasks that take of a limit and are there for sure, with their reach."""
    return {t: reaches(state, t) for t in limit.units if t in state.q.places and state.is_in(state.js.tasks[t].job)}


def taken_of(state, limit, takers, p):
    """What is held at p for sure."""
    js = state.js
    return sum(limit.units[t] for t, at in takers.items()
               if all(js.beat_by(s, r[1]) <= p < r[2] + js.tasks[t].run[s] for s, r in at.items()))


def rule_pool(state, args):
    n, p = args
    limit = limit_of(state.js, n)
    there = takers(state, limit)
    return {} in there.values() or taken_of(state, limit, there, p) > limit.at(p)


def rule_pool_push(state, args):
    t, n, *points = args
    js, limit, task = state.js, limit_of(state.js, n), state.js.tasks[t]
    if not state.is_in(task.job):
        return False
    there = takers(state, limit)
    there.pop(t, None)
    if {} in there.values():
        return True
    at, begin = reaches(state, t), {}
    for p in points:
        if t not in limit.units or taken_of(state, limit, there, p) + limit.units[t] <= limit.at(p):
            return False
        if any(r[2] + task.run[s] <= p for s, r in at.items()):
            return False
        for s in at:
            begin[s] = max(begin.get(s, -NEVER), js.beat_from(s, p + 1))
        hulls = {s: state.hull(t, s, fetch_from=begin[s]) for s in at}
        at = {s: reach for s, reach in hulls.items() if reach}
    return not at


def rule_pool_energy(state, args):
    n, a, b = args
    js, limit = state.js, limit_of(state.js, n)
    need(a < b, "an empty interval")
    there = takers(state, limit)
    if {} in there.values():
        return True
    total = 0
    for t, at in there.items():
        least = b - a
        for s, r in at.items():
            length = js.tasks[t].fetch[s] + js.tasks[t].run[s]
            least = max(0, min(least, length, r[0] + length - a, b - r[1]))
        total += limit.units[t] * least
    points = sorted({a, b} | {p for p in limit.changes() if a < p < b})
    return total > sum(limit.at(p) * (q - p) for p, q in zip(points, points[1:]))


def heaviest(js, s, weights):
    """What tasks weigh at most that a slave can run at once."""
    kinds = [r for r in range(NAMED + 8) if r != LINE and js.units(s, r) is not None]
    kinds = [r for r in kinds if sum(js.needs(t, s, r) for t, _ in weights) > js.units(s, r)]
    found = {tuple(js.units(s, r) for r in kinds): 0}
    for t, weight in weights:
        for left, sum_ in list(found.items()):
            rest = tuple(n - js.needs(t, s, r) for n, r in zip(left, kinds))
            if min(rest, default=0) >= 0:
                found[rest] = max(found.get(rest, 0), sum_ + weight)
    return max(found.values())


def rule_apart(state, args):
    stage = state.js.stages[args[0]]
    need(stage["apart_now"], f"tasks of stage {args[0]} need not be apart")
    on = [s for s in map(state.place_of, stage["tasks"]) if s is not None]
    return len(on) > len(set(on))


def late_jobs(state, kind):
    return [i for i in state.q.role if state.js.jobs[i]["kind"] == kind and state.lo["e", i] > state.js.due(i)]


def rule_misses(state, args):
    need("misses" in state.q.limits, "misses have no limit")
    return sum(state.js.jobs[i]["weight"] for i in late_jobs(state, "soft")) > state.q.limits["misses"]


def rule_hard_misses(state, args):
    need("hard-misses" in state.q.limits, "hard misses have no limit")
    return len(late_jobs(state, "hard")) > state.q.limits["hard-misses"]


def rule_weighted(state, args):
    need("weighted" in state.q.limits, "weighted lateness has no limit")
    late = [i for i in late_jobs(state, "soft") if state.q.role[i] == "must"]
    return sum(state.js.jobs[i]["weight"] * (state.lo["e", i] - state.js.due(i)) for i in late) > state.q.limits["weighted"]


def rule_order(state, args):
    t, u = args
    need(t < u and state.q.classes[t] & state.q.classes[u], f"tasks {t} and {u} are not to be ordered")
    if not all(state.is_in(state.js.tasks[n].job) for n in args):
        return False
    return state.fetch_bounds(t)[0] > state.fetch_bounds(u)[1]


def some_on(state, s, least, most):
    """Whether some task of these numbers can be on s."""
    return any(least <= t <= most and s in state.left(t) and not state.is_out(state.js.tasks[t].job)
               for t in state.q.places)


def rule_first(state, args):
    t, s, s2 = args
    need(s < s2 and state.q.group_of.get(s) == state.q.group_of.get(s2), f"slaves {s} and {s2} are not equal")
    return state.place_of(t) == s2 and not some_on(state, s, state.lo["u", s], t - 1)


def rule_used(state, args):
    t, s = args
    return state.hi["u", s] <= t and not some_on(state, s, state.lo["u", s], state.hi["u", s])


def rule_cut(state, args):
    n, = args
    need(1 <= n <= len(state.q.refuted), f"question {n} has not been refuted")
    q = state.q.refuted[n - 1]
    need(not q.limits and "may" not in q.role.values(), f"question {n} is no cut")
    for i, by in q.by.items():
        role = state.q.role.get(i)
        if role is None or not state.is_in(i):
            return False
        if q.role[i] == "must" and state.hi["e", i] > by:
            return False
    return True


RULES = {"task": rule_task, "stage": rule_stage, "job": rule_job, "cap": rule_cap, "push": rule_push,
         "energy": rule_energy, "disjunctive": rule_disjunctive, "pool": rule_pool, "pool-push": rule_pool_push, "pool-energy": rule_pool_energy,
         "apart": rule_apart, "misses": rule_misses, "hard-misses": rule_hard_misses,
         "weighted": rule_weighted, "order": rule_order, "first": rule_first, "used": rule_used, "cut": rule_cut}

# What the arguments of each rule are; the last kind goes for all that follow.
ARGS = {"task": "t", "stage": "k", "job": "i", "cap": "srp", "push": "tsrp", "energy": "srpp", "disjunctive": "srt", "misses": "",
        "pool": "lp", "pool-push": "tlp", "pool-energy": "lpp", "apart": "k",
        "hard-misses": "", "weighted": "", "order": "tt", "first": "tss", "used": "ts", "cut": "q", "prices": "m", "idle": "m", "sequence": "m",
        "assignment": "m", "weights": "mpp", "charges": "m"}

# Prices.


class Prices:
    """Multipliers: of resources by slave, of pools and caps, and of limits on objectives."""

    def __init__(self, q, specs):
        self.q, self.of, self.on_shared, self.on_limits, self.worth, self.paid = q, {}, {}, {}, 0, 0
        self.end, self.passes, self.spans, self.until = max(q.by.values(), default=0) + 1, [], {}, {}
        self.assigned = []
        self.weights = {}
        self.charges = {}
        for spec in specs:
            name, _, rest = spec.partition(".")
            if name in ("misses", "hard-misses", "weighted"):
                value = number(rest, 1, DEAREST)
                self.on_limits[name] = self.on_limits.get(name, 0) + value
            elif name == "pool":
                self.add_shared(spec)
            elif name in ("job", "once", "split", "else"):
                self.add_pass(name, rest.split("."))
            elif name in ("task", "give", "next"):
                self.add_assigned(name, rest.split("."))
            elif name == "charge":
                self.add_charge(rest.split("."))
            elif name == "weigh":
                self.add_weight(rest.split("."))
            else:
                self.add(spec)
        need(self.worth < DEAREST and self.paid < DEAREST, "all is worth too much, or a task may pay too much")

    def add_pass(self, name, words):
        """Adds a reward, a job that is counted, or what there is of splits, to the last pass or to one more."""
        need(len(words) == {"job": 3, "once": 2, "split": 3, "else": 1}[name], f"{name} of another form")
        p = number(words[0], max(0, len(self.passes) - 1), min(1 << 14, len(self.passes)))
        if p == len(self.passes):
            self.passes.append(Pass())
        of = self.passes[p]
        if name == "else":
            of.other = True
            return
        i = number(words[1])
        need(i in self.q.role, f"job {i} is not in the question")
        if name == "job":
            of.rewards[i] = of.rewards.get(i, 0) + number(words[2], 1, 1 << 32)
            need(of.rewards[i] <= 1 << 32, "too high a reward")
        elif name == "once":
            of.counted.append(i)
        else:
            need(of.split is None, "two splits before a pass")
            of.split = i, number(words[2], -1, FARTHEST)

    def add_assigned(self, name, words):
        """Adds a reward of a task, or what there is of cases, to the last pass or to one more."""
        need(len(words) == {"task": 3, "give": 2, "next": 1}[name], f"{name} of another form")
        n = number(words[0], max(0, len(self.assigned) - 1), min(1 << 14, len(self.assigned)))
        if n == len(self.assigned):
            self.assigned.append(AssignmentPass())
        of = self.assigned[n]
        if name == "next":
            of.next = True
            return
        t = number(words[1])
        need(t in self.q.places, f"task {t} is not in the question")
        if name == "give":
            of.give.append(t)
            return
        of.rewards[t] = of.rewards.get(t, 0) + number(words[2], 1, 1 << 32)
        need(of.rewards[t] <= 1 << 32, "too high a reward")

    def add_weight(self, words):
        """Adds what a task weighs."""
        need(len(words) == 2, "a weight of another form")
        t = number(words[0], max(self.weights, default=-1) + 1)
        need(t in self.q.places, f"task {t} is not in the question")
        self.weights[t] = number(words[1], 1, 1 << 20)

    def add_charge(self, words):
        """Adds what is charged to a job of what another pays, or itself."""
        need(len(words) == 3, "a charge of another form")
        i, j = number(words[0]), number(words[1])
        need(i in self.q.role and j in self.q.role, "a charge of a job that is not in the question")
        need((i, j) > max(self.charges, default=(-1, -1)), "charges that do not ascend")
        self.charges[i, j] = number(words[2], 1, DEAREST)

    def overcharged(self, state):
        """Whether jobs pay more than all is worth, those that are charged all of that if they are in time."""
        need(self.charges, "there are no charges")
        to = {}
        for (_, j), each in self.charges.items():
            to[j] = capped(to.get(j, 0) + each)
        ends = {j: self.pressed(state, j) for j in to}
        for i in sorted({i for i, _ in self.charges}):
            parts = sorted((self.pays_by(state, i, ends[j]), each) for (of, j), each in self.charges.items() if of == i)
            total = 0 if i in to else self.pays(state, i)
            for paid, each in parts:
                total = capped(total + each)
                need(total <= paid, f"job {i} pays less than is charged")
        return self.impossible(state, charged=to)

    def pressed(self, state, j):
        """By when stages end if a job is in time, of those for which that says something."""
        q, js = self.q, self.q.js
        by = {k: min(q.by[j], js.due(j)) for k in js.jobs[j]["ids"]}
        for k in reversed(list(q.stages_before)):
            if k not in by:
                continue
            handed = FARTHEST
            for t in js.stages[k]["tasks"]:
                latest = -1
                for s in q.open_to(t):
                    at, _ = q.last_stay(s, by[k], js.tasks[t])
                    if at >= q.first[t, s]:
                        latest = max(latest, at)
                handed = min(handed, latest)
            for b in q.stages_before[k]:
                by[b] = min(by.get(b, handed), handed)
        return by

    def pays_by(self, state, i, by):
        """The least that a job pays whose stages end by some times."""
        js, late, state = state.js, 0, state.copy()
        for k in js.jobs[i]["ids"]:
            need(k in by, f"job {i} does not come before one that it is charged to")
            state.suppose_bound(("g", k), "<=", by[k])
        if state.impossible:
            return LARGEST
        if self.q.role[i] == "must" and js.jobs[i]["kind"] == "soft":
            late = capped(self.on_limits.get("weighted", 0) * js.jobs[i]["weight"])
        return self.through(state, i, min(self.q.by[i], max(by[k] for k in js.jobs[i]["ids"])), late)

    def outweighed(self, state, a, b):
        """Whether tasks surely run for more in an interval, by their weights, than slaves can run at once."""
        js, total = state.js, 0
        need(self.weights and a < b, "no weights, or an empty interval")
        on = [[] for _ in js.slaves]
        for t, weight in self.weights.items():
            if not state.is_in(js.tasks[t].job):
                continue
            at = reaches(state, t)
            if not at:
                return True
            least = b - a
            for s, (_, _, lo, hi) in at.items():
                length = js.tasks[t].run[s]
                least = max(0, min(least, length, lo + length - a, b - hi))
            total += weight * least
            for s in state.left(t):
                on[s].append((t, weight))
        return total > sum(heaviest(js, s, of) for s, of in enumerate(on)) * (b - a)

    def add(self, spec):
        """Puts a price on a resource of a slave."""
        js, words = self.q.js, spec.split(".")
        need(len(words) == 5, f"{spec!r} is no price")
        r, s, a, b, value = (number(w) for w in words)
        need(s < len(js.slaves) and js.units(s, r) is not None and a < b <= FARTHEST and 0 < value <= DEAREST, f"{spec!r} is no price")
        price = self.of.setdefault((s, r), {})
        if js.units(s, r):
            self.ascend((s, r), *((js.beat_from(s, a), js.beat_from(s, b)) if held(r) == STAY else (a, b)))
        for p in range(a, min(b, self.end)):
            if held(r) != STAY or p == js.beat_by(s, p):
                price[p] = price.get(p, 0) + value
        ticks = b - a
        if held(r) == STAY:
            ticks = len(range(js.beat_from(s, a), b, js.heartbeat))
        self.worth += value * js.units(s, r) * ticks
        self.spans.setdefault((s, r), []).append((a, b, value))

    def ascend(self, of, a, b):
        """Intervals of prices of the same ascend, and do not overlap."""
        need(a >= self.until.get(of, 0), "prices of the same that do not ascend")
        self.until[of] = b

    def add_shared(self, spec):
        """Puts a price on a pool or a cap."""
        words = spec.split(".")[1:]
        need(len(words) == 4, f"{spec!r} is no price")
        n, a, b, value = (number(w) for w in words)
        limit = limit_of(self.q.js, n)
        need(a < b <= FARTHEST and 0 < value <= DEAREST, f"{spec!r} is no price")
        price = self.on_shared.setdefault(n, {})
        self.ascend(n, a, b)
        for p in range(a, min(b, self.end)):
            price[p] = price.get(p, 0) + value
        self.paid += value * max(limit.units.values(), default=0) * (b - a)
        points = sorted({a, b} | {p for p in limit.changes() if a < p < b})
        self.worth += value * sum(max(0, limit.at(p)) * (q - p) for p, q in zip(points, points[1:]))

    def shared_cost(self, t, a, b):
        """What a task pays that is held from a to b for what it takes of pools and caps."""
        limits = self.q.js.limits
        return sum(
            limits[n].units.get(t, 0) * sum(v for p, v in price.items() if a <= p < b)
            for n, price in self.on_shared.items())

    def cost(self, t, s, r, a, b):
        price, n = self.of.get((s, r)), self.q.js.needs(t, s, r)
        return n * sum(v for p, v in price.items() if a <= p < b) if price and n else 0

    def placements(self, state, t):
        """The least cost of a task by when it is handed out and when it finishes."""
        js, task, out = state.js, state.js.tasks[t], {}
        for s in state.left(t):
            c, e, tied = task.fetch[s], task.run[s], js.tied(t, s)
            kinds = {RUN: [], FETCH: [], STAY: []}
            for (slave, r) in self.of:
                if slave == s:
                    kinds[held(r)].append(r)
            for lo_r, hi_r, lo_s, hi_s in state.reach(t, s):
                run = {at: sum(self.cost(t, s, r, at, at + e) for r in kinds[RUN]) for at in range(lo_s, hi_s + 1)}
                stay = {}
                for fetch in range(lo_r, hi_r + 1):
                    at = js.beat_by(s, fetch)
                    fetched = sum(self.cost(t, s, r, fetch, fetch + c) for r in kinds[FETCH])
                    for start in [fetch + c] if tied else range(max(lo_s, fetch + c), hi_s + 1):
                        key = at, start + e
                        if key not in stay:
                            stay[key] = self.shared_cost(t, at, start + e)
                            stay[key] += sum(self.cost(t, s, r, at, start + e) for r in kinds[STAY])
                        paid = fetched + run[start] + stay[key]
                        out[key] = min(out.get(key, paid), paid)
        return out

    def parts(self, i):
        """The tasks of each stage of a job in turn, or of all where these are no chain."""
        js, ids = self.q.js, self.q.js.jobs[i]["ids"]
        if all(js.stages[k]["after"] == ids[:n][-1:] for n, k in enumerate(ids)):
            return [js.stages[k]["tasks"] for k in ids]
        return [js.tasks_of(i)]

    def let_go(self, state, i):
        job = state.js.jobs[i]
        if self.q.by[i] < state.js.due(i):
            return 0
        if job["kind"] == "soft":
            return capped(self.on_limits.get("misses", 0) * job["weight"])
        return self.on_limits.get("hard-misses", 0)

    def cheapest(self, state, i):
        """The least that a job which is in pays; LARGEST if it cannot be."""
        job, due, weight = state.js.jobs[i], state.js.due(i), state.js.jobs[i]["weight"]
        missed, late = self.on_limits.get("hard-misses", 0), 0
        if job["kind"] == "soft":
            missed = capped(self.on_limits.get("misses", 0) * weight)
            if self.q.role[i] == "must":
                late = capped(self.on_limits.get("weighted", 0) * weight)
        in_time = self.through(state, i, min(due, self.q.by[i]), 0)
        if self.q.by[i] <= due:
            return in_time
        return min(in_time, capped(missed + self.through(state, i, self.q.by[i], late)))

    def through(self, state, i, end, late):
        """The least that a job pays which ends by a time, and late per tick after its deadline."""
        state = state.copy()
        state.suppose((("e", i), "<=", end))
        if state.impossible:
            return LARGEST
        state.raise_ends()
        if state.impossible:
            return LARGEST
        due = state.js.due(i)
        after = [min(DEAREST, late * max(0, max(z, state.lo["e", i]) - due)) for z in range(end + 1)]
        first, *rest = self.parts(i)
        for part in reversed(rest):
            after = self.handed_out([self.placements(state, t) for t in part], after)
        ended = self.ended([self.placements(state, t) for t in first], end)
        return min(min(DEAREST, x + y) for x, y in zip(ended, after))

    def ended(self, tasks, end):
        """The least that tasks pay which all end by a time, by that."""
        total = [0] * (end + 1)
        for of in tasks:
            by = [DEAREST] * (end + 1)
            for (_, finish), paid in of.items():
                by[finish] = min(by[finish], paid)
            least = DEAREST
            for z in range(end + 1):
                least = min(least, by[z])
                total[z] = min(DEAREST, total[z] + least)
        return total

    def handed_out(self, tasks, after):
        """The least that tasks pay, with what comes after, which are handed out at a time or later."""
        out, later = [DEAREST] * (len(after) + 1), [{} for _ in tasks]
        for a in range(len(after) - 1, -1, -1):
            now = [{p: paid for p, paid in of.items() if p[0] == a} for of in tasks]
            out[a] = out[a + 1]
            if any(now):
                for n, of in enumerate(now):
                    later[n].update(of)
                ended = self.ended(later, len(after) - 1)
                out[a] = min(min(DEAREST, x + y) for x, y in zip(ended, after))
        return out[:-1]

    def idle(self, state):
        """What all is worth that nobody can hold yet, as inputs come one after the other."""
        need(not state.js.concurrent, "fetches are concurrent")
        return sum(self.idle_of(state, s, r) for s, r in self.spans if held(r) != FETCH)

    def idle_of(self, state, s, r):
        js, inputs, begin, most = state.js, [], NEVER, 0
        for t in self.q.places:
            task = js.tasks[t]
            if s not in state.left(t) or state.is_out(task.job) or js.needs(t, s, r) == 0:
                continue
            first = self.q.window[t, s][0]
            if state.is_in(task.job):
                hull = state.hull(t, s)
                if not hull:
                    continue
                first = hull[0]
            begin, most = min(begin, first), max(most, js.needs(t, s, r))
            inputs.append(task.fetch[s])
        inputs.sort()
        stays = held(r) == STAY
        early = js.heartbeat - 1 if stays else 0

        def holding(p):
            """How many units tasks can hold at a point, or from a heartbeat on."""
            left, arrived = p + early - begin, 0
            if left < 0:
                return 0
            for c in inputs:
                left -= c
                if left < 0:
                    break
                arrived += 1
            return min(js.units(s, r), most * min(len(inputs), arrived + stays))

        changes = [begin - early + sum(inputs[:n]) for n in range(len(inputs) + 1)]
        idle = 0
        for a, b, value in self.spans[s, r]:
            points = sorted({a, b} | {p for p in changes if a < p < b})
            for p, q in zip(points, points[1:]):
                ticks = len(range(js.beat_from(s, p), q, js.heartbeat)) if stays else q - p
                idle += value * (js.units(s, r) - holding(p)) * ticks
        return idle

    def pays(self, state, i):
        """The least that a job pays, in or let go."""
        if state.is_out(i):
            return self.let_go(state, i)
        own = self.cheapest(state, i)
        return own if state.is_in(i) else min(own, self.let_go(state, i))

    def pays_charged(self, state, i, paid):
        """The least that a job pays which pays so much if it is in time."""
        job, due = state.js.jobs[i], state.js.due(i)
        missed = capped(self.on_limits.get("misses", 0) * job["weight"]) if job["kind"] == "soft" else self.on_limits.get("hard-misses", 0)
        if job["kind"] not in ("soft", "hard"):
            missed = 0
        if state.is_out(i):
            return self.let_go(state, i)
        if not state.is_in(i):
            return min(paid, self.let_go(state, i))
        if state.hi["e", i] <= due:
            return paid
        return missed if state.lo["e", i] > due else min(paid, missed)

    def impossible(self, state, idle=0, charged=None):
        if not set(self.on_limits) <= set(self.q.limits):
            return False
        worth = self.worth - idle + sum(capped(value * self.q.limits[name]) for name, value in self.on_limits.items())
        paid = 0
        for i in self.q.role:
            paid += self.pays_charged(state, i, charged[i]) if charged and i in charged else self.pays(state, i)
        return capped(paid) > capped(worth)


# Assignments.


class AssignmentPass:
    """Rewards of tasks; before it the next case begins, and cases about who does some tasks."""

    def __init__(self):
        self.rewards, self.give, self.next = {}, [], False


class Assignment:
    """Which core does which task, each for a core alone. Groups of equal cores are (kind, number of cores, tasks)."""

    def __init__(self, state, passes):
        js = state.js
        need(passes, "there are no rewards for tasks")
        self.assigned = passes
        self.tasks = sorted(t for t in state.q.places if state.is_in(js.tasks[t].job))
        reach = {t: reaches(state, t) for t in self.tasks}
        here = {s: [t for t in self.tasks if s in reach[t]] for s in sorted(js.here)}
        together = all(len({reach[t][s][2] for t in of}) <= 1 for s, of in here.items())
        self.length, self.by, self.cores = [], [], []
        for s, of in here.items():
            if not of:
                continue
            length = {t: js.tasks[t].run[s] for t in of}
            begin = min(reach[t][s][2] for t in of)
            end = max(reach[t][s][3] + length[t] for t in of)
            by = {t: reach[t][s][3] + length[t] - begin if together else end - reach[t][s][2] for t in of}
            need(max(by.values()) < (1 << 22) // (1 + len(self.tasks)), "there are too many tasks and ticks")
            kinds = [k for k in range(len(self.length)) if (self.length[k], self.by[k]) == (length, by)]
            if kinds:
                self.cores[kinds[0]] += js.units(s, 0)
            else:
                self.length.append(length)
                self.by.append(by)
                self.cores.append(js.units(s, 0))

    def impossible(self):
        left = [(k, self.cores[k], frozenset(self.length[k])) for k in range(len(self.cores))]
        waiting, done = [], False  # cases that are to come, the next one last
        for one in self.assigned:
            need(done == one.next, "a case is left open, or is another")
            if one.next:
                left = waiting.pop()
            for t in one.give:
                groups = self.doers(left, t)
                need(groups, "cases about a task that nothing is left to")
                cases = [self.give(left, t, groups, n) for n in range(len(groups))]
                left = cases[0]
                waiting += cases[:0:-1]
            left = self.run(left, one.rewards)
            done = left is None
            if done and not waiting:
                return True
        return False

    def doers(self, left, t):
        return [g for g, (_, _, may) in enumerate(left) if t in may]

    def settled(self, left, t):
        groups = self.doers(left, t)
        return len(groups) == 1 and left[groups[0]][1] == 1

    def same(self, t, u):
        return all((length.get(t), by.get(t)) == (length.get(u), by.get(u)) for length, by in zip(self.length, self.by))

    def give(self, left, t, groups, n):
        """What is left if the n-th of the groups does a task, and no earlier one a task like it."""
        like = {u for u in self.tasks if u != t and self.same(t, u) and not self.settled(left, u) and self.doers(left, u) == groups}
        out, to = [], groups[n]
        for g, (kind, cores, may) in enumerate(left):
            may = may - like if g in groups[:n] else may
            out.append([kind, cores, may - {t}])
        kind, cores, may = left[to]
        if cores > 1:
            out[to][1] -= 1
            out.append([kind, 1, may])
        else:
            out[to][2] = may
        return [tuple(of) for of in out]

    def run(self, left, rewards):
        """What rewards leave; None for nothing."""
        must = {t for t in self.tasks if self.settled(left, t)}
        rewards = {t: v for t, v in rewards.items() if t not in must}
        most = [self.most(of, rewards, must) for of in left]
        if None in most:
            return None
        over = sum(v for t, v in rewards.items() if t in self.tasks) - sum(of[1] * m for of, m in zip(left, most))
        if over > 0:
            return None
        out = [set(may) for _, _, may in left]
        for t in set(self.tasks) - must:
            groups = self.doers(left, t)
            without = {g: self.most(left[g], rewards, must, without=t) for g in groups}
            lost = sum(left[g][1] * (most[g] - without[g]) for g in groups)
            for g in groups:
                chosen = self.most(left[g], rewards, must | {t})
                if chosen is None or over + lost + without[g] - chosen > 0:
                    out[g].remove(t)
            if not any(t in may for may in out):
                return None
        return [(kind, cores, frozenset(may)) for (kind, cores, _), may in zip(left, out)]

    def most(self, group, rewards, must, without=None):
        """The most that what a core of a group does is worth; None if what it has to do does not fit."""
        kind, _, may = group
        best = {0: 0}  # by when it is free
        for t in sorted(may - {without}, key=lambda u: self.by[kind][u]):
            end = {at + self.length[kind][t]: v + rewards.get(t, 0) for at, v in best.items()}
            end = {at: v for at, v in end.items() if at <= self.by[kind][t]}
            if t not in must:
                for at, v in best.items():
                    end[at] = max(v, end.get(at, 0))
            best = end
        return max(best.values(), default=None)


# Sequences.

IDLE = -1


class Pass:
    """Rewards and further jobs that are counted; what is left may be split before it, or the other part of a split begins."""

    def __init__(self):
        self.rewards, self.counted, self.split, self.other = {}, [], None, False


class Sequence:
    """Walks through the time of slaves, by job, as many as they run tasks at a time; IDLE is a tick of none."""

    def __init__(self, state, prices, free):
        self.state, self.q, self.js = state, state.q, state.js
        self.price, self.passes = prices.on_limits.get("weighted", 0), prices.passes
        need(set(prices.on_limits) <= set(self.q.limits), "there is no limit")
        self.most = sum(value * self.q.limits[name] for name, value in prices.on_limits.items())
        need(self.most < 1 << 58, "too much is allowed")
        pays = {i: min(1 << 32, prices.let_go(state, i)) for i in self.q.role}
        self.most -= sum(pays[i] for i in self.q.role if state.is_out(i))
        self.jobs = [i for i in self.q.role if len(self.js.tasks_of(i)) == 1 and (state.is_in(i) or pays[i] and not state.is_out(i))]
        self.let_go = {i: pays[i] for i in self.jobs if not state.is_in(i)}
        need(self.jobs, "no job of one task is in")
        orders = free and self.only_orders()
        self.run, self.length, self.starts, self.lines, self.here = {}, {}, {}, {}, {}
        for s in sorted(self.js.here):
            self.look_at(s)
        self.tight = orders and all(self.take_turns(s) for s in self.starts)
        if self.tight:
            for s in self.starts:
                self.hand_out_at_start(s)
        for s in list(self.starts):
            self.part_lines(s)
        need(sum(self.lines.values()) <= 1 << 8, "too many tasks at a time")
        self.only = list(self.lines.values()) == [1]
        self.alike = all(self.of_slave(s) == self.of_slave(min(self.starts)) for s in self.starts)
        need(sum(end - begin for begin, _, end in map(self.ends, self.starts)) <= 1 << 20, "there is too much time")

    def look_at(self, s):
        """When jobs can start on a slave."""
        js, here = self.js, [i for i in self.jobs if s in self.state.left(self.task(i))]
        starts = {i: [(a, b) for _, _, a, b in self.state.reach(self.task(i), s)] for i in here}
        if not any(starts.values()):
            return
        self.here[s] = here
        self.lines[s] = min(self.at_a_time(s, here, RUN), self.at_a_time(s, here, STAY))
        self.starts[s] = {i: spans for i, spans in starts.items() if spans}
        self.run[s] = {i: js.tasks[self.task(i)].run[s] for i in here}
        self.length[s] = dict(self.run[s])
        if self.lines[s] == len(here) == len(self.starts[s]) and all(len(self.q.places[self.task(i)]) == 1 for i in here):
            if not js.slaves[s]["taken"] and self.take_turns(s):
                self.set_apart(s)

    def set_apart(self, s):
        """Leaves the jobs of a slave out, which takes all of them at once: they begin as early as they can."""
        for i, spans in self.starts[s].items():
            self.most -= self.pays(i, min(a for a, _ in spans) + self.run[s][i])
            self.jobs.remove(i)
        for of in (self.run, self.length, self.starts, self.lines, self.here):
            del of[s]

    def kinds(self, s, how):
        return [r for r in range(NAMED + 8) if self.js.units(s, r) is not None and held(r) == how]

    def needs(self, s, here, r):
        return sorted(self.js.needs(self.task(i), s, r) for i in here)

    def at_a_time(self, s, here, how):
        """How many tasks there may be at a time, by what they hold in a way."""
        if len(here) < 2 or any(sum(self.needs(s, here, r)[:2]) > self.js.units(s, r) for r in self.kinds(s, how)):
            return 1
        least = {r: self.needs(s, here, r)[0] for r in self.kinds(s, how)}
        return min([len(here)] + [self.js.units(s, r) // n for r, n in least.items() if n])

    def task(self, i):
        return self.js.tasks_of(i)[0]

    def of_slave(self, s):
        return self.run[s], self.length[s], self.starts[s]

    def only_orders(self):
        js, q = self.js, self.q
        if set(self.jobs) != {i for i in q.role if not self.state.is_out(i)} or not self.one_limit():
            return False
        for i in self.jobs:
            t = self.task(i)
            stage = js.stages[js.tasks[t].stage]
            taken = any(limit.units.get(t, 0) for limit in js.limits.values())
            if q.role[i] != "must" and i not in self.let_go or q.stages_before[js.tasks[t].stage] or stage["together"] or taken:
                return False
        return True

    def one_limit(self):
        """Whether the weighted lateness alone is limited, or late jobs of which all that are in are in time, if anything is."""
        q, kind = self.q, {"misses": "soft", "hard-misses": "hard"}
        if len(q.limits) > 1 or set(q.limits) <= {"weighted"}:
            return len(q.limits) <= 1
        (name,) = q.limits
        return all(self.js.jobs[i]["kind"] != kind[name] or q.by[i] <= self.js.due(i) for i in q.role)

    def take_turns(self, s):
        """Whether tasks that take turns on the lines of a slave, once these are there, keep to all that it has."""
        js, here = self.js, self.here[s]
        if js.slaves[s]["down"]:
            return False
        one = self.at_a_time(s, here, STAY) == 1
        if not one and any(js.tasks[self.task(i)].fetch[s] for i in here):
            return False
        lines = self.lines_from(s, one)
        for how in (RUN, STAY, FETCH):
            for r in self.kinds(s, how):
                needs = self.needs(s, here, r)
                any_so_many = (self.lines[s] == 1 or needs[0] == needs[-1]) and (one or how == RUN or how == STAY and js.heartbeat == 1)
                for p in self.changes(s):
                    there = sum(begin <= p for begin in lines)
                    left = js.units(s, r) - js.taken(s, r, p)
                    if sum(needs) > left and not (any_so_many and there * needs[-1] <= left):
                        return False
        return True

    def changes(self, s):
        """When more or less is taken of a slave from then on."""
        return sorted({0} | {p for _, a, b, _ in self.js.slaves[s]["taken"] for p in (a, b)})

    def lines_from(self, s, by_stay):
        """When each line of a slave is there: when for the first time as many fit that need the least."""
        js, out = self.js, []
        for p in self.changes(s):
            fit = self.lines[s]
            for r in self.kinds(s, STAY) + ([] if by_stay else self.kinds(s, RUN)):
                least = self.needs(s, self.here[s], r)[0]
                if least:
                    fit = min(fit, max(0, js.units(s, r) - js.taken(s, r, p)) // least)
            out += [p] * (fit - len(out))
        return out

    def part_lines(self, s):
        """Parts the lines of a slave by when they are there; they are told apart as (s, when)."""
        by_stay = self.at_a_time(s, self.here[s], STAY) == 1
        run, length, starts = self.run.pop(s), self.length.pop(s), self.starts.pop(s)
        lines = self.lines_from(s, by_stay)
        del self.lines[s]
        for begin in sorted(set(lines)):
            first = self.js.beat_from(s, begin) if by_stay else begin
            left = {i: [(max(a, first), b) for a, b in spans if max(a, first) <= b] for i, spans in starts.items()}
            left = {i: spans for i, spans in left.items() if spans}
            if left:
                self.starts[s, begin], self.lines[s, begin] = left, lines.count(begin)
                self.run[s, begin] = {i: run[i] for i in left}
                self.length[s, begin] = {i: length[i] for i in left}

    def hand_out_at_start(self, s):
        """Where one task stays at a time, it begins when it is handed out, and the next at a heartbeat."""
        h = self.js.heartbeat
        if self.at_a_time(s, self.here[s], STAY) > 1:
            return
        for i in self.starts[s]:
            task, (first, last) = self.js.tasks[self.task(i)], self.q.window[self.task(i), s]
            self.run[s][i] = task.fetch[s] + task.run[s]
            self.length[s][i] = -(-self.run[s][i] // h) * h
            self.starts[s][i] = [(first, last - task.fetch[s])]

    def pays(self, i, end):
        job = self.js.jobs[i]
        if job["kind"] != "soft" or self.q.role[i] != "must":
            return 0
        return min(1 << 32, self.price * job["weight"] * max(0, end - job["due"]))

    def ends(self, s):
        """When walks on a slave begin, and when they end at the earliest and at the latest."""
        spans = [(a, b + self.length[s][i]) for i, of in self.starts[s].items() for a, b in of]
        begin, latest, end = min(a for a, _ in spans), max(a for a, _ in spans), max(b for _, b in spans)
        lines, everything, longest = sum(self.lines.values()), sum(self.length[s].values()), max(self.length[s].values())
        needed = sum(length for i, length in self.length[s].items() if i not in self.let_go)
        if not self.alike:
            return begin, begin, min(end, latest + everything) if self.tight else end
        least = begin
        if self.only or self.tight and begin == latest:
            least += max(0, -(-(needed - (lines - 1) * longest) // lines))
        if self.tight:
            end = min(end, latest + (everything + (lines - 1) * longest) // lines)
        return begin, least, end

    def costs(self, s, i, start, rewards):
        return 0 if i == IDLE else self.pays(i, start + self.run[s][i]) - rewards.get(i, 0)

    def fits(self, s, before, i, at):
        """Whether a job may come right after another."""
        if i == IDLE:
            return True
        if before == IDLE:
            return not self.tight or at == self.starts[s][i][0][0]
        if before == i or not self.tight:
            return before != i
        begin, run = at - self.length[s][before], self.run[s]
        swapped = begin + self.length[s][i]
        if self.starts[s][i][0][0] > begin or swapped > self.starts[s][before][0][1]:
            return True
        this = self.pays(before, begin + run[before]) + self.pays(i, at + run[i])
        other = self.pays(i, begin + run[i]) + self.pays(before, swapped + run[before])
        if self.only:
            return (this, before) < (other, i)
        return (this, self.length[s][before], before) < (other, self.length[s][i], i)

    def impossible(self):
        """Whether walks cost too much, in each part of what is split."""
        self.at, self.rewards = 0, {}
        need(not self.passes or not self.passes[0].other, "there is no split")
        return self.part({}, {s: (frozenset(), None) for s in self.starts}, set(), set(self.jobs) - set(self.let_go))

    def part(self, within, left, counted, must):
        """Goes through passes until what is left is impossible; within has when jobs start that were split by."""
        while self.at < len(self.passes):
            of = self.passes[self.at]
            if of.split:
                (i, by), of.split = of.split, None
                need(i in self.jobs, f"job {i} has not one task")
                return self.halves(i, by, within, left, counted, must)
            self.at, self.rewards = self.at + 1, of.rewards or self.rewards
            for i in of.counted:
                need(i in self.jobs and i not in counted and len(counted) < 64, f"job {i} cannot be counted")
                counted.add(i)
            left = self.leave(within, left, counted, must)
            if left is None:
                return True
            need(self.at == len(self.passes) or not self.passes[self.at].other, "the first part of a split may be possible")
        return False

    def halves(self, i, by, within, left, counted, must):
        first, last = within.get(i, (0, FARTHEST))
        if not self.part({**within, i: (first, min(last, by))}, left, set(counted), set(must)):
            return False
        self.pass_over()
        if self.at == len(self.passes):
            return False
        self.passes[self.at].other = False
        return self.part({**within, i: (max(first, by + 1), last)}, left, set(counted), must | {i})

    def leave(self, within, left, counted, must):
        """The steps of walks that are cheap enough, by slave; None if all cost too much. Jobs that would cost too much let go must run then."""
        self.within, self.must = within, must
        walked = {s: self.walk(s, self.rewards, counted, *left[s]) for s in self.starts}
        least = {s: of[0] for s, of in walked.items()}
        paid = {i: self.rewards.get(i, 0) if i in must else min(self.rewards.get(i, 0), self.let_go[i]) for i in self.jobs}
        total = sum(self.lines[s] * cost for s, cost in least.items()) + sum(paid.values())
        if max(least.values(), default=0) >= NEVER or total > self.most:
            return None
        must |= {i for i in self.jobs if i not in must and total - paid[i] + self.let_go[i] > self.most}
        now = frozenset(counted)
        return {s: (now, {step for step, cost in through.items() if cost <= self.most - (total - least[s])}) for s, (_, through) in walked.items()}

    def pass_over(self):
        """Goes on to the other part of the split of which the first is impossible."""
        depth = 0
        while self.at < len(self.passes):
            of = self.passes[self.at]
            if of.other and depth == 0:
                return
            depth += (of.split is not None) - of.other
            self.at, self.rewards = self.at + 1, of.rewards or self.rewards

    def steps(self, s, at, done, counted, before, left, end):
        """Where one can go on to from a time at which some jobs that are counted are done."""
        latest = max(a for spans in self.starts[s].values() for a, _ in spans)
        for i in [*self.starts[s], IDLE]:
            first, last = self.within.get(i, (0, FARTHEST))
            if i in done or not first <= at <= last or left is not None and (at, done & before, i) not in left:
                continue
            if i == IDLE:
                if at < (min(end, latest) if self.tight else end):
                    yield i, at + 1, done
            elif at + self.length[s][i] <= end and any(a <= at <= b for a, b in self.starts[s][i]):
                yield i, at + self.length[s][i], done | {i} if i in counted else done

    def walk(self, s, rewards, counted, before, left):
        """The least cost of a walk, and that of the least walk with each step (time, what is done, job)."""
        begin, least_end, end = self.ends(s)
        needed = frozenset(counted & self.must)
        arrive = {(begin, frozenset()): {IDLE: 0}}
        order = {t: [] for t in range(begin, end + 1)}
        order[begin].append((begin, frozenset()))
        onward = {}
        for t in order:
            for point in order[t]:
                onward[point] = list(self.steps(s, *point, counted, before, left, end))
                for i, to, done in onward[point]:
                    cost = min((c for b, c in arrive[point].items() if self.fits(s, b, i, t)), default=None)
                    if cost is None:
                        continue
                    if (to, done) not in arrive:
                        order[to].append((to, done))
                    arrive.setdefault((to, done), {})[i] = cost + self.costs(s, i, t, rewards)
        rest, through = {}, {}
        for t in sorted(order, reverse=True):
            for point in order[t]:
                over = t >= least_end and (not self.only or point[1] >= needed)
                rest[point] = dict.fromkeys(arrive[point], 0 if over else NEVER)
                for i, to, done in onward[point]:
                    after = rest.get((to, done), {}).get(i, NEVER)
                    if after >= NEVER:
                        continue
                    own = self.costs(s, i, t, rewards)
                    for b, cost in arrive[point].items():
                        if self.fits(s, b, i, t):
                            rest[point][b] = min(rest[point][b], own + after)
                            key = t, point[1], i
                            through[key] = min(through.get(key, NEVER), cost + own + after)
        return rest[begin, frozenset()][IDLE], through


# The file.


class Checker:
    def __init__(self, data, lines):
        self.data, self.lines, self.at = data, lines, 0
        self.refuted, self.claims = [], []

    def next(self):
        """The fields of the next line that is no comment."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if not line.startswith("#"):
                need(line and "" not in line.split(" "), "an empty field")
                return line.split(" ")
        self.at += 1
        raise Fault("the file ends too soon")

    def run(self):
        self.head()
        words = self.next()
        while words[0] == "question":
            need(words == ["question", str(len(self.refuted) + 1)], "questions are not in order")
            self.question()
            words = self.next()
        while words[0] == "claim":
            self.claim(words[1:])
            words = self.next()
        need(words == ["end", str(self.at - 1)], "this is not the end, or lines are missing")
        need(self.claims, "nothing is claimed")
        if self.at < len(self.lines):
            self.at += 1
            raise Fault("something behind the end")
        return self.claims

    def head(self):
        need(self.next() == ["downbeat", "proof", "1"], "no proof file of version 1")
        need(self.next() == ["digest", self.data["digest"]], "about another job set")
        words = self.next()
        need(words[0] == "tick" and len(words) == 2, "no tick")
        self.tick = number(words[1], 1)
        self.js = JobSet(self.data, self.tick)
        self.apart = copy.copy(self.js)
        self.apart.slaves, self.apart.here = list(self.js.slaves), set(self.js.here)
        one = set()
        while (members := self.listed("alike", len(self.js.slaves))) is not None:
            self.take_together(members)
            one |= set(members)
        away = self.listed("without", len(self.js.slaves))
        need(away is None or away, "no slave is listed")
        need(not one & set(away or []), "a slave counts as one with others, and is there")
        self.js.here -= set(away or [])
        self.apart.here -= set(away or [])
        self.out = self.listed("left-out", len(self.js.jobs))
        if self.out is not None:
            self.check_out()

    def take_together(self, members):
        """The first of some slaves has what all have, the others are not there."""
        js, first = self.js, members[0]
        one = js.slaves[first]
        need(len(members) > 1 and not js.fifo, "slaves are not alike")
        for s in members:
            need(s in js.here and js.slaves[s] == one and not one["taken"], f"slaves {first} and {s} are not alike")
        for t in js.tasks:
            runs, fetches = {t.run[s] for s in members}, {t.fetch[s] for s in members}
            need(len(runs) == 1 and len(fetches) == 1, f"task {t.number} tells slaves apart")
            if t.run[first]:
                need(not js.stages[t.stage]["apart_now"], f"task {t.number} is apart")
                need(js.concurrent or t.fetch[first] == 0, f"task {t.number} fetches")
        n = len(members)
        js.slaves[first] = {**one, "cores": n * one["cores"], "slots": [n * k for k in one["slots"]],
                            "units": [n * k for k in one["units"]]}
        js.here -= set(members[1:])

    def listed(self, word, n):
        """The numbers of a line that begins with a word, which may not be there."""
        before = self.at
        words = self.next()
        if words[0] != word:
            self.at = before
            return None
        numbers = [number(w, 0, n - 1) for w in words[1:]]
        need(numbers == sorted(set(numbers)), "numbers do not ascend")
        return numbers

    def check_out(self):
        """That jobs which are left out can run nowhere, or come after others, and none comes after one that is in."""
        js, everything = self.js, Question(self.js, [])
        everything.role = {i: "may" for i in range(len(js.jobs))}
        ends = everything.ends_alone()
        for i, job in enumerate(js.jobs):
            after = any(k in self.out for k in job["after"])
            nowhere = max(ends[k] for k in job["ids"]) >= NEVER
            need(i not in self.out or job["kind"] != "hard" and (after or nowhere), f"job {i} may not be left out")
            need(i in self.out or not after, f"job {i} comes after one that is left out")

    def question(self):
        q = Question(self.js, self.refuted)
        words = self.next()
        while words[0] in ("must", "may", "later"):
            q.add_job(words[0], words[1:])
            words = self.next()
        while words[0] in ("misses", "hard-misses", "weighted"):
            q.add_limit(words[0], words[1:])
            words = self.next()
        q.begin()
        steps = Steps(q)
        while words[0] != "refuted":
            steps.step(words)
            words = self.next()
        need(len(words) == 3 and words[1] == str(len(self.refuted) + 1), "another question is refuted")
        need(steps.clauses.get(number(words[2])) == (), f"step {words[2]} is not the empty clause")
        self.refuted.append(q)

    def claim(self, words):
        if words[0] == "infeasible":
            need(len(words) == 2, "a claim of another form")
            q = self.by(words[1])
            self.follows(q, {}, True)
            self.keeps(q, True, True)
            self.claims.append("infeasible")
            return
        need(len(words) >= 5 and words[1] == ">=" and words[-2] == "by", "a claim of another form")
        names = {"misses", "tardiness", "weighted-tardiness", "makespan", "hard-misses"}
        given, rest = {}, words[3:-2]
        if rest:
            need(rest[0] == "given" and len(rest) > 1 and (len(rest) - 1) % 3 == 0, "a claim of another form")
            for name, op, v in zip(rest[1::3], rest[2::3], rest[3::3]):
                need(name in names and name not in given and op == "<=", "a claim of another form")
                given[name] = number(v)
        name, least = words[0], number(words[2])
        need(name in names and name not in given, "a claim of another form")
        limits = {**given, name: least - 1}
        self.follows(self.by(words[-1]), limits, "hard-misses" not in limits)
        self.keeps(self.by(words[-1]), False, "hard-misses" not in limits)
        times = {"tardiness", "weighted-tardiness", "makespan"}
        self.claims.append(f"{name} >= {least * (self.tick if name in times else 1)}" + "".join(
            f", {n} <= {v * (self.tick if n in times else 1)}" for n, v in given.items()))

    def by(self, word):
        return self.refuted[number(word, 1, len(self.refuted)) - 1]

    def keeps(self, q, infeasible, hard):
        """That no job which plans may leave out is asked for."""
        js = self.js
        if self.out is not None and not infeasible:
            need(not set(self.out) & set(q.role), "a job is asked for that is left out")
            return
        out = self.apart.leavable()
        if hard:
            needed = {i for i, job in enumerate(js.jobs) if job["kind"] == "hard"}
            for i in reversed(js.job_order()):
                needed |= set(js.jobs[i]["after"]) if i in needed else set()
            out -= needed
        asked = {i for i, role in q.role.items() if role != "may" or self.out is not None}
        need(not out & asked, "a job is asked for that plans may leave out")

    def follows(self, q, limits, hard):
        """That plans within limits are plans as q asks for."""
        js = self.js
        for i, role in q.role.items():
            job, forced = js.jobs[i], [NEVER]
            if role != "must":
                continue
            if job["kind"] == "hard" and hard:
                forced.append(job["due"])
            if job["kind"] == "soft" and "tardiness" in limits:
                forced.append(job["due"] + limits["tardiness"])
            if job["kind"] == "soft" and "weighted-tardiness" in limits:
                forced.append(job["due"] + limits["weighted-tardiness"] // job["weight"])
            if "makespan" in limits:
                forced.append(limits["makespan"])
            need(q.by[i] >= min(forced), f"job {i} need not end by {q.by[i]}")
        for name, most in q.limits.items():
            name = "weighted-tardiness" if name == "weighted" else name
            need(name in limits and most >= limits[name], f"the question limits {name}, the claim does not")


class Steps:
    """The steps of a refutation."""

    def __init__(self, q):
        self.q, self.clauses, self.prices, self.last, self.units = q, {}, {}, -1, False

    def step(self, words):
        kind = words[0]
        need(kind in ("c", "n", "m", "d"), f"{kind!r} is no step")
        if kind == "d":
            need(len(words) > 1, "nothing is deleted")
            for word in words[1:]:
                of = self.clauses if number(word) in self.clauses else self.prices
                need(int(word) in of, f"there is no step {word}")
                del of[int(word)]
            return
        need(len(words) > 1, "a step without ID")
        step = number(words[1], self.last + 1)
        self.last = step
        if kind == "m":
            self.prices[step] = Prices(self.q, words[2:])
            return
        parts = [[]]
        for word in words[2:]:
            if word == ":":
                parts.append([])
            else:
                parts[-1].append(word)
        clause = self.infer(parts) if kind == "c" else self.nogood(parts)
        self.clauses[step] = clause = weakest(clause)
        self.q.root.impossible |= not clause
        if len(clause) == 1:
            self.q.root.suppose(clause[0])
            if not self.q.root.impossible:
                self.q.root.raise_ends()
            self.units = True

    def literals(self, words):
        return tuple(self.q.read(w) for w in words)

    def supposed(self, clause):
        state = self.q.root.copy()
        for lit in clause:
            state.suppose(negated(lit))
        return state

    def infer(self, parts):
        need(len(parts) == 2 and parts[0], "a step of another form")
        rule, *args = parts[0]
        need(rule in ARGS, f"there is no rule {rule!r}")
        need(len(args) == len(ARGS[rule]) or len(args) >= {"push": 3, "pool-push": 2}.get(rule, MOST), f"{rule} has other arguments")
        args = [number(word) for word in args]
        self.check_args(rule, args)
        need(rule != "order" or not self.q.js.fifo, "tasks are not ordered with fifo")
        clause = self.literals(parts[1])
        state = self.supposed(clause)
        if not state.impossible:
            state.raise_ends()
        if not state.impossible:
            self.apply(rule, args, state, not clause and not self.units)
        return clause

    def apply(self, rule, args, state, free):
        """Whether a rule says so; free tells that nothing is supposed, and nothing was found out before."""
        if rule in ("prices", "idle", "sequence", "assignment", "weights", "charges"):
            need(args[0] in self.prices, f"there are no prices {args[0]}")
        if rule == "prices":
            follows = self.prices[args[0]].impossible(state)
        elif rule == "idle":
            follows = self.prices[args[0]].impossible(state, self.prices[args[0]].idle(state))
        elif rule == "charges":
            follows = self.prices[args[0]].overcharged(state)
        elif rule == "weights":
            follows = self.prices[args[0]].outweighed(state, *args[1:])
        elif rule == "sequence":
            follows = Sequence(state, self.prices[args[0]], free).impossible()
        elif rule == "assignment":
            follows = Assignment(state, self.prices[args[0]].assigned).impossible()
        else:
            follows = RULES[rule](state, args)
        need(follows, f"the clause does not follow by {rule}")

    def check_args(self, rule, args):
        """That arguments are about what is in the question, or are numbers that can be."""
        kinds, q, js = ARGS[rule], self.q, self.q.js
        for n, kind in zip(args, kinds + kinds[-1:] * len(args)):
            known = {"t": n in q.places, "s": n < len(js.slaves), "i": n in q.role, "l": n < js.limit_numbers,
                     "k": n < len(js.stages) and js.stages[n]["job"] in q.role,
                     "r": n < NAMED + 8, "p": n <= FARTHEST, "q": True, "m": True}[kind]
            need(known, f"{rule} is about what is not in the question")

    def nogood(self, parts):
        need(len(parts) == 3 and not parts[0], "a step of another form")
        clause = self.literals(parts[1])
        state = self.supposed(clause)
        for word in parts[2]:
            need(number(word) in self.clauses, f"there is no step {word}")
            if state.impossible or any(state.truth(lit) for lit in self.clauses[int(word)]):
                continue
            open_ = [lit for lit in self.clauses[int(word)] if state.truth(lit) is not False]
            need(len(open_) < 2, f"step {word} leaves {len(open_)} literals")
            if not open_:
                state.impossible = True
            else:
                state.suppose(open_[0])
        need(state.impossible, "the steps leave it possible")
        return clause


def check(data, text):
    """The claims that a proof proves; a Fault otherwise, with its line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    checker = Checker(data, [line.removesuffix("\r") for line in lines])
    try:
        return "proved " + "; ".join(checker.run())
    except Fault as fault:
        return f"line {checker.at}: {fault}"


def read(name):
    """A file as text; what is no UTF-8 stands for itself, as it may in comments."""
    opener = gzip.open if name.endswith(".gz") else open
    with opener(name, "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def main(names):
    for job_set, proof in zip(names[::2], names[1::2]):
        print(check(json.loads(read(job_set)), read(proof)), flush=True)


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    main(sys.argv[1:])

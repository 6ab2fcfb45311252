#!/usr/bin/env python3
"""Waves of jobs, more and more of them, as a workload for downbeat:

    downbeat bench --workload 'exec:python3 examples/workloads/waves.py:waves=4' --seeds 1-20

It reads one line of JSON, and writes a job set. docs/workloads.md describes both.
"""
import json
import random
import sys

asked = json.loads(sys.stdin.readline())
rng = random.Random(asked["seed"])
waves = int(asked["keys"].get("waves", 3))
jobs = []
for wave in range(waves):
    for n in range(wave + 1):
        jobs.append({
            "name": f"w{wave + 1}-{n + 1}",
            "release": 40 * wave,
            "deadline": rng.randint(30, 90),
            "hard": rng.random() < 0.5,
            "map": {"tasks": rng.randint(1, 6), "wcet": rng.randint(5, 15), "transfer": 2},
        })
json.dump({
    "version": 1,
    "cluster": {"heartbeat": 3, "slaves": [{"name": "s", "count": 3, "slots": 2}]},
    "jobs": jobs,
}, sys.stdout)

#!/usr/bin/env python3
"""Least laxity first, or with the argument fifo first come first served, for downbeat:

    downbeat simulate nightly.yaml --policy 'exec:python3 policies/least_laxity.py'

It ranks jobs. docs/exec-policies.md describes the lines that it reads and writes.
"""
import json
import sys

FIFO = sys.argv[1:] == ["fifo"]
jobs = {}  # by number, as they were when they arrived


def key(job):
    """The job with the smallest key goes first, one with None last."""
    spec = jobs[job["job"]]
    if FIFO:
        return spec["release"]
    return spec["due"] - job["remaining"] if "due" in spec else None


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        jobs.clear()  # of the run before
    for event in message.get("events", []):
        if event["event"] == "arrived":
            jobs[event["job"]] = event
    if message["type"] == "start":
        answer = {"version": 1, "decides": "jobs", "on": [] if FIFO else ["remaining"], "stays": True}
    elif message["type"] == "rank":
        answer = {"keys": [key(job) for job in message["jobs"]]}
    else:  # the end of a run, which has no answer; another may begin
        continue
    print(json.dumps(answer), flush=True)

#!/usr/bin/env python3
"""Of what fits, the task that ends soonest on the slave that asks; local input first.

    downbeat simulate nightly.yaml --policy 'exec:python3 policies/soonest.py'

It hands out tasks. docs/exec-policies.md describes the lines that it reads and writes.
"""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        answer = {"version": 1, "decides": "tasks", "stays": True}
    elif message["type"] == "heartbeat":
        order = sorted(message["candidates"], key=lambda c: (not c["local"], c["finish"]))
        answer = {"rank": [c["group"] for c in order]}
    else:  # the end of a run, which has no answer; another may begin
        continue
    print(json.dumps(answer), flush=True)

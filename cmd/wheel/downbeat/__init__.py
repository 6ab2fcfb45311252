"""downbeat for Python: the program, which this wheel holds, behind functions.

    import downbeat

    night = {
        "version": 1, "time_unit": "1m",
        "cluster": {"heartbeat": 1, "slaves": [{"name": "node", "count": 2, "cores": 4}]},
        "jobs": [{"name": "etl", "deadline": 60, "hard": True, "map": {"tasks": 8, "wcet": 12}}],
    }
    downbeat.check(night)["status"]            # "feasible"
    downbeat.plan(night, budget=300)["tasks"]  # when and where each task runs

A job set, a plan or a run is a dict of the fields that `downbeat schema` describes, or the
path of a file. Keyword arguments are the flags of the command, with _ for -: time_limit="10s",
budget=300, drop=["ads", "mail"]. Answers are dicts, as --format json prints them; `status`
says what came out. A "no", or a limit that came first, is an answer and no exception.
"""

from ._client import (
    Error,
    Flag,
    JobSet,
    Plan,
    UsageError,
    bench,
    binary,
    check,
    diff,
    plan,
    run,
    simulate,
    size,
    slack,
    validate,
    version,
)

__all__ = [
    "Error",
    "Flag",
    "JobSet",
    "Plan",
    "UsageError",
    "bench",
    "binary",
    "check",
    "diff",
    "plan",
    "run",
    "simulate",
    "size",
    "slack",
    "validate",
    "version",
]

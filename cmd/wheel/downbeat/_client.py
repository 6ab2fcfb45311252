"""Runs the program and reads its JSON."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

if TYPE_CHECKING:
    import pandas

JobSet = Union[Mapping[str, Any], str, "os.PathLike[str]"]
"""A job set as a dict (`downbeat schema`), or the path of a file."""

Plan = Union[Mapping[str, Any], str, "os.PathLike[str]"]
"""A plan or a run as a dict (`downbeat schema plan`), or the path of a file."""

Flag = Union[str, int, float, bool, "os.PathLike[str]", Mapping[str, Any], Sequence[Union[str, int, float]], None]
"""The value of a flag: True for one without a value, a list for one that is repeated, a
dict for one that names a file (from_={...}), None to leave it out."""

# Exit codes of the program that come with an answer: done, a proved or found no, a limit.
_ANSWERS = (0, 1, 3)


class Error(Exception):
    """The program failed, or cannot be found."""


class UsageError(Error):
    """A flag or a file is wrong; the message says where, and what to write instead."""


def binary() -> str:
    """The path of the program: $DOWNBEAT, that of this wheel, or one on the PATH."""
    named = os.environ.get("DOWNBEAT")
    if named:
        return named
    name = "downbeat.exe" if sys.platform == "win32" else "downbeat"
    folders: list[str] = [sysconfig.get_path("scripts")]
    if sys.version_info >= (3, 10):
        folders.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    beside = pathlib.Path(__file__).resolve().parent.parent
    folders += [str(beside / "bin"), str(beside / "Scripts")]  # pip install --target
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if found is None:
        raise Error("the program downbeat is not to be found: neither in " + ", ".join(folders) + " nor on the PATH; name it in $DOWNBEAT")
    return found


def version() -> str:
    """The version of the program."""
    done = subprocess.run([binary(), "version"], capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout.split()[1]


class _Files:
    """Files of dicts that a call names, gone after it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.count = 0

    def name(self, value: Any, what: str) -> str:
        """The path of a file with the value; a path is itself."""
        if not isinstance(value, Mapping):
            return str(os.fspath(value))
        self.count += 1
        path = os.path.join(self.folder, f"{what}-{self.count}.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(value, f, allow_nan=False)
        return path

    def flags(self, flags: Mapping[str, Flag]) -> list[str]:
        """The flags as the program takes them."""
        out: list[str] = []
        for name, value in flags.items():
            flag = "--" + name.rstrip("_").replace("_", "-")
            if isinstance(value, (list, tuple)):
                out += [f"{flag}={one}" for one in value]
            elif isinstance(value, bool):
                out.append(f"{flag}={'true' if value else 'false'}")
            elif isinstance(value, Mapping):
                out.append(f"{flag}={self.name(value, name.rstrip('_'))}")
            elif value is not None:
                out.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
        return out


def _call(arguments: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    """Runs the program; messages name files in the folder without it."""
    done = subprocess.run([binary(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    if done.returncode in _ANSWERS:
        return done
    message = done.stderr.strip().replace(folder + os.sep, "")
    if done.returncode == 2:
        raise UsageError(message)
    raise Error(f"downbeat {arguments[0]} ended with code {done.returncode}: {message}")


def run(command: str, *files: JobSet | Plan, **flags: Flag) -> dict[str, Any]:
    """The answer of a command that has --format json, such as `run("show", night, plan)`."""
    with tempfile.TemporaryDirectory(prefix="downbeat-") as folder:
        of = _Files(folder)
        names = [of.name(f, "job-set" if i == 0 else "plan") for i, f in enumerate(files)]
        done = _call([command, "--format=json", "--quiet", *of.flags(flags), "--", *names], folder)
    if not done.stdout.strip():
        raise Error(f"downbeat {command} gave no answer: {done.stderr.strip()}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def plan(job_set: JobSet, **flags: Flag) -> dict[str, Any]:
    """The plan, or why there is none: `status` is optimal, feasible, infeasible or unknown.

    Fields are those of `downbeat schema plan`. Without budget= or time_limit= it takes up
    to 30 seconds.
    """
    return run("plan", job_set, **flags)


def check(job_set: JobSet, **flags: Flag) -> dict[str, Any]:
    """Whether the hard jobs can meet their deadlines: `status` is feasible, infeasible or
    unknown; on a no `conflict` says why (`downbeat schema check`)."""
    return run("check", job_set, **flags)


def validate(job_set: JobSet, plan: Plan, **flags: Flag) -> dict[str, Any]:
    """Whether a plan keeps all rules: `valid`, and what breaks one (`downbeat schema validate`)."""
    return run("validate", job_set, plan, **flags)


def diff(job_set: JobSet, before: Plan, after: Plan, **flags: Flag) -> dict[str, Any]:
    """What differs between two plans (`downbeat schema diff`)."""
    return run("diff", job_set, before, after, **flags)


def size(job_set: JobSet, **flags: Flag) -> dict[str, Any]:
    """The least number of slaves of a class (class_="node=1-9") with which all fits
    (`downbeat schema size`)."""
    return run("size", job_set, **flags)


def slack(job_set: JobSet, **flags: Flag) -> dict[str, Any]:
    """By how much each job could be released later, take longer or be due earlier
    (`downbeat schema slack`)."""
    return run("slack", job_set, **flags)


def simulate(job_set: JobSet, policy: str, **flags: Flag) -> dict[str, Any]:
    """A run of an online policy, or many with seeds="1-200" (`downbeat schema simulate`)."""
    return run("simulate", job_set, policy=policy, **flags)


def bench(*job_sets: JobSet, **flags: Flag) -> pandas.DataFrame:
    """The cells of a bench as a table of pandas, a row for each set, policy and seed:
    bench(night, policy="edf,llf", seeds="1-20"), bench(workload="realtime", sets=20)."""
    import pandas

    with tempfile.TemporaryDirectory(prefix="downbeat-") as folder:
        of = _Files(folder)
        names = [of.name(s, "job-set") for s in job_sets]
        cells = os.path.join(folder, "cells.csv")
        _call(["bench", "--quiet", "--format=json", "-o", cells, *of.flags(flags), "--", *names], folder)
        return pandas.read_csv(cells)

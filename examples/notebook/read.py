"""Reads the data package of a bench with pandas: python3 read.py FOLDER met.csv"""
import json
import pathlib
import sys

import pandas as pd

folder = pathlib.Path(sys.argv[1])
package = json.loads((folder / "datapackage.json").read_text())
dtypes = {"string": "string", "integer": "Int64", "number": "float64", "boolean": "boolean"}
tables = {
    resource["name"]: pd.read_csv(
        folder / resource["path"],
        dtype={field["name"]: dtypes[field["type"]] for field in resource["schema"]["fields"]},
    )
    for resource in package["resources"]
}

# A figure of one's own: runs beside what is known of their job sets.
cells = tables["runs"].merge(tables["sets"], on="set", validate="many_to_one")
met = cells.groupby(["level", "policy"])["hard-met"].mean().unstack()
print(met)

# The same with intervals, as the bench has them, and what is shown of differences after Holm's correction.
intervals = tables["intervals"].query("measure == 'hard-met'").set_index(["level", "policy"])
intervals[["mean", "low", "high"]].to_csv(sys.argv[2])
print(tables["comparisons"].query("p_holm < 0.05")[["level", "policy", "against", "measure", "difference"]])

assert (intervals["mean"].unstack() - met).abs().max().max() < 1e-12

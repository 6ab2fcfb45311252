package present

import (
	"fmt"
	"path"
	"strings"

	"downbeat/cmd/internal/shell"
	"downbeat/cmd/internal/version"
)

// CubesScript is a plan whose open proof is to be worked on in cubes by a job array.
type CubesScript struct {
	// Program is the path of downbeat on the nodes.
	Program string
	// Shards is their number, Workers that of searches side by side in the plan before, both at
	// least 1. A shard searches alone.
	Shards, Workers int
	// Folder takes the cubes and all logs; all nodes see it.
	Folder string
	// Plan are the arguments of downbeat plan that make the cubes, Join those that answer, in both
	// cases without workers and the folder.
	Plan, Join []string
}

// slurmCubes is the script, with the parts that depend on the plan between braces.
const slurmCubes = `#!/bin/sh
# A plan of downbeat whose open proof is worked on in cubes by {shards} shards: a Slurm job that plans and
# splits what that leaves open, a job array, and the answer that waits for it.
# Made by {version}.
#
# Start it with sh in a folder that all nodes see. All that is found is kept in {folder}; what was
# killed goes on from there when it is started again, by Slurm or by starting this script once
# more. The answer so far is told at any time by: downbeat plan --join {folder}
# Where the nodes have downbeat elsewhere, set DOWNBEAT. Partition, account, time and the like are
# set by SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT, …
set -eu
mkdir -p {logs}

# exec: the signals of Slurm go to the shell, and so to downbeat, which then ends in order.
plan=$(sbatch --parsable --job-name=downbeat-plan --cpus-per-task={workers} \
    --requeue --open-mode=append --output={planLog} <<'END'
#!/bin/sh
"${DOWNBEAT:-{program}}" {plan} \
    --workers={workers} --into={folder}
code=$?
# 1: there is no plan. 3: there is neither a plan nor a proof yet, which is what the cubes are for.
case $code in 1 | 3) exit 0 ;; esac
exit $code
END
)
plan=${plan%%;*}

array=$(sbatch --parsable --job-name=downbeat-cubes --dependency="afterok:$plan" --kill-on-invalid-dep=yes --array=1-{shards} --cpus-per-task=1 \
    --requeue --open-mode=append --output={shardLogs} <<'END'
#!/bin/sh
exec "${DOWNBEAT:-{program}}" cube {folder} --shard="$SLURM_ARRAY_TASK_ID/{shards}"
END
)
array=${array%%;*}

# afterany, not afterok: that would wait for ever after a shard that failed.
answer=$(sbatch --parsable --job-name=downbeat-answer --dependency="afterany:$array" \
    --requeue --open-mode=append --output={answerLog} <<'END'
#!/bin/sh
exec "${DOWNBEAT:-{program}}" {join}
END
)
echo "the plan is job $plan, shards are job $array, the answer is job ${answer%%;*}; it will be in" {answerLog}
`

// Slurm is a shell script that submits the jobs with sbatch.
func (s *CubesScript) Slurm() string {
	logs := path.Clean(s.Folder) + "-logs" // the folder itself is empty before the plan
	file := func(name string) string { return shell.Quote(path.Join(logs, name)) }
	return strings.NewReplacer(
		"{version}", version.Made(), "{shards}", fmt.Sprint(s.Shards), "{workers}", fmt.Sprint(s.Workers),
		"{folder}", shell.Quote(path.Clean(s.Folder)), "{logs}", shell.Quote(logs), "{planLog}", file("plan.log"),
		"{shardLogs}", file("shard-%a.log"), "{answerLog}", file("answer.log"),
		"{program}", strings.ReplaceAll(s.Program, `"`, `\"`),
		"{plan}", shell.Words(append([]string{"plan"}, s.Plan...)), "{join}", shell.Words(append([]string{"plan"}, s.Join...)),
	).Replace(slurmCubes)
}

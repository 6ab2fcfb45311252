// Script writes what engines need to run a bench in shards: for Slurm a job array and
// the report that depends on it, for Kubernetes an Indexed Job with its volume. The engines
// start, restart and spread the work; each shard keeps a journal of its own, so whatever they
// do to it, it goes on from there, and the report tells what is missing.

package present

import (
	"fmt"
	"path"
	"strings"

	"downbeat/cmd/internal/shell"
	"downbeat/cmd/internal/version"
)

// Script is a bench to be run in shards.
type Script struct {
	// Program is the path of downbeat on the nodes; Slurm only.
	Program string
	// Image is a container image whose entry point is downbeat; Kubernetes only.
	Image string
	// Shards is their number, Workers that of job sets at a time in each, both at least 1.
	Shards, Workers int
	// Folder takes journals and logs; all nodes see it.
	Folder string
	// Bench are the arguments of downbeat bench, Report those of downbeat bench report, in
	// both cases without journals, shards and workers.
	Bench, Report []string
}

// slurm is the script, with the parts that depend on the sweep between braces.
const slurm = `#!/bin/sh
# A bench of downbeat in {shards} shards: a Slurm job array, and the report that waits for it.
# Made by {version}.
#
# Start it with sh in a folder that all nodes see. Each shard keeps a journal in {folder}; what was
# killed goes on from there when it is started again, by Slurm or by starting this script once
# more. The report comes when every shard has ended, well or not; it tells what is missing, and
# its exit code is 3 then. Where the nodes have downbeat elsewhere, set DOWNBEAT. Partition,
# account, time and the like are set by SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT, …
set -eu
mkdir -p {folder}

# A log is added to where a shard is started again. exec: the signals of Slurm go to the shell,
# and so to downbeat, which then closes its journal in order.
array=$(sbatch --parsable --job-name=downbeat --array=1-{shards} --cpus-per-task={workers} \
    --requeue --open-mode=append --output={logs} <<'END'
#!/bin/sh
exec "${DOWNBEAT:-{program}}" {bench} \
    --workers={workers} --shard="$SLURM_ARRAY_TASK_ID/{shards}" --resume={journal}
END
)
array=${array%%;*}

# afterany, not afterok: that would wait for ever after a shard that failed.
report=$(sbatch --parsable --job-name=downbeat-report --dependency="afterany:$array" \
    --requeue --open-mode=append --output={reportLog} <<'END'
#!/bin/sh
exec "${DOWNBEAT:-{program}}" {report} {folder}
END
)
echo "shards are job $array, the report is job ${report%%;*}; it will be in" {reportLog}
`

// Slurm is a shell script that submits the sweep with sbatch.
func (s *Script) Slurm() string {
	file := func(name string) string { return shell.Quote(path.Join(s.Folder, name)) }
	return strings.NewReplacer(
		"{version}", version.Made(), "{shards}", fmt.Sprint(s.Shards), "{workers}", fmt.Sprint(s.Workers),
		"{folder}", shell.Quote(path.Clean(s.Folder)), "{logs}", file("shard-%a.log"), "{reportLog}", file("report.log"),
		"{journal}", file("shard-")+`"$SLURM_ARRAY_TASK_ID".jsonl`,
		"{program}", strings.ReplaceAll(s.Program, `"`, `\"`),
		"{bench}", shell.Words(append([]string{"bench"}, s.Bench...)), "{report}", shell.Words(append([]string{"bench", "report"}, s.Report...)),
	).Replace(slurm)
}

#!/bin/bash
# Writes the files of this folder anew: sh write.sh DOWNBEAT EXAMPLES GINI
# DOWNBEAT is the program as it was at c386c9e, EXAMPLES the folder of that name there, GINI
# the command of that name of github.com/irifrance/gini, which answers formulas.
# Work is counted and done by one worker, so that all but elapsed times, and the order of lines in
# journals, comes out the same. asked.txt has what was asked of the files then: exit code, file
# of the answer, arguments.
set -u
downbeat=$1 examples=$2 gini=$3
cd "$(dirname "$0")"
rm -rf answers formulas journals logs plans proofs runs
mkdir answers formulas journals logs plans proofs runs
: >asked.txt
exec 2>/dev/null

search="--workers 1 --budget 2000 --quiet"

# ask NAME ARGUMENTS… asks something that is answered in JSON.
ask() {
	local name=answers/$1.json
	shift
	"$downbeat" "$@" --format json >$name
	echo "$? $name $*" >>asked.txt
}

# plan NAME SET ARGUMENTS… makes a plan, as YAML where NAME begins with a vowel, and has it validated.
plan() {
	local name=$1 set=$2 form=json
	shift 2
	[[ $name == [aeiou]* ]] && form=yaml
	"$downbeat" plan $set $search "$@" -o plans/$name.$form >answer
	ask validate-$name validate $set plans/$name.$form
}

# proved NAME SET CHANGES ARGUMENTS… does so with a proof. That of a set with CHANGES was told them again.
proved() {
	local name=$1 set=$2 changes=$3
	shift 3
	plan $name $set $changes "$@" --proof proofs/$name.proof
	[[ -f proofs/$name.proof ]] && ask proof-$name verify-proof $set proofs/$name.proof $changes
}

# Job sets: those of c386c9e that stand in its examples, some that it drew, and one that it made of
# a table; the others in sets are written by hand.
for name in containers hadoop-slots maintenance nightly stage-graph tardiness two-changes two-clash two-must-go week weights; do
	cp "$examples/$name.yaml" sets/
done
cp "$examples/jobs.csv" sets/
"$downbeat" import csv sets/jobs.csv --origin 2026-11-21T22:00:00Z -o sets/of-jobs.yaml
echo "0 sets/of-jobs.yaml import csv sets/jobs.csv --origin 2026-11-21T22:00:00Z" >>asked.txt
"$downbeat" bench --workload tiny --seeds 1-30 --write sets >answer
"$downbeat" bench --workload small:tasks=9 --seeds 2,9,12,20,28,35 --write sets >answer
"$downbeat" bench --workload family:name=squeezed --seeds 2,5 --write sets >answer
"$downbeat" bench --workload family:name=misses --seeds 5,6 --write sets >answer
"$downbeat" bench --workload family:name=infeasible --seeds 4,6 --write sets >answer
"$downbeat" bench --workload rds-case --seeds 1 --write sets >answer
"$downbeat" bench --hunt edf --found 1 --into sets --budget 500 >answer

# Plans, the least bad ones where hard jobs clash, with what was proved of them.
for set in sets/*.yaml sets/*.json; do
	name=$(basename $set)
	proved ${name%.*} $set "" --relax
done

# What is asked most: of a plan that is shown, of two that differ; and plans as tables.
for name in features containers nightly fifo all-late; do
	set=$(ls sets/$name.*) plan=$(ls plans/$name.*)
	ask show-$name show $set $plan
	"$downbeat" plan $set $search --objective makespan --relax -o plans/$name-makespan.json -o plans/$name-makespan.csv >answer
	ask validate-table-$name validate $set plans/$name-makespan.csv
	ask diff-$name diff $set $plan plans/$name-makespan.json
done

# Without the least bad plan: infeasible, with the jobs that clash; what check leaves; no search at all.
for name in two-clash two-changes two-must-go; do
	plan $name-infeasible sets/$name.yaml
	"$downbeat" check sets/$name.yaml $search --proof proofs/check-$name.proof.gz >answer
	ask check-$name verify-proof sets/$name.yaml proofs/check-$name.proof.gz
done
for name in containers week; do
	"$downbeat" check sets/$name.yaml $search -o plans/check-$name.json >answer
	ask check-$name validate sets/$name.yaml plans/check-$name.json
done
"$downbeat" plan sets/features.yaml --workers 1 --budget 1 --quiet --stats --why --certify --format json >plans/feasible.json
ask validate-feasible validate sets/features.yaml plans/feasible.json

# Of changed sets.
proved changed-without sets/nightly.yaml "--without fast-2@23:30" --relax
proved changed-absent sets/nightly.yaml "--without slow" --relax
proved changed-count sets/two-clash.yaml "--count node=3"
proved changed-deadline sets/two-changes.yaml "--deadline north=1h15m --soften south"
proved changed-margin sets/features.yaml "--margin 20 --margin etl=50 --drop pulse-2 --drop sum" --relax
proved changed-one-fewer sets/two-must-go.yaml "--count node=1" --relax
for class in fast slow; do
	"$downbeat" size sets/nightly.yaml --class $class $search --proof proofs/size-$class.proof >answer
	ask size-$class verify-proof sets/nightly.yaml proofs/size-$class.proof
done
"$downbeat" size sets/two-must-go.yaml --class node $search --proof proofs/size-node.proof >answer
ask size-node verify-proof sets/two-must-go.yaml proofs/size-node.proof --count node=3
"$downbeat" proof trim sets/stage-graph.yaml proofs/stage-graph.proof -o proofs/trimmed.proof >answer
ask trimmed verify-proof sets/stage-graph.yaml proofs/trimmed.proof

# Runs, and plans made during the night.
run() {
	local name=$1 set=$2
	shift 2
	"$downbeat" simulate $set --quiet "$@" -o runs/$name.json -o runs/$name.csv >answer
	ask run-$name validate $set runs/$name.json
	ask run-table-$name validate $set runs/$name.csv
	ask run-show-$name show $set runs/$name.json
}
run features-edf sets/features.yaml --policy edf
run fifo-fair sets/fifo.yaml --policy fair
run nightly-rtmr sets/nightly.yaml --policy rtmr
run nightly-shorter sets/nightly.yaml --policy llf --durations uniform:0.5,1 --seed 7
run nightly-overrun sets/nightly.yaml --policy fifo --durations uniform:0.8,1.5 --seed 3
run nightly-faults sets/nightly.yaml --policy edf --mtbf 300 --mttr 20 --seed 2
run nightly-follow sets/nightly.yaml --policy follow:plans/nightly.json
run containers-lost sets/containers.yaml --policy delay --without node-2@22:30 --surprise
ask follow simulate sets/nightly.yaml --policy follow:plans/nightly.json
plan night-plain sets/nightly.yaml --from plans/nightly.json --now 23:30
plan night-lost sets/nightly.yaml --from plans/nightly.json --now 23:30 --without fast-2@23:20 --relax
plan night-executed sets/nightly.yaml --from plans/nightly.json --executed runs/nightly-follow.json --now 23:30
plan night-overrun sets/nightly.yaml --executed runs/nightly-overrun.json --now 23:40 --relax
plan night-run sets/nightly.yaml --executed runs/nightly-shorter.json --now 00:30 --relax
plan night-features sets/features.yaml --from plans/features.json --now 22:20 --relax
ask night-diff diff sets/nightly.yaml plans/nightly.json plans/night-lost.json
# What goes on from a file of then: today's search starts from it, and is told the same past.
search="--workers 1 --budget 300 --quiet"
ask goes-on plan sets/containers.yaml $search --from plans/containers.json
ask goes-on-now plan sets/nightly.yaml $search --from plans/nightly.json --now 22:40
ask goes-on-executed plan sets/nightly.yaml $search --from plans/nightly.json --executed runs/nightly-follow.json --now 22:40 --relax

# Formulas with a solver's answer.
for name in "hadoop-slots --at-most misses=1" "small-tasks=9,seed=28" tiny-seed=24; do
	set -- $name
	"$downbeat" export dimacs sets/$1.yaml "${@:2}" -o formulas/$1.cnf
	"$gini" -model formulas/$1.cnf | grep '^[sv]' >formulas/$1.answer
	ask formula-$1 import solution sets/$1.yaml formulas/$1.cnf formulas/$1.answer
done
name="tiny-seed=6"
"$downbeat" export wcnf sets/$name.yaml -o formulas/$name.wcnf
clauses=$(grep -c '^h ' formulas/$name.wcnf)
variables=$(grep -v '^c' formulas/$name.wcnf | tr -s ' h-' '\n' | sort -n | tail -1)
{ echo "p cnf $variables $clauses"; sed -n 's/^h //p' formulas/$name.wcnf; } >formulas/hard.cnf
"$gini" -model formulas/hard.cnf | grep '^[sv]' >formulas/$name.answer
rm formulas/hard.cnf
ask formula-$name import solution sets/$name.yaml formulas/$name.wcnf formulas/$name.answer

# Journals of sweeps. The same command goes on from each, and has nothing left to do.
sweep() {
	local name=$1
	shift
	ask sweep-$name bench "$@" --workers 1 --resume journals/$name.jsonl
	ask report-$name bench report journals/$name.jsonl
}
sweep plain --workload tiny --seeds 1-4 --policy fifo,edf,penn-llf-best,rtmr --budget 300
sweep levels --workload realtime:streams=3 --sweep utilisation=0.3,0.6 --seeds 1-4 --policy edf,llf --budget 300
sweep drawn sets/features.yaml sets/fifo.yaml --seeds 1-3 --policy fair,delay --durations uniform:0.5,1 --mtbf 200 --mttr 10 --no-optimum
sweep certified sets/weights.yaml sets/tardiness.yaml --policy edf,horizon --budget 500 --certify --objective misses,tardiness
sweep shard-1 --workload small:tasks=8 --seeds 1-4 --policy fifo,edf --budget 300 --shard 1/2
sweep shard-2 --workload small:tasks=8 --seeds 1-4 --policy fifo,edf --budget 300 --shard 2/2
ask report-shards bench report journals/shard-1.jsonl journals/shard-2.jsonl
# They grow: more seeds, levels and policies.
cp journals/levels.jsonl answer
"$downbeat" bench --workload realtime:streams=3 --sweep utilisation=0.3,0.6,0.7 --seeds 1-5 --policy edf,llf,fifo --budget 300 --workers 1 --resume answer --format json >answers/grown.json
echo "$? answers/grown.json bench --workload realtime:streams=3 --sweep utilisation=0.3,0.6,0.7 --seeds 1-5 --policy edf,llf,fifo --budget 300 --workers 1 --resume journals/levels.jsonl" >>asked.txt

# Logs of searches.
for name in nightly two-clash; do
	"$downbeat" plan sets/$name.yaml --workers 1 --budget 2000 --log json 2>logs/$name.jsonl >answer
	"$downbeat" log logs/$name.jsonl >answers/log-$name.txt
	echo "$? answers/log-$name.txt log logs/$name.jsonl" >>asked.txt
done

# What each set is, as plans name it.
for set in sets/*.yaml sets/*.json; do
	"$downbeat" plan $set --workers 1 --budget 1 --quiet --format json | sed -n "s|^ \"digest\": \"\(.*\)\",\$|\1 $set|p"
done >digests.txt
sed -i -E 's/"seconds": ?[0-9.e-]+/"seconds": 0/' answers/*.json
rm answer

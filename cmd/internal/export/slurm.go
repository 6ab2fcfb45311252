package export

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/cmd/internal/shell"
	"downbeat/cmd/internal/tasklabel"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/files/document"
)

// Slurm says what a job set does not tell Slurm.
type Slurm struct {
	// Memory, in MB, is what a unit of the resource named memory stands for, and what a task
	// gets that needs none. Of a set without that resource Slurm's own default stands.
	Memory int64
	// Command is what runs a task, in the language of the shell: {job}, {stage} and {task} stand for
	// its names and number, as one word each. Empty for a sleep as long as planned.
	Command string
	// Grace is how much longer than planned a task may run before Slurm ends it.
	Grace time.Duration
	// Options are given to every sbatch.
	Options []string
	// Licences tells that pools are licences of Slurm, of the same names.
	Licences bool
	// Deadlines tells Slurm of hard ones: it removes a task that cannot meet its own.
	Deadlines bool
	// Queued tells that the jobs wait in Slurm's queue already, under the names that they have in
	// the job set, a stage each: they are told when and where, and no job is submitted.
	Queued bool
	// Reservations asks for nodes to be reserved in place of jobs to be submitted.
	Reservations bool
}

// Placeholders of commands, with the variable in which a task finds what they stand for.
var slurmPlaceholders = strings.NewReplacer("{job}", `"$DOWNBEAT_JOB"`, "{stage}", `"$DOWNBEAT_STAGE"`, "{task}", `"$DOWNBEAT_TASK"`)

var slurmUnknown = regexp.MustCompile(`\{[a-z]+\}`)

// CheckCommand tells what is wrong with a command; nil where nothing is.
func CheckCommand(command string) error {
	known := strings.NewReplacer("{job}", "", "{stage}", "", "{task}", "").Replace(command)
	if odd := slurmUnknown.FindString(known); odd != "" && !strings.Contains(known, "$"+odd) {
		return fmt.Errorf("%s stands for nothing; write {job}, {stage} or {task}", odd)
	}
	if strings.ContainsAny(command, "\n\x00") {
		return fmt.Errorf("it has several lines; write one, or put them into a script")
	}
	return nil
}

// slurmItem is what becomes one job of Slurm, or one array: tasks of a stage that Slurm is to start at
// the same time, with the same of everything.
type slurmItem struct {
	job       model.JobID
	stage     model.StageID
	name      string // JOB/STAGE, escaped
	gang      bool
	tasks     []int // their numbers within the stage
	slaves    []model.SlaveID
	from, end model.Time
	cores     int64
	needs     []int64 // of JobSet.Named, on a node
	pools     string  // licences
}

// slurmTaskIDs is below how much Slurm numbers tasks of arrays, unless it is told otherwise.
const slurmTaskIDs = 1001

// Write writes a script for bash that submits a plan to Slurm: what is handed out at now or later,
// of a job set whose digest, as its file has it, is given.
func (o *Slurm) Write(w io.Writer, when Clock, now model.Time, digest string) error {
	s := &slurmScript{Slurm: o, when: when, digest: tasklabel.Short(digest), stages: map[model.StageID]string{}}
	s.collect(now)
	s.head(now)
	switch {
	case o.Reservations:
		s.reserve()
	case o.Queued:
		s.update()
	default:
		s.submit(now)
	}
	_, err := io.WriteString(w, s.text.String())
	return err
}

// slurmScript is a script as it is written.
type slurmScript struct {
	*Slurm
	when   Clock
	digest string
	items  []slurmItem
	past   int // tasks that were handed out before
	stages map[model.StageID]string
	text   strings.Builder
}

func (s *slurmScript) line(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

// collect makes items of the attempts of the plan, in the order in which they are to begin.
func (s *slurmScript) collect(now model.Time) {
	js := s.when.JS
	gangs := map[model.StageID]*slurmItem{}
	var all []slurmItem
	for i := range s.when.Attempts {
		a := &s.when.Attempts[i]
		if a.Lost {
			continue
		}
		task := &js.Tasks[a.Task]
		job := &js.Jobs[task.Job]
		st := &job.Stages[task.Stage]
		id := job.FirstStage + model.StageID(task.Stage)
		label := tasklabel.Label{Job: job.Name, Stage: st.Name}
		name, _, _ := strings.Cut(label.String(), "@")
		s.stages[id] = name
		if a.Assigned < now {
			s.past++
			continue
		}
		one := slurmItem{job: task.Job, stage: id, name: name, tasks: []int{int(a.Task-st.First) + 1}, slaves: []model.SlaveID{a.Slave},
			from: a.Assigned, end: a.Finish, cores: task.Cores(), pools: s.licences(a.Task)}
		for r := range js.Named {
			one.needs = append(one.needs, task.Units(r))
		}
		if !st.IsGang() {
			all = append(all, one)
		} else if g := gangs[id]; g == nil {
			one.gang = true
			gangs[id] = &one
		} else {
			g.join(&one)
		}
	}
	for _, g := range gangs {
		g.sort()
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b slurmItem) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.stage, b.stage), cmp.Compare(a.slaves[0], b.slaves[0]), cmp.Compare(a.tasks[0], b.tasks[0]))
	})
	for i := range all {
		if n := len(s.items); n > 0 && s.items[n-1].like(&all[i]) {
			s.items[n-1].tasks = append(s.items[n-1].tasks, all[i].tasks...)
			continue
		}
		s.items = append(s.items, all[i])
	}
}

// join takes another task into a gang: Slurm starts it when all nodes are there, with as much of
// everything on each as the largest task needs.
func (g *slurmItem) join(o *slurmItem) {
	g.tasks, g.slaves = append(g.tasks, o.tasks...), append(g.slaves, o.slaves...)
	g.from, g.end, g.cores = max(g.from, o.from), max(g.end, o.end), max(g.cores, o.cores)
	for r := range g.needs {
		g.needs[r] = max(g.needs[r], o.needs[r])
	}
}

// sort puts the tasks of a gang in order, each with its slave.
func (g *slurmItem) sort() {
	order := make([]int, len(g.tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.tasks[a], g.tasks[b]) })
	tasks, slaves := slices.Clone(g.tasks), slices.Clone(g.slaves)
	for i, k := range order {
		g.tasks[i], g.slaves[i] = tasks[k], slaves[k]
	}
}

// like reports whether two items can be one array.
func (g *slurmItem) like(o *slurmItem) bool {
	return !g.gang && !o.gang && g.stage == o.stage && g.from == o.from && g.end == o.end && g.cores == o.cores && g.pools == o.pools &&
		g.slaves[0] == o.slaves[0] && slices.Equal(g.needs, o.needs) && g.tasks[0] < slurmTaskIDs && o.tasks[0] < slurmTaskIDs
}

// licences are what a task takes of pools, as Slurm writes it; empty where they are no licences.
func (s *slurmScript) licences(t model.TaskID) string {
	if !s.Licences {
		return ""
	}
	var parts []string
	shared := s.when.JS.Shared()
	for _, take := range s.when.JS.Takes(t) {
		if shared[take.Shared].Pool >= 0 {
			parts = append(parts, fmt.Sprintf("%s:%d", s.when.JS.Pools[shared[take.Shared].Pool].Name, take.Units))
		}
	}
	return strings.Join(parts, ",")
}

// head says what Slurm is told, and what it cannot be told.
func (s *slurmScript) head(now model.Time) {
	js := s.when.JS
	tasks := 0
	for i := range s.items {
		tasks += len(s.items[i].tasks)
	}
	what := fmt.Sprintf("submits %s in %s", document.Plural(tasks, "task"), document.Plural(len(s.items), "job"))
	if s.Reservations {
		what = fmt.Sprintf("reserves nodes for %s in %s, which needs an operator", document.Plural(tasks, "task"), document.Plural(len(s.items), "reservation"))
	}
	if s.Queued {
		what = fmt.Sprintf("tells jobs that wait in Slurm's queue when and where %s begin", document.Plural(tasks, "task"))
	}
	s.line("#!/usr/bin/env bash")
	s.line("# Made by downbeat export slurm, version %s: %s.", version.String(), what)
	s.line("# Tasks carry JOB/STAGE/TASK@DIGEST in their comments, by which import executed slurm finds them; those of a gang JOB/STAGE@DIGEST")
	s.line("# and the nodes of its tasks.")
	if !s.Queued && !s.Reservations {
		s.line("# Run again, the script submits only what is not in the queue.")
	}
	if now > 0 && !s.Queued && !s.Reservations {
		s.line("# The plan was made at %s: what waits of an earlier plan of the set is cancelled first, and the %s that were handed out",
			s.when.At(now).Format(time.RFC3339), document.Plural(s.past, "task"))
		s.line("# before stay as they are.")
	}
	s.line("#")
	if s.Queued {
		s.line("# Slurm is told when a task may begin at the earliest and on which node; all else stays as the jobs have it. What it is not told:")
	} else {
		s.line("# Slurm is told when a task may begin at the earliest, on which node, what it holds, how long it may take, and which jobs come before.")
		s.line("# Jobs that may begin at the same time are ranked by --nice, in the order of the plan. What it is not told:")
	}
	for _, text := range s.untold(js) {
		s.line("#   - %s", text)
	}
	s.line("set -euo pipefail")
	s.line("")
}

// untold lists what Slurm is not told.
func (s *slurmScript) untold(js *model.JobSet) []string {
	out := []string{"Fetching input is part of a task, which holds its cores meanwhile; that a node fetches for one task at a time is kept by the times alone."}
	if s.Grace > 0 && !s.Queued {
		out = append(out, fmt.Sprintf("Worst cases: a task is ended when it has run for %v longer than planned, in whole minutes.", s.Grace))
	}
	if memory := slices.Index(js.Named, memoryResource); memory < 0 && !s.Queued {
		out = append(out, "The set has no resource memory, so that Slurm's own default stands (DefMemPerCPU); where that is all of a node, tasks cannot share one.")
	}
	pools, caps, apart, soft := len(js.Pools) > 0 && !s.Licences, false, false, false
	for i := range js.Jobs {
		job := &js.Jobs[i]
		caps = caps || job.AtMost > 0
		soft = soft || job.Kind == model.Soft
		for k := range job.Stages {
			st := &job.Stages[k]
			caps, apart = caps || st.AtMost > 0, apart || st.IsApart() && !st.IsGang()
		}
	}
	for _, c := range []struct {
		is   bool
		text string
	}{
		{pools, "Pools are kept by the times alone; with --licenses they are licences of Slurm of the same names."},
		{caps, "Caps (at_most) are kept by the times alone."},
		{apart, "Tasks that are apart are on nodes of their own because each is told its node."},
		{soft && !s.Queued, "Soft deadlines: Slurm removes jobs that miss a deadline, so that it is told of hard ones only."},
		{s.missing() > 0 && s.Deadlines && !s.Queued, fmt.Sprintf("The hard deadlines of %s, which leave less than a minute more than they need.", document.Plural(s.missing(), "job"))},
	} {
		if c.is {
			out = append(out, c.text)
		}
	}
	return out
}

// missing counts items of hard jobs whose deadline Slurm cannot be told.
func (s *slurmScript) missing() int {
	n := 0
	for i := range s.items {
		if g := &s.items[i]; s.when.JS.Jobs[g.job].Kind == model.Hard && s.limit(g).due.IsZero() {
			n++
		}
	}
	return n
}

// slurmLimit is how long a job may run, how long it has to at least, and by when it has to end;
// zero where Slurm is not told.
type slurmLimit struct {
	minutes, least int64
	due            time.Time
}

// limit gives a job its planned length and the grace, in whole minutes, or as much as its deadline
// leaves. Slurm removes a job whose time limit no longer fits before its deadline, and be it by a
// second, so that it is told of one only if it leaves a minute more than the planned length; and
// the planned length is the limit up to which it may cut the other.
func (s *slurmScript) limit(g *slurmItem) slurmLimit {
	length := s.when.Length(g.end - g.from)
	l := slurmLimit{minutes: wholeMinutes(length + s.Grace)}
	job := &s.when.JS.Jobs[g.job]
	if job.Kind != model.Hard || !s.Deadlines {
		return l
	}
	if _, fits := s.when.Clock.Clock.Duration(job.Due()); !fits {
		return l
	}
	room := int64(s.when.Length(job.Due()-g.from) / time.Minute)
	least := wholeMinutes(length)
	if room <= least {
		return l
	}
	return slurmLimit{min(l.minutes, room-1), least, s.when.At(job.Due())}
}

// wholeMinutes are those of a length of time, rounded up, at least one.
func wholeMinutes(d time.Duration) int64 { return max(1, int64((d+time.Minute-1)/time.Minute)) }

// slurmAt is the function of a script for a point in time by the clock of Slurm.
const slurmAt = `# at SECONDS: a point in time, in seconds since 1970, by the clock of this machine.
at() { printf '%(%Y-%m-%dT%H:%M:%S)T' "$1"; }

`

// slurmFunctions are those of a script for what is in the queue, and for the submission of tasks of a
// stage.
const slurmFunctions = slurmAt + `# Numbers of Slurm by stage, and tasks that are in the queue already.
declare -A ids=() there=()
while read -r id task label _; do
	[[ $label == *"@$digest" ]] || continue
	name=${label%@*}
	[[ $name == */*/* || $task == N/A ]] || name=$name/$task
	there[$name]=1
	IFS=/ read -r job stage _ <<<"$name"
	number=${numbers[$job/$stage]-}
	[ -z "$number" ] || ids[$number]+=:$id
done < <(squeue --noheader --array --user="$(id -u)" --states=PENDING,RUNNING,SUSPENDED,CONFIGURING,COMPLETING --format='%A %K %k')

already() { printf '%s is in the queue already, and is not submitted\n' "$1" >&2; }

# submit JOB/STAGE TASKS STAGE 'STAGES BEFORE' NODES OPTION…: a task, an array of some (3,4,7), or
# a gang (-), whose comment has the nodes of its tasks.
submit() {
	local name=$1 tasks=$2 stage=$3 before=$4 nodes=$5 label=$1@$digest left= depend= id k
	shift 5
	if [ "$tasks" = - ]; then
		[ -z "${there[$name]-}" ] || { already "$name"; return; }
		label+=" $nodes"
	else
		for k in ${tasks//,/ }; do
			if [ -n "${there[$name/$k]-}" ]; then already "$name/$k"; else left+=,$k; fi
		done
		left=${left#,}
		[ -n "$left" ] || return 0
		case $tasks in
		*,*) set -- --array="$left" "$@" ;;
		*) label=$name/$left@$digest ;;
		esac
	fi
	for k in $before; do depend+=${ids[$k]-}; done
	id=$(sbatch --parsable --job-name="$name" --comment="$label" ${depend:+"--dependency=afterok$depend"} "$@")
	id=${id%%;*}
	ids[$stage]+=:$id
	printf '%s %s %s\n' "$id" "$name" "$tasks"
}

`

// submit writes the submissions.
func (s *slurmScript) submit(now model.Time) {
	s.line("digest=%s", s.digest)
	s.line("declare -A numbers=(")
	for _, id := range slices.Sorted(maps.Keys(s.stages)) {
		s.line("\t[%s]=%d", shell.Quote(s.stages[id]), id)
	}
	s.line(")")
	s.line("")
	if now > 0 {
		s.line("# What waits of an earlier plan.")
		s.line(`squeue --noheader --user="$(id -u)" --states=PENDING --format='%%i %%k' | while read -r id label _; do`)
		s.line(`	[[ $label != *"@$digest" ]] || scancel "$id"`)
		s.line("done")
		s.line("")
	}
	s.text.WriteString(slurmFunctions)
	for i := range s.items {
		g := &s.items[i]
		tasks, nodes := "-", ""
		if g.gang {
			nodes = strings.Join(s.names(g.slaves), " ")
		} else {
			tasks = numbers(g.tasks)
		}
		words := append([]string{g.name, tasks, strconv.Itoa(int(g.stage)), s.before(g), nodes}, s.options(g, i)...)
		words = append(append(words, s.Options...), "--wrap="+s.wrap(g))
		s.line(`submit %s %s`, shell.Words(words[:5]), s.clocks(g)+shell.Words(words[5:]))
	}
}

// clocks are the options that are points in time, of which the script makes clock times.
func (s *slurmScript) clocks(g *slurmItem) string {
	text := fmt.Sprintf(`--begin="$(at %d)" `, s.when.At(g.from).Unix())
	if due := s.limit(g).due; !due.IsZero() {
		text += fmt.Sprintf(`--deadline="$(at %d)" `, due.Unix())
	}
	return text
}

// slurmMinutes is a length of time as sbatch reads it.
func slurmMinutes(n int64) string { return fmt.Sprintf("%d-%02d:%02d:00", n/1440, n/60%24, n%60) }

// numbers are those of tasks with commas between.
func numbers(tasks []int) string {
	parts := make([]string, len(tasks))
	for i, n := range tasks {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ",")
}

// names are those of slaves.
func (s *slurmScript) names(slaves []model.SlaveID) []string {
	out := make([]string, len(slaves))
	for i, id := range slaves {
		out[i] = s.when.JS.Slaves[id].Name
	}
	return out
}

// before are the stages that one comes after, within its job and in jobs before it.
func (s *slurmScript) before(g *slurmItem) string {
	js := s.when.JS
	job := &js.Jobs[g.job]
	var out []string
	for _, k := range job.Stages[g.stage-job.FirstStage].After {
		out = append(out, strconv.Itoa(int(job.FirstStage)+int(k)))
	}
	for _, id := range job.After {
		for k := range js.Jobs[id].Stages {
			out = append(out, strconv.Itoa(int(js.Jobs[id].FirstStage)+k))
		}
	}
	return strings.Join(out, " ")
}

// options are those of sbatch for a job that is the rank-th to begin.
func (s *slurmScript) options(g *slurmItem, rank int) []string {
	nodes := slices.Clone(s.names(g.slaves))
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	limit := s.limit(g)
	out := []string{"--time=" + slurmMinutes(limit.minutes)}
	if limit.least > 0 && limit.least < limit.minutes {
		out = append(out, "--time-min="+slurmMinutes(limit.least))
	}
	out = append(out,
		fmt.Sprintf("--nodes=%d", len(nodes)), fmt.Sprintf("--ntasks=%d", len(g.slaves)), fmt.Sprintf("--cpus-per-task=%d", g.cores),
		"--nodelist="+strings.Join(nodes, ","), fmt.Sprintf("--nice=%d", rank))
	most := int64(0) // tasks on a node
	for _, node := range nodes {
		n := int64(0)
		for _, name := range s.names(g.slaves) {
			if name == node {
				n++
			}
		}
		most = max(most, n)
	}
	for r, units := range g.needs {
		switch name := s.when.JS.Named[r]; {
		case name == memoryResource:
			out = append(out, fmt.Sprintf("--mem=%d", s.Memory*max(1, units)*most))
		case units > 0:
			out = append(out, fmt.Sprintf("--gres=%s:%d", name, units*most))
		}
	}
	if g.pools != "" {
		out = append(out, "--licenses="+g.pools)
	}
	return out
}

// wrap is what a job of Slurm runs. Names reach a command in variables, which no shell reads again.
func (s *slurmScript) wrap(g *slurmItem) string {
	if s.Command == "" {
		seconds := int64((s.when.Length(g.end-g.from) + time.Second - 1) / time.Second)
		return fmt.Sprintf("sleep %d", seconds)
	}
	job := &s.when.JS.Jobs[g.job]
	names := "export DOWNBEAT_JOB=" + shell.Quote(job.Name) + " DOWNBEAT_STAGE=" + shell.Quote(job.Stages[g.stage-job.FirstStage].Name)
	command := slurmPlaceholders.Replace(s.Command)
	switch {
	case g.gang:
		return names + "; srun sh -c " + shell.Quote("export DOWNBEAT_TASK=$((SLURM_PROCID + 1)); "+command)
	case len(g.tasks) > 1:
		return names + ` DOWNBEAT_TASK="$SLURM_ARRAY_TASK_ID"; ` + command
	}
	return fmt.Sprintf("%s DOWNBEAT_TASK=%d; %s", names, g.tasks[0], command)
}

// slurmQueue are the functions of a script for jobs that wait in the queue.
const slurmQueue = slurmAt + `# Jobs that wait, and tasks of arrays: by the label that an earlier plan gave them, the others by
# name and in the order of their numbers.
declare -A told=() queue=()
while IFS='|' read -r id label name; do
	label=${label%% *}
	if [[ $label == */*@* ]]; then told[$label]=$id; elif [ -n "$name" ]; then queue[$name]+=" $id"; fi
done < <(squeue --noheader --array --user="${1:-$(id -u)}" --states=PENDING --format='%i|%k|%j' | sort -t_ -k1,1n -k2,2n)

# update NAME OF TASK LABEL OPTION…: the job with a label, or the TASK-th of so many of a name.
update() {
	local name=$1 of=$2 task=$3 label=$4 id=${told[${4%% *}]-} waiting
	shift 4
	if [ -z "$id" ]; then
		read -ra waiting <<<"${queue[$name]-}"
		if [ "${#waiting[@]}" != "$of" ]; then
			echo "$name: ${#waiting[@]} wait in the queue and the plan has $of; import the queue again" >&2
			exit 1
		fi
		id=${waiting[task - 1]}
	fi
	scontrol update JobId="$id" Comment="$label" "$@"
	printf '%s %s\n' "$id" "$label"
}

`

// update writes what jobs in the queue are told.
func (s *slurmScript) update() {
	s.text.WriteString(slurmQueue)
	for i := range s.items {
		g := &s.items[i]
		job := &s.when.JS.Jobs[g.job]
		st := &job.Stages[g.stage-job.FirstStage]
		nodes := slices.Clone(s.names(g.slaves))
		list := slices.Compact(slices.Sorted(slices.Values(nodes)))
		tell := func(task, of int, label string) {
			s.line(`update %s StartTime="$(at %d)" %s`, shell.Words([]string{job.Name, strconv.Itoa(of), strconv.Itoa(task), label}),
				s.when.At(g.from).Unix(), shell.Quote("ReqNodeList="+strings.Join(list, ",")))
		}
		if g.gang {
			tell(1, 1, g.name+"@"+s.digest+" "+strings.Join(nodes, " "))
			continue
		}
		for _, task := range g.tasks {
			tell(task, int(st.End-st.First), fmt.Sprintf("%s/%d@%s", g.name, task, s.digest))
		}
	}
}

// reserve writes reservations of nodes.
func (s *slurmScript) reserve() {
	s.text.WriteString(slurmAt)
	s.line("user=${1:-$USER} # whose jobs may run there")
	s.line("")
	for i := range s.items {
		g := &s.items[i]
		nodes := slices.Clone(s.names(g.slaves))
		slices.Sort(nodes)
		cores := make([]string, 0, len(nodes))
		for at := 0; at < len(nodes); {
			n := at
			for n < len(nodes) && nodes[n] == nodes[at] {
				n++
			}
			cores = append(cores, strconv.FormatInt(int64(n-at)*max(1, int64(len(g.tasks)/len(g.slaves)))*g.cores, 10))
			at = n
		}
		s.line("# %s %s", g.name, numbers(g.tasks))
		s.line(`scontrol create reservation %s StartTime="$(at %d)" Duration=%d Users="$user" %s`,
			shell.Quote(fmt.Sprintf("ReservationName=downbeat-%s-%d", s.digest[:min(6, len(s.digest))], i+1)), s.when.At(g.from).Unix(), wholeMinutes(s.when.Length(g.end-g.from)),
			shell.Words([]string{"Nodes=" + strings.Join(slices.Compact(nodes), ","), "CoreCnt=" + strings.Join(cores, ",")}))
	}
}

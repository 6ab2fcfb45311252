// Package imports makes job sets of what clusters have left behind: it knows the formats
// (their readers are in model/files/trace), tells them by their looks, and adds by
// declared rules what no format says: worst cases, deadlines, the cluster.
package imports

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"downbeat/model/files/trace"
)

// Kind is a format of files.
type Kind struct {
	// Name is what import calls it; Title is it in words, with an article.
	Name, Title string
	// Help says what of it is read.
	Help string
	// fallback is the cluster where a file names no machine.
	fallback string
	reader   func(*Rules) trace.Reader
	looks    func(head []byte) bool
}

// fourByFour stands in for a cluster that nothing is known of.
const fourByFour = "4x4"

// Kinds are all of them.
func Kinds() []Kind {
	plain := func(read trace.ReadFunc) func(*Rules) trace.Reader {
		return func(*Rules) trace.Reader { return read }
	}
	return []Kind{
		{"jhist", "a job history file of Hadoop", "Hadoop's job history files (.jhist), as JSON and binary: attempts, locality, counters, containers",
			fourByFour, plain(trace.JHist), looksJHist},
		{"history", "an answer of Hadoop's history server", "saved answers of the history server (/ws/v1/history/mapreduce): jobs, tasks, attempts, counters, conf, put together",
			fourByFour, func(*Rules) trace.Reader { return &trace.HadoopHistory{} }, looksHistory},
		{"slurm", "an output of Slurm", "what Slurm's sacct (-P, --json), squeue and scontrol show of jobs and nodes: arrays, gangs, dependencies, limits",
			fourByFour, func(r *Rules) trace.Reader { return &trace.Slurm{Zone: r.zone()} }, looksSlurm},
		{"kubernetes", "what kubectl get prints", "what kubectl get prints (-o json, -o yaml): Jobs, CronJobs and their next runs, Pods, Nodes, and Kueue's queues, quotas and Workloads",
			fourByFour, func(r *Rules) trace.Reader { return &trace.Kubernetes{Unit: r.CPUUnit.Millis(), Zone: r.zone()} }, looksKubernetes},
		{"rumen", "a trace of Hadoop's Rumen", "job traces of Hadoop's Rumen",
			fourByFour, plain(trace.Rumen), hasKeys("mapTasks", "jobID", "reduceTasks")},
		{"sls", "an input of YARN's scheduler simulator", "inputs of YARN's scheduler simulator (SLS): jobs, nodes, synthetic workloads",
			fourByFour, plain(trace.SLS), hasKeys("job.tasks", "job.start.ms", "job.id", "am.type", "num.nodes", "job_classes", "node")},
		{"reservation", "a request for a YARN reservation", "requests for YARN reservations",
			fourByFour, plain(trace.Reservation), hasKeys("reservation-definition")},
		{"spark", "an event log of Spark", "event logs of Spark: the graph of stages, attempts, executors",
			fourByFour, func(*Rules) trace.Reader { return &trace.SparkLog{} }, looksSpark},
		{"wfcommons", "a workflow of WfCommons", "workflows of WfCommons (WfFormat 1.3 to 1.5)",
			fourByFour, plain(trace.Workflow), hasKeys("workflow")},
		{"swim", "a trace of SWIM", "traces of SWIM (Facebook's): submit times and bytes, of which --swim makes tasks",
			"15x6", func(r *Rules) trace.Reader { return &trace.Swim{Rules: r.SWIM.SwimRules} }, swimLine.Match},
		{"swf", "a trace in the Standard Workload Format", "the Standard Workload Format of batch systems: rigid jobs, each a task on many cores",
			fourByFour, plain(trace.SWF), looksSWF},
		{"airflow", "a table or an answer of Airflow", "Airflow's tables (task_instance, dag_run, slot_pool, serialized_dag) as CSV or JSON, and answers of its REST API: DAGs, mapped tasks, pools, runs",
			fourByFour, func(*Rules) trace.Reader { return &trace.Airflow{} }, looksAirflow},
		{"dbt", "a file of dbt", "what dbt leaves in target/: manifest.json (the graph) and run_results.json (the times), threads as machines",
			fourByFour, func(*Rules) trace.Reader { return &trace.Dbt{} }, dbtFile.Match},
		{"csv", "a table (CSV)", "tables of tasks with a header (downbeat init --csv prints it): spreadsheets, Kubernetes Jobs, Airflow; and plans as CSV",
			fourByFour, func(r *Rules) trace.Reader { return &trace.Table{Origin: r.Origin.In(r.zone()), Tick: r.Tick} }, looksTable},
	}
}

// Named is the kind of that name.
func Named(name string) (Kind, bool) { return named(Kinds(), name) }

func named(kinds []Kind, name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// Names are those of all kinds.
func Names() []string { return namesOf(Kinds()) }

func namesOf(kinds []Kind) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// HeadSize is how much of the beginning of a file Guess wants to see, in bytes.
const HeadSize = 1 << 16

// Guess tells the kind of a file by its beginning; ok is false where it looks like none.
func Guess(head []byte) (Kind, bool) { return guess(Kinds(), head) }

func guess(kinds []Kind, head []byte) (Kind, bool) {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for _, k := range kinds {
		if k.looks(head) {
			return k, true
		}
	}
	return Kind{}, false
}

var kubernetesHead = regexp.MustCompile(`^\s*(\{\s*"(apiVersion|kind)"\s*:|(#.*\n\s*|---\s*\n\s*)*(apiVersion|kind)\s*:)`)

// looksKubernetes goes by the first field of an object.
func looksKubernetes(head []byte) bool { return kubernetesHead.Match(head) }

func looksJHist(head []byte) bool { return bytes.HasPrefix(head, []byte("Avro-")) }

var historyKey = regexp.MustCompile(`^\s*\{\s*"(jobs|job|tasks|task|taskAttempts?|jobCounters|jobTaskCounters|jobTaskAttemptCounters|jobAttempts|conf|historyInfo)"\s*:\s*\{`)

// looksHistory goes by the only field of an answer; job sets have a list of jobs.
func looksHistory(head []byte) bool { return historyKey.Match(head) }

var sparkLine = regexp.MustCompile(`^\s*\{\s*"Event"\s*:\s*"`)

func looksSpark(head []byte) bool { return sparkLine.Match(head) }

// hasKeys reports of JSON whether one of the fields is in it.
func hasKeys(names ...string) func([]byte) bool {
	key := regexp.MustCompile(`"(` + strings.Join(names, "|") + `)"\s*:`)
	return func(head []byte) bool {
		return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) && key.Match(head)
	}
}

var slurmKeys = hasKeys("allocation_nodes", "array_job_id", "derived_exit_code", "job_state", "real_memory")

// looksSlurm goes by the first line, or the fields of JSON.
func looksSlurm(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	return slurmKeys(head) || trace.LooksSlurmShow(line) || trace.LooksSlurmTable(string(line))
}

var swimLine = regexp.MustCompile(`^[^\t\n]+\t[0-9]+\t[0-9]+\t[0-9]+\t[0-9]+\t[0-9]+[\t\r\n]`)

var swfLine = regexp.MustCompile(`^[ \t]*-?[0-9]+([ \t]+-?[0-9.]+){17}[ \t]*\r?$`)

// looksSWF goes by the first line that is no comment.
func looksSWF(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\n")
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != ';' {
			return swfLine.Match(line)
		}
	}
	return false
}

var (
	airflowList = regexp.MustCompile(`"(task_instances|dag_runs)"\s*:\s*\[|"downstream_task_ids"\s*:|"(dag_id|occupied_slots|include_deferred)"\s*:`)
	airflowText = regexp.MustCompile(`^\s*[\[{]`)
)

// looksAirflow goes by the headings of its tables, and by the fields of its answers.
func looksAirflow(head []byte) bool {
	if airflowText.Match(head) {
		return airflowList.Match(head)
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	has := map[string]bool{}
	for _, cell := range strings.FieldsFunc(strings.TrimSpace(string(line)), func(r rune) bool { return r == ',' || r == ';' || r == '\t' }) {
		has[trace.AirflowHeading(cell)] = true
	}
	return has["dag_id"] && (has["run_id"] || has["execution_date"] || has["data"]) || has["pool"] && has["slots"]
}

// dbtFile goes by the version that stands at the head of dbt's files.
var dbtFile = regexp.MustCompile(`^\s*\{[^\[]*"dbt_schema_version"\s*:`)

// looksTable goes by the headings.
func looksTable(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	return trace.IsTableHeader(string(line))
}

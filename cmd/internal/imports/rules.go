package imports

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/model"
	"downbeat/model/files/trace"
	"downbeat/model/near"
)

// Rules say what stands in for what a source does not tell.
type Rules struct {
	WCET     WCET
	Deadline Deadline
	Cluster  Cluster
	SWIM     SWIM
	// Runs is what is made of several runs of a job: a value of RunsWords, empty for what fits the
	// kind of files.
	Runs string
	// Untimed is what a task takes of which nothing else is known; 0 leaves its job out.
	Untimed time.Duration
	// History is how many runs a stage needs for durations, 0 for none; HalfLife how many runs ago counts
	// half as much as the last, 0 for all the same.
	History  int
	HalfLife float64
	// Weights are those of jobs by their class of priority; of other classes 1, or what the source says.
	Weights Weights
	// Hard makes deadlines hard, but for those that the source says are soft.
	Hard bool
	// AddRetries counts the time of failed attempts as time of their task.
	AddRetries bool
	// Tick is the time unit, 0 for one that fits; Heartbeat the interval between heartbeats.
	Tick, Heartbeat time.Duration
	// Origin is tick 0, zero for that of the source; Zone the zone of clock times, nil for UTC.
	Origin time.Time
	Zone   *time.Location
	// Memory is the unit of the resource memory in bytes; 0 leaves it out.
	Memory int64
	// Network is the MB (10^6 bytes) a second at which input goes to a slave that does not
	// hold it; 0 where that is part of the task.
	Network float64
	// PoolSizes says how much there is of pools, by name; of others, the file of the cluster does,
	// or the source.
	PoolSizes PoolSizes
	// CPUUnit is what of Kubernetes's cpu is a core.
	CPUUnit CPUUnit
	// Name is that of the job set.
	Name string
}

// DefaultRules are those without flags.
func DefaultRules() Rules {
	return Rules{
		WCET: WCET{name: "max"}, SWIM: SWIM{trace.NewSwimRules()},
		History: DefaultHistory, HalfLife: DefaultHalfLife,
		Heartbeat: time.Second, Memory: 1 << 20, Network: 100, PoolSizes: PoolSizes{}, Weights: Weights{},
	}
}

func (r *Rules) zone() *time.Location {
	if r.Zone == nil {
		return time.UTC
	}
	return r.Zone
}

// What is made of several runs of a job.
const (
	// EachRun: each is a job; their times are taken together.
	EachRun = "each"
	// LastRun: one job, when and as large as the last run; times are those of all.
	LastRun = "last"
	// ApartRuns: each is a job, and they have nothing to do with one another.
	ApartRuns = "apart"
	// NextRuns: those that have not ended are the jobs; those that have tell times.
	NextRuns = "next"
)

// RunsWords are the values of Rules.Runs.
var RunsWords = []string{EachRun, LastRun, ApartRuns, NextRuns}

// runs is the word for several runs, by a rule or else what fits the kind.
func (r *Rules) runs(of Kind) string {
	switch {
	case r.Runs != "":
		return r.Runs
	case of.Name == "kubernetes":
		return NextRuns
	}
	return EachRun
}

// CPUUnit is a flag: how many thousandths of a core are a core of the job set; 0 stands for 1000.
type CPUUnit int64

// Millis are those thousandths.
func (v CPUUnit) Millis() int64 { return cmp.Or(int64(v), 1000) }

// String implements pflag.Value.
func (v CPUUnit) String() string { return fmt.Sprintf("%dm", v.Millis()) }

// Type implements pflag.Value.
func (CPUUnit) Type() string { return "CPU" }

// Set implements pflag.Value.
func (v *CPUUnit) Set(text string) error {
	digits, milli := strings.CutSuffix(text, "m")
	n, err := strconv.ParseInt(digits, 10, 32)
	if !milli {
		n *= 1000
	}
	if err != nil || n < 1 || n > 1_000_000 {
		return fmt.Errorf("%q is no amount of cpu; write 100m for a tenth of a core, or 1", text)
	}
	*v = CPUUnit(n)
	return nil
}

// maxWeight is the largest weight of a job set.
const maxWeight = 1_000_000

// Weights is a flag that may be repeated: CLASS=N, the weight of jobs of a class of priority.
type Weights map[string]int64

// String implements pflag.Value.
func (v Weights) String() string { return PoolSizes(v).String() }

// Type implements pflag.Value.
func (Weights) Type() string { return "CLASS=N" }

// Set implements pflag.Value.
func (v Weights) Set(text string) error {
	of := PoolSizes{}
	if err := of.Set(text); err != nil {
		return fmt.Errorf("%q is no class of priority with its weight; write CLASS=N, like high=10", text)
	}
	for name, n := range of {
		if n < 1 || n > maxWeight {
			return fmt.Errorf("%q: a weight is from 1 to %d", text, maxWeight)
		}
		v[name] = n
	}
	return nil
}

var percentile = regexp.MustCompile(`^p([1-9][0-9]?|100)$`)

// percent is the number of a value like p95.
func percent(text string) (int, bool) {
	m := percentile.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(m[1]) // two digits, or 100
	return n, true
}

// WCET is a flag: how the worst case of tasks follows from times that were seen.
type WCET struct{ name string }

var deviations = regexp.MustCompile(`^mean\+([0-9](\.[0-9])?)sd$`)

// String implements pflag.Value.
func (v *WCET) String() string { return v.name }

// Type implements pflag.Value.
func (v *WCET) Type() string { return "max|pN|mean+Nsd|own|column" }

// Set implements pflag.Value.
func (v *WCET) Set(text string) error {
	_, isPercent := percent(text)
	if !isPercent && !deviations.MatchString(text) && !slices.Contains([]string{"max", "own", "column"}, text) {
		return fmt.Errorf("%q is no rule for worst cases; write max, p95, mean+2sd, own (what each task took) or column (what the source declares)", text)
	}
	v.name = text
	return nil
}

// sentence says the rule.
func (v *WCET) sentence() string {
	switch v.name {
	case "max":
		return "a task may take as long as the longest of its stage did, over all runs of the job"
	case "own":
		return "a task takes what it took; one of which that is not known, what the longest of its stage did"
	case "column":
		return "a task may take what the source declares; where that is nothing, as long as the longest of its stage did"
	}
	if p, ok := percent(v.name); ok {
		return fmt.Sprintf("a task may take what %d %% of its stage's stayed within, over all runs of the job", p)
	}
	return fmt.Sprintf("a task may take the mean of its stage's and %s standard deviations more, over all runs of the job", deviations.FindStringSubmatch(v.name)[1])
}

// sample is a time that was seen, so many times.
type sample struct {
	ms    int64
	count int32
}

// of is the worst case by the rule; 0 where nothing was seen.
func (v *WCET) of(samples []sample) int64 {
	if m := deviations.FindStringSubmatch(v.name); m != nil {
		k, _ := strconv.ParseFloat(m[1], 64)
		return meanPlus(samples, k)
	}
	if p, ok := percent(v.name); ok {
		return nearestRank(samples, p)
	}
	return nearestRank(samples, 100)
}

// nearestRank is the least sample that p percent of all are at most.
func nearestRank(samples []sample, p int) int64 {
	sorted := slices.Clone(samples)
	slices.SortFunc(sorted, func(a, b sample) int { return int(min(max(a.ms-b.ms, -1), 1)) })
	n := int64(0)
	for _, s := range sorted {
		n += int64(s.count)
	}
	rank := (n*int64(p) + 99) / 100
	for _, s := range sorted {
		if rank -= int64(s.count); rank <= 0 {
			return s.ms
		}
	}
	return 0
}

// meanPlus is the mean and k standard deviations (of the samples) more, rounded up.
func meanPlus(samples []sample, k float64) int64 {
	n, sum := 0.0, 0.0
	for _, s := range samples {
		n += float64(s.count)
		sum += float64(s.count) * float64(s.ms)
	}
	if n == 0 {
		return 0
	}
	mean, squares := sum/n, 0.0
	for _, s := range samples {
		d := float64(s.ms) - mean
		squares += float64(s.count) * d * d
	}
	return int64(math.Ceil(mean + k*math.Sqrt(squares/max(1, n-1))))
}

// Deadline is a flag: what jobs without a deadline get. Its zero value stands for what the
// source says, and twice the time alone if the source cannot say any.
type Deadline struct{ name string }

var factor = regexp.MustCompile(`^([0-9]{1,4}(?:\.[0-9]{1,3})?)x$`)

// String implements pflag.Value.
func (v *Deadline) String() string { return v.name }

// Type implements pflag.Value.
func (v *Deadline) Type() string { return "Fx|max|pN|column" }

// Set implements pflag.Value.
func (v *Deadline) Set(text string) error {
	_, isPercent := percent(text)
	m := factor.FindStringSubmatch(text)
	if m != nil {
		if f, _ := strconv.ParseFloat(m[1], 64); f <= 0 {
			m = nil
		}
	}
	if m == nil && !isPercent && text != "max" && text != "column" {
		return fmt.Errorf("%q is no rule for deadlines; write 2x (twice the time alone on the cluster), p95 or max (of how long runs of the job took), or column (those of the source, and no others)", text)
	}
	v.name = text
	return nil
}

// resolved is the rule where it is left to the source.
func (v Deadline) resolved(sourceSays bool) Deadline {
	switch {
	case v.name != "":
		return v
	case sourceSays:
		return Deadline{"column"}
	}
	return Deadline{"2x"}
}

// sentence says the rule.
func (v *Deadline) sentence(hard, sourceSays bool) string {
	kind := "soft"
	if hard {
		kind = "hard"
	}
	own := "the source has no deadlines; "
	if sourceSays {
		own = "deadlines of the source stand, " + kind + " unless it says otherwise; "
	}
	switch {
	case v.name == "column" && sourceSays:
		return own + "a job without one has none"
	case v.name == "column":
		return own + "no job has one"
	case v.name == "max":
		return own + "a job without one has a " + kind + " one, the longest time from submission to end of its runs"
	case factor.MatchString(v.name):
		return own + fmt.Sprintf("a job without one has a %s one, %s times as long after its release as list scheduling takes for it alone on the cluster", kind, strings.TrimSuffix(v.name, "x"))
	}
	p, _ := percent(v.name)
	return own + fmt.Sprintf("a job without one has a %s one, what %d %% of its runs stayed within from submission to end", kind, p)
}

// Cluster is a flag: a file with a job set, machines as the trace has them, or so many alike.
type Cluster struct {
	text string
	// File is the file's name, empty if it is none.
	File string
	// Of is the job set in it, which the caller reads.
	Of *model.JobSet

	nodes, cores int
	memory       int64 // in bytes, -1 for none
}

// FromTrace is the value for the machines of the trace.
const FromTrace = "from-trace"

var grid = regexp.MustCompile(`^([0-9]{1,6})x([0-9]{1,6})(?:x([0-9]{1,9}(?:[kMGT]i?)?B?))?$`)

// String implements pflag.Value.
func (v *Cluster) String() string { return v.text }

// Type implements pflag.Value.
func (v *Cluster) Type() string { return "FILE|from-trace|NxCORES[xMEMORY]" }

// Set implements pflag.Value.
func (v *Cluster) Set(text string) error {
	*v = Cluster{text: text, memory: -1}
	m := grid.FindStringSubmatch(text)
	switch {
	case text == FromTrace:
	case m != nil:
		v.nodes, _ = strconv.Atoi(m[1])
		v.cores, _ = strconv.Atoi(m[2])
		if m[3] != "" {
			var err error
			if v.memory, err = ParseMemory(m[3]); err != nil {
				return err
			}
		}
		if v.nodes < 1 || v.cores < 1 || v.nodes > 100_000 {
			return fmt.Errorf("%q: write 15x6 for 15 machines with 6 cores each, up to 100000 machines", text)
		}
	case text == "":
		return fmt.Errorf("an empty value; write from-trace, 15x6 for 15 machines with 6 cores each, or a file with a job set")
	default:
		v.File = text
	}
	return nil
}

var memoryForm = regexp.MustCompile(`^([0-9]{1,9})([kMGT]?)(i?B?)$`)

// ParseMemory reads 512MB, 2GB or 1G (all of them powers of 1024), in bytes; a bare number
// is in MB.
func ParseMemory(text string) (int64, error) {
	m := memoryForm.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is no amount of memory; write 512MB or 2GB", text)
	}
	n, _ := strconv.ParseInt(m[1], 10, 64) // nine digits
	shift := map[string]int{"": 20, "k": 10, "M": 20, "G": 30, "T": 40}[m[2]]
	if n == 0 {
		return 0, fmt.Errorf("%q: write at least 1MB", text)
	}
	return n << shift, nil
}

// MemoryUnit is a flag: the unit of the resource memory.
type MemoryUnit struct{ Rules *Rules }

// String implements pflag.Value.
func (v *MemoryUnit) String() string {
	switch {
	case v.Rules == nil || v.Rules.Memory == 0:
		return "none"
	}
	return memoryText(v.Rules.Memory)
}

// memoryText is an amount of memory in the largest unit in which it is whole.
func memoryText(bytes int64) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{40, "TB"}, {30, "GB"}, {20, "MB"}, {10, "kB"}} {
		if bytes%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d%s", bytes>>u.shift, u.name)
		}
	}
	return fmt.Sprintf("%dB", bytes)
}

// Type implements pflag.Value.
func (v *MemoryUnit) Type() string { return "SIZE|none" }

// Set implements pflag.Value.
func (v *MemoryUnit) Set(text string) error {
	if text == "none" {
		v.Rules.Memory = 0
		return nil
	}
	var err error
	v.Rules.Memory, err = ParseMemory(text)
	return err
}

// SWIM is a flag: rules that make tasks of bytes.
type SWIM struct{ trace.SwimRules }

// fields are the rules by their names.
func (v *SWIM) fields() []swimField {
	return []swimField{
		{"source", nil, &v.Source}, {"block", &v.Block, nil}, {"perreduce", &v.PerReduce, nil}, {"maxmaps", nil, &v.MaxMaps},
		{"startup", nil, nil}, {"maprate", &v.MapRate, nil}, {"reducerate", &v.ReduceRate, nil}, {"network", &v.Network, nil},
	}
}

type swimField struct {
	name string
	real *float64
	int  *int
}

// String implements pflag.Value.
func (v *SWIM) String() string {
	var parts []string
	for _, f := range v.fields() {
		switch {
		case f.real != nil:
			parts = append(parts, fmt.Sprintf("%s=%g", f.name, *f.real))
		case f.int != nil:
			parts = append(parts, fmt.Sprintf("%s=%d", f.name, *f.int))
		default:
			parts = append(parts, fmt.Sprintf("%s=%d", f.name, v.Startup))
		}
	}
	return strings.Join(parts, ",")
}

// Type implements pflag.Value.
func (v *SWIM) Type() string { return "NAME=NUMBER,..." }

// Set implements pflag.Value.
func (v *SWIM) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if err := v.set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}

func (v *SWIM) set(name, value string) error {
	fields := v.fields()
	i := slices.IndexFunc(fields, func(f swimField) bool { return f.name == name })
	if i < 0 {
		var names []string
		for _, f := range fields {
			names = append(names, f.name)
		}
		if meant := near.Word(name, names); meant != "" {
			return fmt.Errorf("unknown rule %q; did you mean %q?", name, meant)
		}
		return fmt.Errorf("unknown rule %q; known are %s", name, strings.Join(names, ", "))
	}
	real, err := strconv.ParseFloat(value, 64)
	whole := err == nil && real == math.Trunc(real)
	switch f := fields[i]; {
	case f.real != nil && err == nil && real >= 0.001 && real <= 1e6:
		*f.real = real
	case f.int != nil && whole && real >= 1 && real <= 1e6:
		*f.int = int(real)
	case f.real == nil && f.int == nil && whole && real >= 0 && real <= 100_000:
		v.Startup = int64(real)
	default:
		return fmt.Errorf("%s=%s is out of range; write a number above 0, of at most 1000000", name, value)
	}
	return nil
}

// sentence says the rules.
func (v *SWIM) sentence() string {
	return fmt.Sprintf("bytes are scaled by %d/%d machines; a map for each %g MB, at most %d; with shuffle a reduce for each %g MB of shuffle and output; a task takes %d s and 1 s for each %g MB (map) or %g MB (reduce), the shuffle 1 s for each %g MB",
		v.Slaves, v.Source, v.Block, v.MaxMaps, v.PerReduce, v.Startup, v.MapRate, v.ReduceRate, v.Network)
}

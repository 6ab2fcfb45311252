package trace

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// workload is a synthetic workload of SLS: classes of jobs whose figures are distributed.
// Times are in seconds. The jobs are drawn by a generator of our own from its seed: the
// simulator would draw others of the same distribution.
type workload struct {
	at      Place
	given   bool
	jobs    int64
	seed    int64
	classes []synthMix
}

// synthMix is one of the workloads that are mixed.
type synthMix struct {
	Weight  float64      `json:"workload_weight"`
	Classes []synthClass `json:"job_classes"`
	Times   []synthTime  `json:"time_distribution"`
}

// synthTime is when jobs come: between this time and the next, with that weight.
type synthTime struct{ Time, Weight float64 }

// synthFigure is a figure that is distributed.
type synthFigure struct{ Val, Std float64 }

// synthClass is a class of jobs, in the older form with a field a figure or in the later
// one with a list of tasks.
type synthClass struct {
	Name           string      `json:"class_name"`
	Weight         float64     `json:"class_weight"`
	Duration       synthFigure `json:"duration"`
	Reservation    synthFigure `json:"reservation"`
	DeadlineFactor synthFigure `json:"deadline_factor"`
	Tasks          []synthTask `json:"tasks"`

	MTasks  float64 `json:"mtasks_avg"`
	MTasksS float64 `json:"mtasks_stddev"`
	MTime   float64 `json:"mtime_avg"`
	MTimeS  float64 `json:"mtime_stddev"`
	MMemory float64 `json:"map_max_memory_avg"`
	MCores  float64 `json:"map_max_vcores_avg"`
	RTasks  float64 `json:"rtasks_avg"`
	RTasksS float64 `json:"rtasks_stddev"`
	RTime   float64 `json:"rtime_avg"`
	RTimeS  float64 `json:"rtime_stddev"`
	RMemory float64 `json:"reduce_max_memory_avg"`
	RCores  float64 `json:"reduce_max_vcores_avg"`
	Dur     float64 `json:"dur_avg"`
	DurS    float64 `json:"dur_stddev"`
	Chance  float64 `json:"chance_of_reservation"`
	Factor  float64 `json:"deadline_factor_avg"`
	FactorS float64 `json:"deadline_factor_stddev"`
}

// synthTask is a stage of a class.
type synthTask struct {
	Type        string
	Count, Time synthFigure
	Memory      synthFigure `json:"max_memory"`
	Cores       synthFigure `json:"max_vcores"`
}

// member reads a field of the workload.
func (w *workload) member(d *JSON, name string) error {
	var n Int
	switch name {
	case "workloads":
		w.given = true
		return d.Decode(&w.classes)
	case "num_jobs":
		err := d.Decode(&n)
		w.jobs = n.Value()
		return err
	default:
		err := d.Decode(&n)
		w.seed = n.Value()
		return err
	}
}

// later is the class in its later form.
func (c *synthClass) later() synthClass {
	out := *c
	if len(out.Tasks) > 0 {
		return out
	}
	out.Duration, out.Reservation, out.DeadlineFactor = synthFigure{c.Dur, c.DurS}, synthFigure{c.Chance, 0}, synthFigure{c.Factor, c.FactorS}
	out.Tasks = []synthTask{
		{mapTask, synthFigure{c.MTasks, c.MTasksS}, synthFigure{c.MTime, c.MTimeS}, synthFigure{c.MMemory, 0}, synthFigure{c.MCores, 0}},
		{reduceTask, synthFigure{c.RTasks, c.RTasksS}, synthFigure{c.RTime, c.RTimeS}, synthFigure{c.RMemory, 0}, synthFigure{c.RCores, 0}},
	}
	return out
}

// draw draws from the log-normal distribution of that mean and standard deviation.
func (f synthFigure) draw(rng *rand.Rand) float64 {
	normal := rng.NormFloat64()
	if !(f.Val > 0) || !(f.Std > 0) {
		return max(0, f.Val)
	}
	variance := math.Log(1 + f.Std*f.Std/(f.Val*f.Val))
	return math.Exp(math.Log(f.Val) - variance/2 + math.Sqrt(variance)*normal)
}

// pick draws an index by weights; -1 where all are 0.
func pick(rng *rand.Rand, n int, weight func(int) float64) int {
	sum := 0.0
	for i := range n {
		sum += max(0, weight(i))
	}
	at := rng.Float64() * sum
	for i := range n {
		w := max(0, weight(i))
		if at < w {
			return i
		}
		at -= w
	}
	return -1
}

// add draws the jobs.
func (w *workload) add(t *Trace) {
	t.Deadlines = true
	if w.jobs <= 0 || w.jobs > mostCopies {
		t.Unusable.Add("synthetic workloads without a number of jobs", Fault{Place: w.at, Message: "num_jobs is missing, or no number of jobs that can be", Advice: `write "num_jobs": 10`})
		return
	}
	t.Remarks.Add("synthetic workloads, whose jobs are drawn", Fault{Place: w.at, Message: fmt.Sprintf("%d jobs are drawn from rand_seed %d", w.jobs, w.seed)})
	rng := rand.New(rand.NewPCG(uint64(w.seed), 1))
	for i := range w.jobs {
		if !w.draw(rng, int(i)+1, t) {
			t.Unusable.Add("jobs of classes that say too little", Fault{Place: w.at, Message: fmt.Sprintf("job %d is of a class without tasks, or of none", i+1), Advice: "give classes a class_weight, and tasks a count and a time"})
		}
	}
}

// draw draws one job, and reports whether there was enough to draw it from.
func (w *workload) draw(rng *rand.Rand, number int, t *Trace) bool {
	m := pick(rng, len(w.classes), func(i int) float64 { return w.classes[i].Weight })
	if m < 0 {
		return false
	}
	mix := &w.classes[m]
	k := pick(rng, len(mix.Classes), func(i int) float64 { return mix.Classes[i].Weight })
	if k < 0 {
		return false
	}
	c := mix.Classes[k].later()
	j := NewJob(fmt.Sprintf("job %d", number), w.at)
	if name := Name(c.Name); name != "" {
		j.ID = fmt.Sprintf("%s %d", name, number)
		j.Name = j.ID
	}
	j.Submit = yarnMillis(mix.submit(rng))
	if rng.Float64() < c.Reservation.Val {
		j.Deadline = max(1, yarnMillis(c.Duration.draw(rng)*c.DeadlineFactor.draw(rng)))
	}
	for _, task := range c.Tasks {
		count := min(int(math.Round(min(task.Count.draw(rng), mostCopies))), mostCopies)
		st := NewStage(Name(task.Type))
		st.Reduce = task.Type == reduceTask
		st.Cores = int64(max(1, math.Round(min(task.Cores.Val, 1e6))))
		if task.Memory.Val > 0 {
			st.Memory = int64(min(task.Memory.Val, 1e9)) << 20
		}
		for range count {
			st.Tasks = append(st.Tasks, NewTask(max(1, yarnMillis(task.Time.draw(rng)))))
		}
		if count > 0 {
			j.Stages = append(j.Stages, st)
		}
	}
	if len(j.Stages) == 0 {
		return false
	}
	t.Add(j, false)
	return true
}

// submit draws when a job is submitted, in seconds.
func (m *synthMix) submit(rng *rand.Rand) float64 {
	at := pick(rng, len(m.Times), func(i int) float64 { return m.Times[i].Weight })
	part := rng.Float64()
	switch {
	case at < 0:
		return 0
	case at+1 < len(m.Times):
		return m.Times[at].Time + part*max(0, m.Times[at+1].Time-m.Times[at].Time)
	}
	return m.Times[at].Time
}

func yarnMillis(seconds float64) int64 {
	return int64(math.Round(min(max(0, seconds)*1000, float64(Most))))
}

package workload

import (
	"fmt"
	"math"
	"time"

	"downbeat/model"
)

// application is one of RDS's benchmark programs. All figures are ours.
type application struct {
	name string
	// mapTime is the execution time of a map on one block, in seconds.
	mapTime float64
	// blocksPerReduce sets the number of reduces, reduceTime the seconds of
	// reduce execution and shuffleTime those of transfer for each block of the
	// job's input.
	blocksPerReduce, reduceTime, shuffleTime float64
}

var applications = []application{
	{"wordcount", 40, 16, 0.5, 0.1}, // much computing, a combiner leaves little to shuffle
	{"terasort", 20, 8, 2, 1},       // all input is shuffled and written again
	{"grep", 15, math.Inf(1), 0.1, 0.02},
}

// RDS is the evaluation of Cheng, Rao, Jiang and Zhou: Resource and
// Deadline-aware Job Scheduling in Dynamic Hadoop Clusters (2015), sections IV
// and V: WordCount, TeraSort and Grep jobs of short, medium and large inputs
// on 20 slaves whose number follows the sun. A tick is a second. The paper's
// Table III, the sizes, is lost, and so are its figures.
type RDS struct {
	// Jobs is their number, Gap the time between arrivals in seconds (600 in
	// the paper); Poisson makes it the mean of exponential gaps.
	Jobs    int
	Gap     float64
	Poisson bool
	// Short, Medium and Large are input sizes in blocks of 64 MB, each scaled by
	// Size; Mix holds their relative frequencies.
	Short, Medium, Large int
	Mix                  [3]float64
	Size                 float64
	// Factor is the deadline as a multiple of the run time on the whole cluster
	// without absences (2.5 in the paper).
	Factor float64

	// Slaves have MapSlots and ReduceSlots (20, 2 and 1 in the paper), and Cores (one
	// virtual CPU in the paper).
	Slaves, MapSlots, ReduceSlots, Cores int
	// Local and Remote are a block's transfer times in seconds.
	Local, Remote model.Time
	Replicas      int
	Solar
	Platform
	Kinds
}

// NewRDS has the paper's cluster and deadlines, all jobs soft, and 18 control
// intervals to a day as in Figure 5.
func NewRDS() *RDS {
	return &RDS{
		Jobs: 18, Gap: 600, Short: 32, Medium: 160, Large: 640, Mix: [3]float64{1, 1, 1}, Size: 1, Factor: 2.5,
		Slaves: 20, MapSlots: 2, ReduceSlots: 1, Cores: 1, Local: 1, Remote: 3, Replicas: 3,
		Solar:    Solar{Grid: 0.3, Day: 18, Clouds: 0.3, Interval: 600},
		Platform: Platform{Heartbeat: 3, Fetch: model.FetchExclusive, Stagger: true},
		Kinds:    Kinds{Weight: Range{1, 1}},
	}
}

func (w *RDS) params() []param {
	own := []param{
		{name: "jobs", help: "number of jobs", value: whole[int]{&w.Jobs, 1, 100_000}},
		{name: "gap", help: "time between arrivals in seconds", value: real{&w.Gap, 0, 1_000_000}},
		{name: "poisson", help: "exponential gaps of that mean instead of equal ones", value: yesNo{&w.Poisson}},
		{name: "short", help: "input of short jobs in blocks", value: whole[int]{&w.Short, 1, 100_000}},
		{name: "medium", help: "input of medium jobs in blocks", value: whole[int]{&w.Medium, 1, 100_000}},
		{name: "large", help: "input of large jobs in blocks", value: whole[int]{&w.Large, 1, 100_000}},
		{name: "shortshare", help: "relative frequency of short jobs", value: real{&w.Mix[0], 0, 1000}},
		{name: "mediumshare", help: "relative frequency of medium jobs", value: real{&w.Mix[1], 0, 1000}},
		{name: "largeshare", help: "relative frequency of large jobs", value: real{&w.Mix[2], 0, 1000}},
		{name: "size", help: "scale of all inputs, to set the load", value: real{&w.Size, 0.001, 100}},
		{name: "factor", help: "deadline as a multiple of the dedicated run time", value: real{&w.Factor, 0.01, 1000}},
		{name: "slaves", help: "number of slaves", value: whole[int]{&w.Slaves, 1, 10_000}},
		{name: "mapslots", help: "map slots per slave", value: whole[int]{&w.MapSlots, 1, 1000}},
		{name: "reduceslots", help: "reduce slots per slave", value: whole[int]{&w.ReduceSlots, 1, 1000}},
		{name: "cores", help: "cores per slave", value: whole[int]{&w.Cores, 1, 1000}},
		{name: "local", help: "transfer of a block on a slave that holds it, in seconds", value: whole[model.Time]{&w.Local, 0, 100_000}},
		{name: "remote", help: "transfer of a block elsewhere, in seconds", value: whole[model.Time]{&w.Remote, 0, 100_000}},
		{name: "replicas", help: "slaves that hold a block", value: whole[int]{&w.Replicas, 0, 1000}},
	}
	own = append(own, w.Solar.params()...)
	return append(append(own, w.Platform.params()...), w.Kinds.params()...)
}

func (w *RDS) check() error {
	if w.Mix[0]+w.Mix[1]+w.Mix[2] == 0 {
		return fmt.Errorf("shortshare, mediumshare and largeshare are all 0")
	}
	return checkReplicas(w.Replicas, w.Slaves)
}

// Assumptions lists what sections IV and V leave open.
func (w *RDS) Assumptions() []string {
	out := []string{
		fmt.Sprintf("Table III (job sizes) is lost: short, medium and large jobs read %d, %d and %d blocks of 64 MB, times %g, with relative frequencies %v; each of the three programs is equally likely.",
			w.Short, w.Medium, w.Large, w.Size, w.Mix),
		fmt.Sprintf("Run times are not given. A block's transfer takes %d s (local) or %d s (remote), %d replicas drawn uniformly.", w.Local, w.Remote, w.Replicas),
	}
	for _, a := range applications {
		out = append(out, fmt.Sprintf("A %s job runs %g s per map, has one reduce per %g blocks (1 to the number of reduce slots), and takes %g s of shuffle and %g s of reducing per block, shared by its reduces.",
			a.name, a.mapTime, a.blocksPerReduce, a.shuffleTime, a.reduceTime))
	}
	return append(out,
		fmt.Sprintf("The dedicated run time is that of list scheduling on all %d slaves without absences; the deadline is %g times as long.", w.Slaves, w.Factor),
		fmt.Sprintf("The energy trace (Figure 5) is lost: %g of the slaves run on the grid, the rest follows a raised cosine over %d intervals of %d s, dimmed by clouds of strength %g with autocorrelation %g; night is at time 0.",
			w.Grid, w.Day, w.Interval, w.Clouds, persistence),
		"The paper changes the CPU limits of running machines; here whole slaves are away for whole intervals, and nothing runs across the start of an absence. After the last deadline, rounded up to an interval, all slaves are there.",
		fmt.Sprintf("The paper's machines have one virtual CPU for three slots, shared by what runs; here slaves have %d, and where that is less than the slots tasks run one after the other.", w.Cores),
		fmt.Sprintf("Arrivals are %g s apart (exponential: %t), the first at 0. Heartbeats every %d s, fetching %s.", w.Gap, w.Poisson, w.Heartbeat, w.Fetch),
	)
}

// Generate draws the set of the seed.
func (w *RDS) Generate(seed uint64) (*model.JobSet, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	js := w.jobSet(time.Second, class("s", w.Slaves, splitSlots(w.Cores, w.MapSlots, w.ReduceSlots)))
	at := exponentialArrivals(seed, w.Jobs, w.Gap)
	for i := range w.Jobs {
		if !w.Poisson {
			at[i] = w.Gap * float64(i)
		}
		app := applications[stream(seed, "application", i).IntN(len(applications))]
		size, n := w.drawSize(seed, i)
		job := model.Job{Name: fmt.Sprintf("j%d-%s-%s", i+1, app.name, size), Release: ticks(at[i], 0)}
		job.Stages = w.stages(js, app, n, seed, i)
		js.Jobs = append(js.Jobs, job)
	}
	js, err := finish(js)
	if err != nil {
		return nil, err
	}
	end := model.Time(0)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		w.due(job, ticks(w.Factor*float64(alone(js, model.JobID(i))), 1), seed, i)
		end = max(end, job.Due())
	}
	intervals := int((end + w.Interval - 1) / w.Interval)
	darken(js.Slaves, w.capacity(w.Slaves, intervals, seed), w.Interval)
	return finish(js)
}

// drawSize is the size of job i by name and in blocks.
func (w *RDS) drawSize(seed uint64, i int) (name string, blocks int) {
	names, sizes := []string{"short", "medium", "large"}, []int{w.Short, w.Medium, w.Large}
	x := stream(seed, "size", i).Float64() * (w.Mix[0] + w.Mix[1] + w.Mix[2])
	class := 0
	for class < 2 && x >= w.Mix[class] {
		x -= w.Mix[class]
		class++
	}
	return names[class], max(1, int(math.Round(w.Size*float64(sizes[class]))))
}

func (w *RDS) stages(js *model.JobSet, app application, n int, seed uint64, i int) []model.Stage {
	reduces := min(max(1, int(math.Ceil(float64(n)/app.blocksPerReduce))), w.Slaves*w.ReduceSlots)
	share := float64(n) / float64(reduces) // blocks per reduce
	input := blocks{holders: w.Slaves, replicas: w.Replicas, local: w.Local, remote: w.Remote}
	return []model.Stage{
		input.mapStage(js, n, model.ConstRow(w.Slaves, ticks(app.mapTime, 1)), seed, i),
		reduceStage(js, reduces, model.ConstRow(w.Slaves, ticks(app.reduceTime*share, 1)), ticks(app.shuffleTime*share, 0)),
	}
}

// rdsPair is what the case study and the overloaded set have in common: jobs
// of equal map tasks on slaves of one core and one slot that handle one unit of
// work a minute each. A tick is a minute.
type rdsPair struct {
	// Grain is the length of a task in minutes: 1, 2, 5 or 10. The coarser the
	// smaller the set; what is claimed of the two holds for all four.
	Grain int
	Kinds
}

func (w *rdsPair) params() []param {
	grain := param{name: "grain", help: "length of a task in minutes: 1, 2, 5 or 10", value: whole[int]{&w.Grain, 1, 10}}
	return append([]param{grain}, w.Kinds.params()...)
}

func (w *rdsPair) check() error {
	if 10%w.Grain != 0 {
		return fmt.Errorf("grain=%d does not divide the intervals of 10 minutes: want 1, 2, 5 or 10", w.Grain)
	}
	return nil
}

// unitJob is a job of so many units of work, times in minutes, due relative.
type unitJob struct {
	name         string
	units        int
	release, due model.Time
}

// generate makes the set on six slaves, the last three away when low says.
func (w *rdsPair) generate(jobs []unitJob, low []model.Interval, seed uint64) (*model.JobSet, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	platform := Platform{Heartbeat: 1, Fetch: model.FetchExclusive}
	slave := model.Slave{Cores: 1, Slots: 1}
	steady := class("steady", 3, slave)
	slave.Down = low
	js := platform.jobSet(time.Minute, append(steady, class("variable", 3, slave)...))
	for i, u := range jobs {
		job := model.Job{Name: u.name, Release: u.release}
		profile := model.NewProfile(model.ConstRow(6, model.Time(w.Grain)), model.ConstRow(6, 0))
		job.Stages = []model.Stage{{
			Name: "map", Slot: model.MapSlot,
			Groups: []model.Group{{Count: u.units / w.Grain, Profile: profile}},
		}}
		w.due(&job, u.due, seed, i)
		js.Jobs = append(js.Jobs, job)
	}
	return finish(js)
}

// RDSCase is RDS's case study (section II.B, Table I). J1 needs 120 units,
// arrives at 0 and is due at 40; J2 needs 60, arrives at 10 and is due at 30,
// an absolute time. Capacity is 3, 6, 3 and 6 units a minute over four intervals
// of ten minutes. The work just fills it, both deadlines can be met, and J2
// misses under FIFO and Fair. Without soft jobs of drawn kind or weight the
// seed changes nothing.
type RDSCase struct{ rdsPair }

// NewRDSCase has both jobs hard and tasks of one minute.
func NewRDSCase() *RDSCase {
	return &RDSCase{rdsPair{Grain: 1, Kinds: Kinds{Hard: 1, Weight: Range{1, 1}}}}
}

// Generate makes the set; the seed matters to kinds and weights only.
func (w *RDSCase) Generate(seed uint64) (*model.JobSet, error) {
	jobs := []unitJob{
		{name: "J1", units: 120, release: 0, due: 40},
		{name: "J2", units: 60, release: 10, due: 20},
	}
	return w.generate(jobs, []model.Interval{{Start: 0, End: 10}, {Start: 20, End: 30}}, seed)
}

// Assumptions lists what section II leaves open.
func (w *RDSCase) Assumptions() []string {
	return []string{
		"Figure 2a (capacity) is lost: 3, 6, 3, 6 units a minute follows from the text (the second and fourth interval have twice the resources of the others) if the total is the demand of 180.",
		"Deadlines in Table I are read as absolute times, as the text's \"before the 30th minute\" needs.",
		"The paper's four slaves share a pool of CPU; here six slaves of one unit a minute, three of them away in the first and third interval.",
		fmt.Sprintf("The size of tasks is not given: %d min each, no transfer, heartbeats every minute.", w.Grain),
	}
}

// RDSOverload is a set of ours for what RDS's Figure 3 wants to show: under
// overload, EDF fails. J1 needs 120 units and is due at 25, J2 needs 60 and is
// due at 30, both arrive at 0. Six units a minute would do for both under EDF;
// but capacity drops to 3 at minute 10. EDF then serves J1, which can no longer
// make it (105 units by 25), and J2 after it: both miss. Serving J2 first meets
// its deadline at 10: the optimum is one miss.
type RDSOverload struct{ rdsPair }

// NewRDSOverload has both jobs soft, since no plan meets both.
func NewRDSOverload() *RDSOverload {
	return &RDSOverload{rdsPair{Grain: 1, Kinds: Kinds{Weight: Range{1, 1}}}}
}

// Generate makes the set; the seed matters to kinds and weights only.
func (w *RDSOverload) Generate(seed uint64) (*model.JobSet, error) {
	jobs := []unitJob{
		{name: "J1", units: 120, due: 25},
		{name: "J2", units: 60, due: 30},
	}
	return w.generate(jobs, []model.Interval{{Start: 10, End: 60}}, seed)
}

// Assumptions says where the set comes from.
func (w *RDSOverload) Assumptions() []string {
	return []string{
		"The set is ours. The paper's overloaded example (Figure 3) is lost and cannot follow from Table I, under whose deadlines EDF serves J2 first.",
		"Capacity is 6 units a minute until minute 10 and 3 until minute 60.",
		fmt.Sprintf("Tasks of %d min, no transfer, heartbeats every minute.", w.Grain),
	}
}

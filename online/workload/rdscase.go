package workload

import (
	"fmt"
	"time"

	"downbeat/model"
)

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

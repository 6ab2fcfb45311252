package export

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"downbeat/model"
)

// Reservation says what a job set does not tell YARN.
type Reservation struct {
	// Queue is where capacity is reserved; it has to be one that allows it.
	Queue string
	// Memory, in MB, is what a unit of the resource named memory stands for, and what a
	// container gets whose task needs none.
	Memory int64
}

// memoryResource is the named resource that YARN knows as memory.
const memoryResource = "memory"

// HasMemory reports whether a job set has the resource that YARN and Slurm know as memory.
func HasMemory(js *model.JobSet) bool { return slices.Contains(js.Named, memoryResource) }

// How YARN is to read the requests of a reservation: all of them in any order, or one after
// the other (org.apache.hadoop.yarn.api.records.ReservationRequestInterpreter).
const (
	rAll   = 1
	rOrder = 2
)

// The body of a submission to YARN's ReservationSystem, by the names of its REST interface.
// Points in time are milliseconds since 1970, lengths are milliseconds, memory is in MB.
type (
	submission struct {
		Queue      string     `json:"queue"`
		ID         string     `json:"reservation-id"`
		Definition definition `json:"reservation-definition"`
	}
	definition struct {
		Arrival  int64    `json:"arrival"`
		Deadline int64    `json:"deadline"`
		Name     string   `json:"reservation-name"`
		Priority int      `json:"priority"`
		Requests requests `json:"reservation-requests"`
	}
	requests struct {
		Interpreter int       `json:"reservation-request-interpreter"`
		Requests    []request `json:"reservation-request"`
	}
	request struct {
		Duration       int64      `json:"duration"`
		Containers     int        `json:"num-containers"`
		MinConcurrency int        `json:"min-concurrency"`
		Capability     capability `json:"capability"`
	}
	capability struct {
		Memory int64 `json:"memory"`
		VCores int64 `json:"vCores"`
	}
)

// Yarn writes a plan as a list of submissions to YARN's ReservationSystem, one for each of
// the jobs, which are ascending. A job asks for its containers stage by stage, between the
// time at which the plan hands out its first task and its deadline, or when the plan has it
// finish if that is later or there is no deadline. YARN keeps capacity by then, and picks
// machines itself.
func (r *Reservation) Yarn(w io.Writer, when Clock, jobs []model.JobID) error {
	list, asked := []submission{}, r.requests(when)
	for _, id := range jobs {
		if line := &when.Jobs[id]; line.First < model.Never && !line.Rejected {
			list = append(list, r.submission(when, id, asked))
		}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	out.SetEscapeHTML(false)
	return out.Encode(list)
}

func (r *Reservation) submission(s Clock, id model.JobID, asked []request) submission {
	job, line := &s.JS.Jobs[id], &s.Jobs[id]
	last := line.Finish
	if _, fits := s.Summary.Clock.Duration(job.Due()); fits && job.Kind != model.BestEffort {
		last = max(last, job.Due())
	}
	order := rOrder
	if !job.Chain() {
		order = rAll // of stages side by side YARN knows nothing
	}
	d := definition{Arrival: s.At(line.First).UnixMilli(), Deadline: s.At(last).UnixMilli(), Name: job.Name, Priority: priority(job)}
	d.Requests.Interpreter = order
	for _, k := range job.Order() {
		if ask := asked[job.FirstStage+model.StageID(k)]; ask.Containers > 0 {
			d.Requests.Requests = append(d.Requests.Requests, ask)
		}
	}
	return submission{Queue: r.Queue, ID: fmt.Sprintf("reservation_ID_%d", id+1), Definition: d}
}

// priority is lower for what matters more.
func priority(job *model.Job) int {
	return map[model.JobKind]int{model.Hard: 0, model.Soft: 1, model.BestEffort: 2}[job.Kind]
}

// requests ask for the containers of each stage, by StageID: each as large and for as long
// as the largest and longest of its tasks in the plan; of a gang for all of them at once. Of pools,
// caps and tasks that are apart YARN's ReservationSystem knows nothing.
func (r *Reservation) requests(s Clock) []request {
	all, longest := make([]request, s.JS.Stages()), make([]model.Time, s.JS.Stages())
	for st := range all {
		all[st] = request{MinConcurrency: 1, Capability: capability{Memory: r.Memory, VCores: 1}}
	}
	memory := slices.Index(s.JS.Named, memoryResource)
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.Lost {
			continue
		}
		task := &s.JS.Tasks[a.Task]
		st := s.JS.Jobs[task.Job].FirstStage + model.StageID(task.Stage)
		longest[st] = max(longest[st], a.Finish-a.Assigned)
		ask := &all[st]
		ask.Containers++
		if _, gang := s.JS.GangOf(a.Task); gang {
			ask.MinConcurrency = ask.Containers
		}
		ask.Capability.VCores = max(ask.Capability.VCores, task.Cores())
		if memory >= 0 {
			ask.Capability.Memory = max(ask.Capability.Memory, r.Memory*task.Units(memory))
		}
		ask.Duration = (s.Length(longest[st]) + time.Millisecond - 1).Milliseconds()
	}
	return all
}

package trace

import (
	"fmt"
)

// Interpreters of the requests within a reservation that are not: one after the other.
const yarnAnyOf, allOf = 0, 1

// Reservation reads requests for reservations, as they are sent to the resource manager: a
// JSON object each. Every request within one is a stage.
func Reservation(in *Input, t *Trace) error {
	t.Deadlines = true
	return in.Values(t, "reservation", "a reservation is an object with a reservation-definition", func(d *JSON) error {
		return reservation(d, t)
	})
}

func reservation(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		ID         Text `json:"reservation-id"`
		Definition struct {
			Arrival, Deadline Int
			Name              Text `json:"reservation-name"`
			Requests          struct {
				Interpreter Int `json:"reservation-request-interpreter"`
				Request     []struct {
					Duration   Int
					Containers Int `json:"num-containers"`
					AtOnce     Int `json:"min-concurrency"`
					Capability struct{ Memory, VCores Int }
				} `json:"reservation-request"`
			} `json:"reservation-requests"`
		} `json:"reservation-definition"`
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	def := &a.Definition
	j := NewJob(Name(string(a.ID)), at)
	j.Name = Name(string(def.Name))
	switch {
	case j.ID == "" && j.Name == "":
		j.ID = fmt.Sprintf("reservation %d", len(t.Jobs)+1)
		j.Name = j.ID
	case j.ID == "":
		j.ID = j.Name
	case j.Name == "":
		j.Name = j.ID
	}
	j.Due, j.Hard = def.Deadline.Value(), true
	if at := def.Arrival.Value(); at > 0 { // 0 stands for now, whenever that was
		j.Submit = at
	}
	how := def.Requests.Interpreter.Value()
	for i, r := range def.Requests.Request {
		if r.Duration.Value() <= 0 || r.Containers.Value() <= 0 || r.Containers.Value() > mostCopies {
			t.Unusable.Add("requests without a length or a number of containers", Fault{Place: at, Message: fmt.Sprintf("request %d of %s has no duration, or no number of containers that can be", i+1, j.ID)})
			continue
		}
		if r.AtOnce.Value() > 1 {
			t.Remarks.Add("requests whose containers are to run at once, which the job set does not demand", Fault{Place: at, Message: fmt.Sprintf("request %d of %s has min-concurrency %d", i+1, j.ID, r.AtOnce.Value()), Advice: "gang: true in its stage demands that all of them do"})
		}
		if how == yarnAnyOf && len(j.Stages) > 0 {
			t.Remarks.Add("reservations of which any request will do, and the first is taken", Fault{Place: at, Message: fmt.Sprintf("%s has other requests that would do", j.ID)})
			break
		}
		st := NewStage(fmt.Sprintf("request-%d", i+1))
		if how == allOf {
			st.After = []int32{}
		}
		tk := NewTask(r.Duration.Value())
		tk.Count, tk.Declared = int32(r.Containers.Value()), tk.Time
		st.Tasks = []Task{tk}
		st.Cores = max(1, r.Capability.VCores.Value())
		if mb := r.Capability.Memory.Value(); mb > 0 {
			st.Memory = mb << 20
		}
		j.Stages = append(j.Stages, st)
	}
	if len(j.Stages) == 0 {
		t.Unusable.Add("reservations without requests", Fault{Place: at, Message: fmt.Sprintf("reservation %s has no requests", j.ID)})
		return nil
	}
	if j.Submit == Unknown {
		t.Unusable.Add("reservations that do not say from when on", Fault{Place: at, Message: fmt.Sprintf("reservation %s has no arrival", j.ID),
			Advice: `write "arrival" in milliseconds since 1970; 0 stands for now, whenever that was`})
		return nil
	}
	t.Add(j, true)
	return nil
}

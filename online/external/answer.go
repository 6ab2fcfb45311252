package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"downbeat/online"
)

// Version of the lines that are exchanged.
const Version = 1

// What a program decides: the order of jobs, or which tasks a slave gets.
const (
	decidesJobs  = "jobs"
	decidesTasks = "tasks"
)

// What a program wants of the groups that fit at a heartbeat; figures by default.
const (
	listsFigures = "figures"
	listsNumbers = "numbers"
	listsNothing = "none"
)

// onTime has keys change with time alone.
const onTime = "time"

// hello is the answer to the start.
type hello struct {
	Version int      `json:"version"`
	Decides string   `json:"decides"`
	On      []string `json:"on"`
	Events  []string `json:"events"`
	When    string   `json:"asks"`
	Lists   string   `json:"candidates"`
	Admits  bool     `json:"admits"`
	Stays   bool     `json:"stays"`
}

// answered are the words that a hello has in a field, and those that are known there, "" for
// none.
type answered struct {
	name          string
	values, known []string
}

func (h *hello) words() []answered {
	return []answered{
		{"decides", []string{h.Decides}, []string{decidesJobs, decidesTasks}},
		{"asks", []string{h.When}, []string{"", "ready", "change", "beat"}},
		{"candidates", []string{h.Lists}, []string{"", listsFigures, listsNumbers, listsNothing}},
		{"on", h.On, []string{"ready", "running", "remaining", onTime}},
		{"events", h.Events, []string{"opened", "assigned", "ended", "lost", "finished"}},
	}
}

func (h *hello) check() error {
	if h.Version != Version {
		return fmt.Errorf("it speaks version %d; this program speaks version %d", h.Version, Version)
	}
	for _, f := range h.words() {
		for _, value := range f.values {
			if !slices.Contains(f.known, value) {
				return fmt.Errorf("it answers with %s %q; known are %s", f.name, value, strings.TrimPrefix(strings.Join(f.known, ", "), ", "))
			}
		}
	}
	if h.Decides == decidesJobs && h.When+h.Lists != "" {
		return errors.New("it answers with asks or candidates, which are for programs that decide tasks")
	}
	if h.Decides == decidesTasks && h.On != nil {
		return errors.New("it answers with on, which is for programs that decide jobs")
	}
	return nil
}

func (h *hello) asks() online.Asking {
	switch h.When {
	case "change":
		return online.OnChange
	case "beat":
		return online.EveryBeat
	}
	return online.OnReady
}

// admission is the answer to a job that has arrived.
type admission struct {
	Accept *bool  `json:"accept"`
	Why    string `json:"why"`
}

func (a *admission) check() error {
	if a.Accept == nil {
		return errors.New(`its answer has no "accept"`)
	}
	return nil
}

// keys are the answer to a rank: one for each job asked about, null for the last place.
type keys struct {
	Keys []*float64 `json:"keys"`
	want int
}

func (k *keys) check() error {
	if len(k.Keys) != k.want {
		return fmt.Errorf("it answers with %d keys for %d jobs", len(k.Keys), k.want)
	}
	return nil
}

// answer is that to a heartbeat.
type answer struct {
	Give  []int `json:"give"`
	Rank  []int `json:"rank"`
	Again bool  `json:"again"`
}

func (a *answer) check() error {
	if (a.Give == nil) == (a.Rank == nil) {
		return errors.New(`its answer needs either "give" or "rank"`)
	}
	return nil
}

// read reads an answer; what it does not know is an error.
func read(text []byte, into any) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	err := in.Decode(into)
	if err == nil && in.More() {
		err = errors.New("there is more after it")
	}
	if err != nil {
		return fmt.Errorf("its answer %s cannot be read: %s", shown(text), strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// shown is a line for people, cut where it is long.
func shown(text []byte) string {
	const most = 60
	text = bytes.TrimSpace(text)
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

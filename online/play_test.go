package online_test

import (
	"strings"
	"testing"

	"downbeat/online"
	"downbeat/online/basic"
)

// thief takes a core away behind the simulator's back before it serves.
type thief struct{ online.Policy }

func (p thief) Heartbeat(v *online.View, o *online.Offer) {
	v.Slaves()[0].Cores = 1
	p.Policy.Heartbeat(v, o)
}

// TestPlay: a run is what Run gives, and an error where the validator refuses
// the plan, or where there is none.
func TestPlay(t *testing.T) {
	const text = `cluster: {heartbeat: 2, slaves: [{name: a, cores: 2, slots: 2}]}
jobs: [{name: load, deadline: 9, map: {tasks: 2, wcet: 3}}]
`
	out, err := online.Play(t.Context(), load(t, text), basic.FIFO(), online.Options{})
	if err != nil || out.Finishes[0] != 3 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := online.Play(t.Context(), load(t, text), thief{basic.FIFO()}, online.Options{}); err == nil || !strings.Contains(err.Error(), "\n  C4: ") {
		t.Errorf("a plan that breaks a rule: %v", err)
	}
	if _, err := online.Play(t.Context(), load(t, text), idle{basic.FIFO()}, online.Options{}); err == nil {
		t.Error("a policy that hands out nothing went through")
	}
}

// idle hands nothing out.
type idle struct{ online.Policy }

func (idle) Heartbeat(*online.View, *online.Offer) {}

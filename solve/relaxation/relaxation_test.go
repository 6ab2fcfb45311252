package relaxation

import (
	"context"
	"testing"

	"downbeat/model"
)

// two jobs each hold the only core for a tick, or pay their penalty.
type two struct {
	r       *Relaxation
	penalty [2]int64
}

func (c *two) Price()    {}
func (c *two) Jobs() int { return len(c.penalty) }
func (c *two) Pay(job int) int64 {
	if c.r.Multipliers[0] >= c.penalty[job] {
		return c.penalty[job]
	}
	c.r.Use[0]++
	return c.r.Multipliers[0]
}

// The lesser penalty is the best bound, and what an ascent comes to.
func TestValue(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := &two{penalty: [2]int64{30, 50}}
	rows := NewRows(Grain{Places: [][]model.SlaveID{{0}}, Step: 1, Steps: 1}, Has{
		Supplies: func(model.SlaveID) []model.Supply { return []model.Supply{{Resource: model.Cores, Units: 1}} },
	})
	c.r = New(ctx, rows, 10, c)
	c.r.Largest, c.r.Base = 50, 5
	a := c.r.Ascend(50)
	if a.Value != 5 || c.r.Use[0] != 2 || c.r.Tightness != 0 {
		t.Errorf("at 0: %d, use %d, tightness %g", a.Value, c.r.Use[0], c.r.Tightness)
	}
	if a.Run(ctx, 50, 35, 35); a.Value < 34 || a.Value > 35 || c.r.Tightness <= 1 {
		t.Errorf("after 50 steps: %d, tightness %g", a.Value, c.r.Tightness)
	}
	if cancel(); c.r.Value() != cutShort {
		t.Error("not cut short")
	}
}

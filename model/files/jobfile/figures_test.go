package jobfile

import (
	"slices"
	"testing"

	"downbeat/model"

	"pgregory.net/rapid"
)

// TestFiguresOfSelections compares figures on a selection with what is said of each
// slave in turn.
func TestFiguresOfSelections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &clusterReader{Classes: []class{{"a", 0, 3}, {"b", 4, 6}}} // slaves 3, 6 and 7 are alone
		const slaves = 8
		some := rapid.SliceOfDistinct(rapid.IntRange(0, slaves-1), func(i int) int { return i })
		f := &figures{Rest: model.Time(rapid.IntRange(-1, 3).Draw(t, "rest"))}
		for c := range r.Classes {
			if rapid.Bool().Draw(t, "of class") {
				f.Classes = append(f.Classes, classFigure{c, 10 + model.Time(c)})
			}
		}
		own := some.Draw(t, "own")
		slices.Sort(own)
		for _, s := range own {
			f.Slaves = append(f.Slaves, slaveFigure{model.SlaveID(s), 20 + model.Time(s)})
		}
		sel := &slaveSelection{}
		for c := range r.Classes {
			if rapid.Bool().Draw(t, "class selected") {
				sel.Classes = append(sel.Classes, c)
			}
		}
		for _, s := range some.Draw(t, "selected") {
			sel.Slaves = append(sel.Slaves, model.SlaveID(s))
		}
		slices.Sort(sel.Slaves)
		only := r.Only(f, sel)
		for s := range model.SlaveID(slaves) {
			c := r.ClassOf(s)
			want := uncovered
			switch {
			case !slices.Contains(sel.Slaves, s) && !slices.Contains(sel.Classes, c):
			case slices.Contains(own, int(s)):
				want = 20 + model.Time(s)
			case c >= 0 && slices.Contains(f.Classes, classFigure{c, 10 + model.Time(c)}):
				want = 10 + model.Time(c)
			default:
				want = f.Rest
			}
			if got := only.At(s, c); got != want {
				t.Fatalf("slave %d of class %d: %d, want %d from %v on %v", s, c, got, want, f, sel)
			}
			if sel.Has(s, c) != (slices.Contains(sel.Slaves, s) || slices.Contains(sel.Classes, c)) {
				t.Fatalf("slave %d of class %d in %v: %v", s, c, sel, sel.Has(s, c))
			}
		}
		if r.Only(f, nil) != f || !(*slaveSelection)(nil).Has(0, -1) {
			t.Fatal("a selection that is not there leaves slaves out")
		}
	})
}

package report

import (
	"bytes"
	"fmt"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
)

// Cubes is what a process has done in a folder of cubes, and what there is left.
type Cubes struct {
	Shard string `json:"shard"`
	// Refuted, Split and Plans count the cubes of the process by what came of them.
	Refuted int `json:"refuted"`
	Split   int `json:"split"`
	Plans   int `json:"plans"`
	// All are the cubes of the folder that are not split, Open those of them that are left.
	All  int `json:"cubes"`
	Open int `json:"open"`
}

// Cubes prints how far the work is, then what this process did.
func (v *textView) Cubes(c *Cubes) error {
	var b bytes.Buffer
	switch {
	case c.All == 0:
		fmt.Fprintln(&b, table.Good.Paint("done (nothing was left open when the set was split)", v.page.Color))
	case c.Open == 0:
		fmt.Fprintln(&b, table.Good.Paint(fmt.Sprintf("done (nothing is left of %s)", wording.Count(c.All, "cube")), v.page.Color))
	default:
		fmt.Fprintln(&b, table.Doubt.Paint(fmt.Sprintf("open (%s, of which %d left)", wording.Count(c.All, "cube"), c.Open), v.page.Color))
	}
	fmt.Fprintf(&b, "shard %s: %d refuted, %d split, %s found\n", c.Shard, c.Refuted, c.Split, wording.Count(c.Plans, "plan"))
	return v.flush(&b)
}

// Cubes prints the same numbers.
func (v *jsonView) Cubes(c *Cubes) error { return v.write(c) }

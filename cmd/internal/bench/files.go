package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// row is a cell with the record that it belongs to.
type row struct {
	c    *Config
	rec  *Record
	cell *Cell
}

// column is a field of the files of cells. value returns a string, int64,
// uint64 or float64, or nil where there is none.
type column struct {
	name  string
	value func(row) any
}

// columns of the files; with timing the elapsed times too.
func columns(objectives []string, timing bool) []column {
	cols := []column{
		{"set", func(r row) any { return r.rec.Set }},
		{"seed", func(r row) any { return r.cell.Seed }},
		{"parameter", func(r row) any { return orNil(r.rec.Parameter, r.rec.Parameter != "") }},
		{"level", func(r row) any { return orNil(r.rec.Level, r.rec.Parameter != "") }},
		{"demand", func(r row) any { return orNil(r.rec.Demand, r.rec.Demand > 0) }},
		{"jobs", func(r row) any { return int64(r.rec.Jobs) }},
		{"tasks", func(r row) any { return int64(r.rec.Tasks) }},
		{"answer", func(r row) any { return orNil(r.rec.Answer, r.rec.Answer != "") }},
	}
	for _, o := range objectives {
		cols = append(cols,
			column{"best_" + o, func(r row) any { b, ok := r.rec.best(o); return orNil(b.Value, ok) }},
			column{"bound_" + o, func(r row) any { b, ok := r.rec.best(o); return orNil(b.Bound, ok) }})
	}
	cols = append(cols, column{"policy", func(r row) any { return r.cell.Policy }})
	for i := range measures {
		m := &measures[i]
		cols = append(cols, column{m.name, func(r row) any { return m.value(r.cell) }})
	}
	for _, o := range objectives {
		cols = append(cols, column{"gap_" + o, func(r row) any { g, ok := r.c.gap(r.rec, r.cell, o); return orNil(g.Value, ok) }})
	}
	cols = append(cols,
		column{"differs", func(r row) any { d := r.c.Differs(r.cell); return orNil(d, d != "") }},
		column{"marks", func(r row) any { m := r.marks(objectives); return orNil(m, m != "") }})
	if timing {
		cols = append(cols,
			column{"solver_seconds", func(r row) any { return r.rec.Seconds }},
			column{"run_seconds", func(r row) any { return r.cell.Seconds }})
	}
	return cols
}

// orNil is the value if it is there.
func orNil(v any, there bool) any {
	if !there {
		return nil
	}
	return v
}

// marks are what a reader of the cell must know: a clock limit was hit, and
// which gaps are to a bound instead of the optimum.
func (r row) marks(objectives []string) string {
	var out []string
	if r.rec.Limit {
		out = append(out, "limit")
	}
	for _, o := range objectives {
		if g, ok := r.c.gap(r.rec, r.cell, o); ok && g.ToBound {
			out = append(out, "bound:"+o)
		}
	}
	return strings.Join(out, " ")
}

// rows of the records that are there, in their order.
func (c *Config) rows(records []*Record) []row {
	var out []row
	for _, rec := range records {
		if rec == nil {
			continue
		}
		for i := range rec.Cells {
			out = append(out, row{c, rec, &rec.Cells[i]})
		}
	}
	return out
}

// WriteCSV writes a line per cell. Elapsed times stand in it only with timing.
func (c *Config) WriteCSV(w io.Writer, records []*Record, timing bool) error {
	cols := columns(Objectives(records), timing)
	out := csv.NewWriter(w)
	line := make([]string, len(cols))
	for i, col := range cols {
		line[i] = col.name
	}
	out.Write(line) // Error below tells
	for _, r := range c.rows(records) {
		for i, col := range cols {
			line[i] = text(col.value(r))
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// text is a value as CSV has it; floats in the fewest digits that read back.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// WriteJSON writes the cells as objects with the columns of the CSV in that
// order, null where there is no value, after the configuration.
func (c *Config) WriteJSON(w io.Writer, sets []Set, records []*Record, timing bool) error {
	cols := columns(Objectives(records), timing)
	var b strings.Builder
	config, err := json.Marshal(c.identity(sets))
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "{\"version\": 1,\n \"config\": %s,\n \"cells\": [", config)
	for n, r := range c.rows(records) {
		if n > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  {")
		for i, col := range cols {
			value, err := json.Marshal(col.value(r))
			if err != nil {
				return err
			}
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%q: %s", col.name, value)
		}
		b.WriteString("}")
	}
	b.WriteString("\n ]}\n")
	_, err = io.WriteString(w, b.String())
	return err
}

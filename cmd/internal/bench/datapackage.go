package bench

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strings"
)

// DataFile is a file of a data package, by its name within the folder.
type DataFile struct {
	Name  string
	Write func(w io.Writer) error
}

// dataField is a column of a table of a data package, of one of the types of Table Schema.
type dataField struct {
	name, kind, about string
	// optional tells that there may be no value.
	optional bool
}

// dataTable is a table of a data package. Its rows have a value to each field: what a column of cells may have.
type dataTable struct {
	name, about string
	fields      []dataField
	rows        func(c *Config, records []*Record, s *Summary) [][]any
}

// Types of Table Schema.
const (
	textKind    = "string"
	wholeKind   = "integer"
	numberKind  = "number"
	booleanKind = "boolean"
)

// Fields that several tables have.
var (
	setField       = dataField{"set", textKind, "Job set: a path, or the text of a workload with its seed.", false}
	seedField      = dataField{"seed", wholeKind, "Number that fixes what the run draws.", false}
	policyField    = dataField{"policy", textKind, "Policy by its name, or its label.", false}
	workloadField  = dataField{"workload", textKind, "Workload without what varies, or folder of the files.", true}
	parameterField = dataField{"parameter", textKind, "What the level is of.", true}
	levelField     = dataField{"level", numberKind, "Value of the parameter.", true}
	measureField   = dataField{"measure", textKind, "Measure, as a column of runs; gap_OBJECTIVE for gaps.", false}
	lowField       = dataField{"low", numberKind, "Lower end of the 95 % interval.", true}
	highField      = dataField{"high", numberKind, "Upper end of the 95 % interval.", true}
	reasonField    = dataField{"reason", textKind, "Why there is no interval.", true}
	runsField      = dataField{"runs", wholeKind, "Runs behind the mean.", false}
)

// dataTables are those of a data package.
func dataTables() []dataTable {
	runs := []dataField{setField, seedField, policyField}
	for i := range measures {
		m := &measures[i]
		kind := numberKind
		if m.whole {
			kind = wholeKind
		}
		runs = append(runs, dataField{m.name, kind, strings.ToUpper(m.title[:1]) + m.title[1:] + ".", false})
	}
	runs = append(runs, dataField{"differs", textKind, "Why the run cannot be held against the optimum.", true})
	return []dataTable{
		{"sets", "A row to each job set.", []dataField{
			setField, workloadField, parameterField, levelField,
			{"digest", textKind, "Digest of the job set: equal sets have one.", false},
			{"jobs", wholeKind, "Jobs.", false}, {"tasks", wholeKind, "Tasks.", false},
			{"demand", numberKind, "Least work over the cores' time until the last deadline; none where a job has no deadline.", true},
			{"answer", textKind, "Of the solver on the hard deadlines: feasible, infeasible or unknown.", true},
			{"limit", booleanKind, "Whether a limit cut the solver short.", false},
		}, setRows},
		{"runs", "A row to each run of a policy on a job set with a seed; times in ticks, shares of 1.", runs, runRows},
		{"gaps", "A row to each run and objective that can be held against the optimum.", []dataField{
			setField, seedField, policyField,
			{"objective", textKind, "Objective.", false}, {"value", wholeKind, "Of the run.", false},
			{"best", wholeKind, "Best value that the solver found.", false}, {"bound", wholeKind, "No plan has less: that is proved.", false},
			{"gap", wholeKind, "Value less bound.", false}, {"to_bound", booleanKind, "Whether the optimum is not proved, so that the gap may be smaller.", false},
		}, gapRows},
		{"intervals", "A row to each workload, level, policy and measure: its mean.", []dataField{
			workloadField, parameterField, levelField, policyField, measureField, runsField,
			{"observations", wholeKind, "How many of the runs count by themselves.", false},
			{"mean", numberKind, "Mean.", true}, lowField, highField, reasonField,
		}, intervalRows},
		{"comparisons", "A row to each workload, level, pair of policies and measure: the mean difference on the same runs.", []dataField{
			workloadField, parameterField, levelField, policyField,
			{"against", textKind, "The other policy.", false}, measureField, runsField,
			{"difference", numberKind, "Mean of the policy's figure less the other's.", false}, lowField, highField, reasonField,
			{"p", numberKind, "p-value of the difference.", false}, {"p_holm", numberKind, "The same after Holm's correction for all comparisons of the bench.", false},
		}, comparisonRows},
		{"feasible", "A row to each level, or bin of demand: the share of job sets that are feasible.", []dataField{
			{"axis", textKind, "What the levels are of.", false}, {"level", numberKind, "Value of it, or middle of the bin.", false},
			{"sets", wholeKind, "Job sets.", false}, {"low", numberKind, "Share proved feasible.", false}, {"high", numberKind, "Share not proved infeasible.", false},
		}, feasibleRows},
	}
}

// DataPackage are the files of a data package of the bench: a table to each thing that there are several of, and
// datapackage.json, which describes their columns (Frictionless Data, Table Schema).
func (c *Config) DataPackage(records []*Record, s *Summary) []DataFile {
	var out []DataFile
	tables := dataTables()
	for _, t := range tables {
		out = append(out, DataFile{t.name + ".csv", func(w io.Writer) error { return t.write(w, t.rows(c, records, s)) }})
	}
	return append(out, DataFile{"datapackage.json", func(w io.Writer) error { return writeDescriptor(w, tables, c.Program) }})
}

func (t *dataTable) write(w io.Writer, rows [][]any) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.fields))
	for i, f := range t.fields {
		line[i] = f.name
	}
	out.Write(line) // Error below tells
	for _, row := range rows {
		for i, v := range row {
			line[i] = text(v)
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// descriptor is datapackage.json.
type descriptor struct {
	Profile   string         `json:"profile"`
	Name      string         `json:"name"`
	Sources   []dataSource   `json:"sources"`
	Resources []dataResource `json:"resources"`
}

type dataSource struct {
	Title string `json:"title"`
}

type dataResource struct {
	Profile     string          `json:"profile"`
	Name        string          `json:"name"`
	Path        string          `json:"path"`
	Description string          `json:"description"`
	Schema      dataTableSchema `json:"schema"`
}

type dataTableSchema struct {
	Fields        []dataColumn `json:"fields"`
	MissingValues []string     `json:"missingValues"`
}

type dataColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Constraints struct {
		Required bool `json:"required"`
	} `json:"constraints"`
}

func writeDescriptor(w io.Writer, tables []dataTable, program string) error {
	d := descriptor{Profile: "tabular-data-package", Name: "bench", Sources: []dataSource{{"downbeat bench, downbeat " + program}}}
	for _, t := range tables {
		r := dataResource{Profile: "tabular-data-resource", Name: t.name, Path: t.name + ".csv", Description: t.about, Schema: dataTableSchema{MissingValues: []string{""}}}
		for _, f := range t.fields {
			column := dataColumn{Name: f.name, Type: f.kind, Description: f.about}
			column.Constraints.Required = !f.optional
			r.Schema.Fields = append(r.Schema.Fields, column)
		}
		d.Resources = append(d.Resources, r)
	}
	out, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

// DataSchema is a JSON Schema of a data package: of each table the rows, as objects by the names of columns,
// whose values are null where there is none.
func DataSchema() []byte {
	type object = map[string]any
	tables := object{}
	for _, t := range dataTables() {
		columns := object{}
		var names []string
		for _, f := range t.fields {
			var kind any = f.kind
			if f.optional {
				kind = []string{f.kind, "null"}
			}
			columns[f.name] = object{"type": kind, "description": f.about}
			names = append(names, f.name)
		}
		tables[t.name] = object{"type": "array", "description": t.about, "items": object{"type": "object", "properties": columns, "required": names}}
	}
	out, err := json.MarshalIndent(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:downbeat:data", "title": "downbeat data package of a bench",
		"description": "The tables that downbeat bench writes with --data-package, each a file NAME.csv of the folder. Columns may be added.",
		"type":        "object", "properties": tables,
	}, "", "  ")
	if err != nil {
		panic(err) // plain data
	}
	return append(out, '\n')
}

func setRows(_ *Config, records []*Record, s *Summary) (rows [][]any) {
	for _, r := range records {
		if r == nil {
			continue
		}
		known := r.Parameter != ""
		rows = append(rows, []any{r.Set, r.workload(s.Parameter), orNil(r.Parameter, known), orNil(r.Level, known), r.Digest,
			int64(r.Jobs), int64(r.Tasks), orNil(r.Demand, r.Demand > 0), orNil(r.Answer, r.Answer != ""), r.Limit})
	}
	return rows
}

func runRows(c *Config, records []*Record, _ *Summary) (rows [][]any) {
	for _, r := range c.rows(records) {
		row := []any{r.rec.Set, r.cell.Seed, r.cell.Policy}
		for i := range measures {
			row = append(row, measures[i].value(r.cell))
		}
		differs := c.Differs(r.cell)
		rows = append(rows, append(row, orNil(differs, differs != "")))
	}
	return rows
}

func gapRows(c *Config, records []*Record, s *Summary) (rows [][]any) {
	for _, r := range c.rows(records) {
		for _, o := range s.Objectives {
			if g, ok := c.gap(r.rec, r.cell, o); ok {
				best, _ := r.rec.best(o)
				rows = append(rows, []any{r.rec.Set, r.cell.Seed, r.cell.Policy, o, r.cell.Value(o), best.Value, best.Bound, g.Value, g.ToBound})
			}
		}
	}
	return rows
}

func intervalRows(_ *Config, _ []*Record, s *Summary) (rows [][]any) {
	for _, l := range s.Lines() {
		if l.Against == "" {
			rows = append(rows, append(l.place(), append([]any{l.Policy, l.Measure, int64(l.N), int64(l.Observations)}, l.interval()...)...))
		}
	}
	return rows
}

func comparisonRows(_ *Config, _ []*Record, s *Summary) (rows [][]any) {
	for _, l := range s.Lines() {
		if l.Against != "" {
			row := append(l.place(), l.Policy, l.Against, l.Measure, int64(l.N))
			rows = append(rows, append(append(row, l.interval()...), l.P, l.Holm))
		}
	}
	return rows
}

// place is where a line stands.
func (l *Line) place() []any {
	return []any{orNil(l.Workload, l.Workload != ""), orNil(l.Parameter, l.Parameter != ""), orNil(l.Level, !math.IsNaN(l.Level))}
}

// interval is the mean of a line with its interval, or why it has none.
func (l *Line) interval() []any {
	f := figuresOf(l.Sample)
	var out []any
	for _, v := range []*float64{f.Mean, f.Low, f.High} {
		if v == nil {
			out = append(out, nil)
		} else {
			out = append(out, *v)
		}
	}
	return append(out, orNil(f.Reason, f.Reason != ""))
}

func feasibleRows(c *Config, records []*Record, _ *Summary) (rows [][]any) {
	levels, axis := Levels(records)
	low, high := c.FeasibleShare(levels, false)
	for i := range low {
		rows = append(rows, []any{axis, levels[i].X, int64(len(levels[i].Records)), low[i], high[i]})
	}
	return rows
}

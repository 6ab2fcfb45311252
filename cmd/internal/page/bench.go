package page

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"

	"downbeat/cmd/internal/report/gantt"
)

// Bench is all that the page of a bench says.
type Bench struct {
	Title string
	// Lines tell what was done, the first as a headline; Notes stand below as warnings.
	Lines, Notes []string
	// Legend says how to read times, "" if they need no word.
	Legend  string
	Tables  []Table
	Figures []Figure
	// Plays are the job sets whose runs are drawn; Left says which are not.
	Plays []Play
	Left  string
	// Words are those of the tables that may be new.
	Words []Word
}

// Word is a word with what it means.
type Word struct{ Name, Meaning string }

// Table is one with words at the left and figures in its columns.
type Table struct {
	Title, Caption string
	// Heads are of the words, two where groups have names.
	Heads, Columns []string
	Groups         []Group
	Notes          []string
}

// Group is rows that have something in common, which its name says; "" for none.
type Group struct {
	Name string
	Rows []Row
}

// Row is a line of a table.
type Row struct {
	Name  string
	Cells []string
}

// Figure is a picture with the words for those who do not see it.
type Figure struct {
	SVG   []byte
	About string
}

// Source is the picture as an address.
func (f Figure) Source() template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(f.SVG))
}

// Play is a job set with what policies did, and what was best.
type Play struct {
	Set  string  `json:"-"`
	Runs []Drawn `json:"runs"`
	Best Drawn   `json:"best"`
}

// Drawn is a plan with its headline, which says why where there is none.
type Drawn struct {
	Name     string        `json:"name"`
	Headline string        `json:"headline"`
	Plan     *gantt.Layout `json:"plan"`
}

//go:embed bench.js
var choosing string

// WriteBench writes the page of a bench. Same bench, same bytes.
func WriteBench(w io.Writer, b *Bench) error {
	data, err := json.Marshal(append([]Play{}, b.Plays...))
	if err != nil {
		return err
	}
	return templates.ExecuteTemplate(w, "bench", struct {
		*Bench
		Data, Script, Choosing template.JS
	}{b, template.JS(data), template.JS(script), template.JS(choosing)})
}

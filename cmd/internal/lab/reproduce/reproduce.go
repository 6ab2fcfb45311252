// Package reproduce regenerates the tables and figures of the papers, side by
// side with what was published, as a report in Markdown with plots, and says of every
// claim what became of it.
//
// Figures that come out otherwise than published are reported as they came out.
// Whatever a paper leaves open is stated, with how the result moves with it. Each paper
// has a file named after its policy, some with a second one; claim.go, sample.go, section.go
// and document.go have what they share.
package reproduce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Paper is a paper whose results can be regenerated.
type Paper struct {
	Name, Title string
	sections    []reportSection
	// statements are what the paper's evaluation says, in its order.
	statements []statement
}

// Papers lists what there is, in order of name.
func Papers() []Paper {
	return []Paper{
		{"gap", "How much of the gap to the optimum is due to the future, and how much to decisions (no paper's question)", gapSections(), nil},
		{"maxweight", "Map Task Scheduling in MapReduce with Data Locality (Wang, Zhu, Ying, Tan, Zhang; 2013)", maxWeightSections(), maxWeightStatements()},
		{"penn", "Real-Time MapReduce Scheduling (Phan, Zhang, Loo, Lee; 2010)", pennSections(), pennStatements()},
		{"rds", "Resource and Deadline-aware Job Scheduling in Dynamic Hadoop Clusters (Cheng, Rao, Jiang, Zhou; 2015)", rdsSections(), rdsStatements()},
		{"rtmr", "Real-Time Scheduling in MapReduce Clusters (He, Lu, Swanson; 2013)", rtmrSections(), rtmrStatements()},
	}
}

// Interrupted is the error of a run that was ended before its report was complete.
type Interrupted struct {
	// Done and Missing name sections.
	Done, Missing []string
}

// Error implements error.
func (e *Interrupted) Error() string {
	return fmt.Sprintf("interrupted with %d sections done and %d missing", len(e.Done), len(e.Missing))
}

// summary is what is kept of a paper's report for the matrix of all papers.
type summary struct {
	Paper   string  `json:"paper"`
	Title   string  `json:"title"`
	Program string  `json:"program"`
	Command string  `json:"command"`
	Seeds   int     `json:"seeds"`
	Scale   float64 `json:"scale"`
	Claims  []claim `json:"claims"`
}

// summaryFile is its name in the folder of the report.
const summaryFile = "claims.json"

// ErrShared says that results are missing which are left to other processes: there is no report.
var ErrShared = errors.New("results are left to other processes")

// Run makes the report of a paper. Its files belong into a folder of their own. Where
// ctx ends first the error is an *Interrupted, where results are left to others ErrShared.
func (p Paper) Run(ctx context.Context, o Options) ([]File, error) {
	var body document
	for i, s := range p.sections {
		var part document
		err := s.Write(ctx, &part, o)
		if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
			return nil, p.interrupted(i)
		}
		var failed *failure
		if o.Journal.Left() && !errors.As(err, &failed) {
			continue // what is made of stand-ins is of no use, nor is what is wrong with it
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		body.Append(&part)
	}
	if o.Journal.Left() {
		return nil, ErrShared
	}
	claims := append([]claim{}, body.Claims()...) // a list in JSON though it is empty
	var d document
	d.Heading(1, p.Title)
	p.provenance(&d, o)
	if len(claims) > 0 {
		d.Heading(2, "What became of the claims")
		d.Para("%s", ruleText)
		d.Matrix(claims)
	}
	d.Statements(p.statements, claims)
	d.Append(&body)
	files, err := d.Files()
	if err != nil {
		return nil, err
	}
	summary, err := json.MarshalIndent(summary{p.Name, p.Title, o.Program, o.Command, o.Seeds, o.Scale, claims}, "", "  ")
	return append(files, File{Name: summaryFile, Data: append(summary, '\n')}), err
}

// interrupted tells of a run that ended in its i-th section.
func (p Paper) interrupted(i int) error {
	e := &Interrupted{}
	for k, s := range p.sections {
		if k < i {
			e.Done = append(e.Done, s.Name)
		} else {
			e.Missing = append(e.Missing, s.Name)
		}
	}
	return e
}

// fewSeeds is the number below which differences mostly have no interval.
const fewSeeds = 20

// provenance says how the report came about, and where it is too small to say much.
func (p Paper) provenance(d *document, o Options) {
	d.Para("Made by downbeat %s with `%s`: %d job sets a setting, from seeds that each section names or 1 on, at scale %g.", o.Program, o.Command, o.Seeds, o.Scale)
	if o.Seeds < fewSeeds {
		d.Para("**Few seeds**: with %d job sets a setting there is no interval of most figures, and so too little to say; --sets %d or more says more.", o.Seeds, fewSeeds)
	}
	if o.Scale < 1 && p.Name == "maxweight" {
		d.Para("**Shortened**: paths have %g of the paper's length. Loads near the edge of stability need all of it.", o.Scale)
	}
}

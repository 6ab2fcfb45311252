package solve

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"downbeat/model/gen"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

const tablePage = "../docs/portfolio.md"

// docs/portfolio.md has the rows of the table in their order, and their strategies;
// `go test ./solve -run TablePage -update` writes it anew.
func TestTablePage(t *testing.T) {
	want := pageOfTable()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(tablePage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src, err := os.ReadFile(tablePage)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(string(src), "\n"), strings.Split(want, "\n")
	for i, line := range lines {
		if i >= len(got) || got[i] != line {
			t.Fatalf("%s differs from the table at line %d, which should be\n%s", tablePage, i+1, line)
		}
	}
	if len(got) > len(lines) {
		t.Errorf("%s has %d lines too many", tablePage, len(got)-len(lines))
	}
}

// pageOfTable is the page for people.
func pageOfTable() string {
	var b strings.Builder
	b.WriteString(`# The portfolio

Which strategies run, for what objective, with how many workers, for sets of how many tasks, in what
order, and with how many units of work in its rounds 0, 1, … (the last for all after). Workers go
over the rows from the top to the bottom, round by round, and leave out what does not apply.
` + "`plan --stats`" + ` tells which rows have run. The table is [solve/table.go](../solve/table.go), of
which this page is made.

| row | objective | workers | tasks | strategy | units by round |
|---|---|---|---|---|---|
`)
	for n := range table {
		r := &table[n]
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", n+1, objectivesText(r.objectives), workersText(r.workers), tasksText(r), r.strategy.Name, unitsText(r.units))
	}
	b.WriteString(`
The workers of a solve, *one* or *several*, go over one list: each that is free joins a row whose crew is not
complete, else takes the next row that has units in the round, else joins any that is still running, else
begins the next round. What they do where one is at a strategy stands in the last table: with *copies* each
further one has its own, with another seed, and units are divided by the crew; *together* they divide the work
among them; where there is *one* they pass it over. *Hurried* are those with one of many questions. After a *refusal*, of a question
that no engine takes, they go over other rows.

What a unit is, and by what a strategy proves, with the growth from each slice of a strategy to its
next:

| strategy | unit | each slice | proves by | shared by | crew |
|---|---|---|---|---|---|
`)
	for _, s := range strategiesOfTable() {
		grows, proves := "the same", s.Proves
		if s.Grows > 1 {
			grows = fmt.Sprintf("%d × the last", s.Grows)
		}
		if proves == "" {
			proves = "-"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d |\n", s.Name, s.Unit, grows, proves, sharingText(s), max(1, s.Crew))
	}
	return b.String()
}

func sharingText(s *portfolio.Strategy) string {
	if s.After == nil {
		return s.Sharing.String()
	}
	return s.Sharing.String() + ", not beside " + s.After.Name
}

func objectivesText(o objectives) string {
	if o == objective {
		return "any"
	}
	return textOf(o, "none: any plan", "misses", "misses of jobs that take turns", "weighted tardiness", "tardiness", "makespan", "job shops", "makespan of flexible job shops", "makespan of projects (of hybrid flow shops tardiness, too)", "weighted tardiness where no task has a choice of slaves (but for hybrid flow shops)", "weighted tardiness in fine ticks", "misses where jobs come after others")
}

func workersText(w workers) string {
	return textOf(w, "one", "several", "hurried", "after an open objective", "after a refusal")
}

// textOf joins the names of the bits that are set.
func textOf[T objectives | workers](set T, names ...string) string {
	var out []string
	for i, name := range names {
		if set>>i&1 == 1 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

func tasksText(r *row) string {
	switch {
	case r.below > 0:
		return fmt.Sprintf("%d–%d", r.from, r.below-1)
	case r.from > 0:
		return fmt.Sprintf("%d–", r.from)
	}
	return "all"
}

func unitsText(units []int) string {
	if units == nil {
		return "-"
	}
	return strings.Trim(fmt.Sprint(units), "[]")
}

// strategiesOfTable are those of the table, in the order in which they come up.
func strategiesOfTable() []*portfolio.Strategy {
	var out []*portfolio.Strategy
	for n := range table {
		if s := table[n].strategy; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Strategies have names of their own and say what a unit is; no row is for nobody, none has
// an empty list of units, and rows that pass over a round for ever come to no end.
func TestTable(t *testing.T) {
	names := map[string]*portfolio.Strategy{}
	for n := range table {
		r := &table[n]
		if other := names[r.strategy.Name]; other != nil && other != r.strategy || r.strategy.Unit == "" {
			t.Errorf("row %d: %q is no name for one, or has no unit", n+1, r.strategy.Name)
		}
		names[r.strategy.Name] = r.strategy
		if r.objectives == 0 || r.workers&^instead == 0 || r.units != nil && len(r.units) == 0 || r.below > 0 && r.from >= r.below {
			t.Errorf("row %d is for nobody", n+1)
		}
		if !slices.ContainsFunc(r.units, func(u int) bool { return u > 0 }) && r.units != nil {
			t.Errorf("row %d never has a unit", n+1)
		}
	}
}

// What workers go over at first and what they go over after a refusal have no runner of a strategy in common
// but one that both know of: some may still be at the one as others go over to the other.
func TestListsShareWhatIsBegun(t *testing.T) {
	js := gen.Scale(400, 1)
	opt := Options{Workers: 2}
	ctx, clock, cancel := opt.limit(t.Context())
	defer cancel()
	s := &solver{restated: restate(js), goal: js.Goal(), opt: opt, clock: clock}
	w := s.incumbent()
	s.construct(ctx, w)
	work := s.work(w, 0)
	work.Guide = s.byGuide
	list, common := listFor(work, several), 0
	for _, e := range list.Entries {
		for _, other := range list.Otherwise {
			if e.Begun == other.Begun {
				common++
			} else if e.Strategy == strategy.GuidedLists && other.Strategy == e.Strategy {
				t.Error("guides are begun twice")
			}
		}
	}
	if common == 0 {
		t.Error("the lists have nothing in common")
	}
}

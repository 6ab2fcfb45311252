package reproduce

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"downbeat/cmd/internal/journal"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/schematest"
)

// small makes a report in seconds; where every test is asked for, of as many jobs as the committed digests are.
func small(workers int) Options {
	jobs := 3
	if testkit.Asked() {
		jobs = 6
	}
	return Options{Seeds: 2, Workers: workers, Scale: 0.0005, MostJobs: jobs, Program: "test", Command: "test"}
}

func parts(t *testing.T, p Paper, workers int) map[string]string {
	t.Helper()
	list, err := p.Run(context.Background(), small(workers))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range list {
		out[f.Name] = string(f.Data)
	}
	return out
}

// A report does not change with the number of workers.
func TestReportsRepeat(t *testing.T) {
	testkit.Long(t)
	for _, p := range Papers() {
		if p.Name != "maxweight" && p.Name != "penn" {
			continue // rds and rtmr are as penn in this, and slower
		}
		if one, two := parts(t, p, 1), parts(t, p, 2); one["report.md"] != two["report.md"] {
			t.Errorf("%s: one worker and two write different reports", p.Name)
		}
	}
}

var update = flag.Bool("update", false, "write the lines of docs/made.tsv whose reports have been made anew")

// holdReport holds the committed report of a paper against what its small one says now.
func holdReport(t *testing.T, p Paper, report string) {
	t.Helper()
	const root = "../../../.."
	for _, m := range testkit.AllMade(t, root) {
		if m.Files == "docs/reproductions/"+p.Name+"/*" {
			sum := sha256.Sum256([]byte(report))
			testkit.HoldMade(t, root, m, testkit.Short(sum[:]), *update)
			return
		}
	}
	t.Errorf("docs/made.tsv has no line for the report of %s", p.Name)
}

// Every report is there with the figures that it shows, and nothing in it is
// not a number. What is committed was made by a program that answers the same.
func TestReports(t *testing.T) {
	links := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	for _, p := range Papers() {
		t.Run(p.Name, func(t *testing.T) {
			if testing.Short() && p.Name != "maxweight" {
				t.Skip("takes several seconds")
			}
			one := parts(t, p, 2)
			report := one["report.md"]
			var s summary
			if err := json.Unmarshal([]byte(one[summaryFile]), &s); err != nil {
				t.Fatal(err)
			}
			if noClaim, noStatement := missing(p.statements, s.Claims); len(p.statements) > 0 && len(noClaim)+len(noStatement) > 0 {
				t.Errorf("statements without a line: %q; lines without a statement: %q", noClaim, noStatement)
			}
			if testkit.Asked() {
				holdReport(t, p, report)
			}
			shown := links.FindAllStringSubmatch(report, -1)
			for _, link := range shown {
				if !strings.HasPrefix(one[link[1]], "<?xml") {
					t.Errorf("figure %s is not there", link[1])
				}
			}
			if pictures := len(one) - 2; pictures != 2*len(shown) {
				t.Errorf("%d pictures for %d figures", pictures, len(shown))
			}
			for i, line := range strings.Split(report, "\n") {
				if strings.Contains(line, "NaN") || strings.Contains(line, "%!") {
					t.Errorf("line %d: %s", i+1, line)
				}
			}
		})
	}
}

func TestReportStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range Papers() {
		var cut *Interrupted
		if _, err := p.Run(ctx, small(1)); !errors.As(err, &cut) || len(cut.Missing) != len(p.sections) {
			t.Errorf("%s: %v, want all of its sections missing", p.Name, err)
		}
	}
}

// sums is a paper of three sections, each of twenty pieces of work and a claim.
func sums() Paper {
	section := func(name string) reportSection {
		return reportSection{Name: name, Write: func(ctx context.Context, d *document, o Options) error {
			all, err := Collect(ctx, o, name, 20, func(_ context.Context, i int) (int, error) { return i * i, nil })
			if err != nil {
				return err
			}
			d.Heading(2, name)
			d.Para("%v", all)
			d.Claim(claim{Where: name, Text: "squares", Verdict: Holds})
			return nil
		}}
	}
	return Paper{"maxweight", "On sums", []reportSection{section("one"), section("two"), section("three")}, nil}
}

// A report that was interrupted says what is missing, goes on from its journal, and comes
// out as one that was not.
func TestResume(t *testing.T) {
	p := sums()
	want := parts(t, p, 1)["report.md"]
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	for cuts := 0; ; cuts++ {
		o := small(1)
		var err error
		if o.Journal, err = journal.OpenPieces(path, nil, Call(p.Name, o), journal.Shard{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		begun := o.Journal.Len()
		o.Progress = func(int, int) {
			if o.Journal.Len() >= begun+11 {
				cancel()
			}
		}
		list, err := p.Run(ctx, o)
		cancel()
		if err := o.Journal.Close(); err != nil {
			t.Fatal(err)
		}
		var cut *Interrupted
		switch {
		case errors.As(err, &cut) && cuts < 20:
			if n := len(cut.Done) + len(cut.Missing); n != 3 || len(cut.Missing) == 0 {
				t.Errorf("done %v, missing %v", cut.Done, cut.Missing)
			}
			continue
		case err != nil:
			t.Fatal(err)
		case cuts < 2:
			t.Errorf("interrupted %d times only", cuts)
		}
		for _, f := range list {
			if f.Name == "report.md" && string(f.Data) != want {
				t.Error("a report made in pieces differs")
			}
		}
		return
	}
}

// What goes wrong with a piece of work ends a run, also of a shard; what goes wrong with the
// stand-ins for the pieces of others does not.
func TestSharedRuns(t *testing.T) {
	slip := errors.New("a slip")
	for name, broken := range map[string]bool{"work": true, "stand-ins": false} {
		p := Paper{"maxweight", "On sums", []reportSection{{Name: "one", Write: func(ctx context.Context, _ *document, o Options) error {
			all, err := Collect(ctx, o, "one", 6, func(_ context.Context, i int) (int, error) {
				if broken && i == 1 {
					return 0, slip
				}
				return i, nil
			})
			if err == nil && all[5] != 5 {
				err = errors.New("of no use")
			}
			return err
		}}}, nil}
		path := filepath.Join(t.TempDir(), "journal.jsonl")
		for shard, want := range map[int]error{1: ErrShared, 2: map[bool]error{true: slip, false: ErrShared}[broken]} {
			o := small(1)
			var err error
			if o.Journal, err = journal.OpenPieces(fmt.Sprint(path, shard), nil, Call(p.Name, o), journal.Shard{Index: shard, Count: 3}); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Run(t.Context(), o); !errors.Is(err, want) {
				t.Errorf("%s, shard %d: %v, want %v", name, shard, err, want)
			}
			o.Journal.Close()
		}
		if _, err := p.Run(t.Context(), small(1)); broken != errors.Is(err, slip) || !broken && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The matrix of all papers has the claims of those whose reports are there.
func TestMatrix(t *testing.T) {
	dir := t.TempDir()
	p := sums()
	list, err := p.Run(context.Background(), small(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, p.Name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Save(filepath.Join(dir, p.Name), append(list, File{Name: "a.png"}), ".png"); err != nil {
		t.Fatal(err)
	}
	if err := SaveMatrix(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"On sums", p.Name + "/report.md", "| three | squares |"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the matrix has no %q", want)
		}
	}
	if pictures, _ := filepath.Glob(filepath.Join(dir, p.Name, "*.png")); len(pictures) > 0 {
		t.Errorf("pictures that were to be left out: %v", pictures)
	}
}

// The schema says what the types say that are written.
func TestSchemaIsOfTypes(t *testing.T) {
	var verdicts []string
	for _, v := range allVerdicts() {
		verdicts = append(verdicts, string(v))
	}
	schematest.Types{Of: map[string]any{"#": summary{}}, Words: map[string][]string{"#/$defs/claim/properties/verdict": verdicts}}.Check(t, Schema())
}

// The schema takes the claims that are written, with every verdict, and no other ones.
func TestSchema(t *testing.T) {
	schema := schematest.Compile(t, Schema(), "")
	valid := func(text string) error { return schema.Validate(schematest.Value(t, []byte(text))) }
	p := sums()
	for _, verdict := range allVerdicts() {
		p.sections = append(p.sections, reportSection{Name: string(verdict), Write: func(_ context.Context, d *document, _ Options) error {
			d.Claim(claim{Where: "here", Text: "it", Setting: "so", Inferred: true, Verdict: verdict})
			return nil
		}})
	}
	text := parts(t, p, 1)[summaryFile]
	if err := valid(text); err != nil {
		t.Error(err)
	}
	for old, other := range map[string]string{`"verdict": "not"`: `"verdict": "maybe"`, `"seeds": 2`: `"seeds": 1`, `"paper"`: `"papers"`} {
		if !strings.Contains(text, old) {
			t.Fatalf("no %s in %s", old, text)
		}
		if valid(strings.Replace(text, old, other, 1)) == nil {
			t.Errorf("%s in place of %s is taken", other, old)
		}
	}
}

func TestWords(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := Words(names); got != want {
			t.Errorf("%v: %q", names, got)
		}
	}
}

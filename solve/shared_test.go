package solve

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// benchFolder holds job sets that others made, with what is known of them.
const benchFolder = "../../shared/bench"

// records reads a table of the folder, or skips the test where it is absent.
func records(t *testing.T, name string) []map[string]string {
	t.Helper()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	f, err := os.Open(filepath.Join(benchFolder, name))
	if err != nil {
		t.Skipf("the open job sets are not here: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		record := map[string]string{}
		for k, field := range row {
			record[rows[0][k]] = field
		}
		out = append(out, record)
	}
	return out
}

func benchSet(t *testing.T, name string) *model.JobSet {
	t.Helper()
	path := filepath.Join(benchFolder, name+".yaml")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	js, err := jobfile.Load(path, src)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// The published optima of shop, parallel-machine and single-machine problems are
// found and proved, on one worker by counted work: whatever else the machine does.
func TestPublishedOptima(t *testing.T) {
	for _, known := range records(t, "external/expected.csv") {
		name := known["name"]
		t.Run(name, func(t *testing.T) {
			if name == "jsp-ft10" && !testkit.Asked() {
				t.Skip("takes some seconds; DOWNBEAT_LONG=1 asks for it")
			}
			r := mustPlan(t, benchSet(t, "external/"+name), Options{Seed: 1, Workers: 1, Budget: 1_000_000})
			want, err := strconv.ParseInt(known["optimum"], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != model.Optimal || r.Objectives[0].Value != want {
				t.Errorf("%s %v after %v, the optimum is %d", r.Status, r.Objectives, r.Elapsed, want)
			}
			t.Logf("%v", r.Elapsed)
		})
	}
}

// What a general solver proved of a set is proved here and is the same; its
// plans are no better than bounds.
func TestOpenSetsAgree(t *testing.T) {
	for _, known := range records(t, "chuffed.csv") {
		if known["status"] != "proved" && known["status"] != "infeasible" {
			continue
		}
		t.Run(known["jobset"], func(t *testing.T) {
			r := mustPlan(t, benchSet(t, known["jobset"]), Options{Seed: 1, Workers: 1, Budget: 1_000_000, NoConflict: true})
			if known["status"] == "infeasible" {
				if r.Status != model.Infeasible {
					t.Errorf("%s, the set is infeasible", r.Status)
				}
				return
			}
			if len(r.Objectives) == 0 {
				if r.Status != model.Feasible {
					t.Errorf("%s, the set is feasible", r.Status)
				}
				return
			}
			want, err := strconv.ParseInt(known["value"], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != model.Optimal || r.Objectives[0].Value != want {
				t.Errorf("%s %v, the optimum is %d", r.Status, r.Objectives, want)
			}
		})
	}
}

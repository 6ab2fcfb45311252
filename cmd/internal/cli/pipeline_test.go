package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"downbeat/cmd/internal/exit"
	"downbeat/model/files/jobfile"
)

// The pipeline in docs/installing.md installs the program by the step of this repository,
// with the inputs that it asks for, before a step calls it.
func TestPipelineInstalls(t *testing.T) {
	pages := pages(t)
	i := slices.IndexFunc(pages, func(p page) bool { return p.name == "docs/installing.md" })
	blocks := slices.DeleteFunc(pages[i].blocks("yml"), func(text string) bool { return !strings.Contains(text, "actions/checkout") })
	if len(blocks) != 1 {
		t.Fatalf("%d pipelines", len(blocks))
	}
	var pipeline struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses, Run string
				With      map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(blocks[0]), &pipeline); err != nil {
		t.Fatal(err)
	}
	const folder = ".github/actions/downbeat"
	text, err := os.ReadFile(filepath.Join("../../..", folder, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Required bool }
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	for name, job := range pipeline.Jobs {
		installed, calls := false, 0
		for _, step := range job.Steps {
			if strings.Contains(step.Uses, "/"+folder+"@") {
				installed = true
				for input := range step.With {
					if _, known := action.Inputs[input]; !known {
						t.Errorf("job %s: the step has no input %q", name, input)
					}
				}
				for input, of := range action.Inputs {
					if of.Required && step.With[input] == "" {
						t.Errorf("job %s: the step asks for %s", name, input)
					}
				}
			}
			if strings.HasPrefix(step.Run, "downbeat ") {
				calls++
				if !installed {
					t.Errorf("job %s: %q comes before downbeat is installed", name, step.Run)
				}
			}
		}
		if calls == 0 {
			t.Errorf("job %s does not call downbeat", name)
		}
	}
}

// What docs/job-sets.md says of editors: the schema that the line names is what the command
// prints, and a job set with the line loads.
func TestSchemaLine(t *testing.T) {
	sh := &shell{t: t}
	if got := sh.run("downbeat schema"); sh.code != exit.Done || got != string(jobfile.Schema()) {
		t.Errorf("exit code %d, %d bytes", sh.code, len(got))
	}
	const line = "# yaml-language-server: $schema=downbeat.schema.json\n"
	set := sh.run("downbeat init")
	if !strings.Contains(set, line) || !strings.Contains(allText(t), line+"version: 1\n") {
		t.Errorf("init or the pages do not tell the line")
	}
	if _, err := jobfile.Load("night.yaml", []byte(line+set)); err != nil {
		t.Error(err)
	}
}

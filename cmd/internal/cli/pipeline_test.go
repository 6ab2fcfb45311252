package cli

import (
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"downbeat/cmd/internal/exit"
	"downbeat/model/files/jobfile"
)

// The pipeline in docs/installing.md builds the program and puts it on the path before a step
// calls it.
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
				Uses string
				Run  string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(blocks[0]), &pipeline); err != nil {
		t.Fatal(err)
	}
	for name, job := range pipeline.Jobs {
		haveGo, installed, calls := false, false, 0
		for _, step := range job.Steps {
			haveGo = haveGo || strings.HasPrefix(step.Uses, "actions/setup-go@")
			installed = installed || haveGo && strings.Contains(step.Run, "go build ") && strings.Contains(step.Run, "./cmd/downbeat") && strings.Contains(step.Run, "GITHUB_PATH")
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

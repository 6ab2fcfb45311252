package model

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedFiles lists files of the folder that lies beside the project, and
// skips the test where there is none.
func sharedFiles(t *testing.T, patterns ...string) []string {
	t.Helper()
	root := filepath.Join("..", "..", "shared")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no folder ../shared beside the project")
	}
	var out []string
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join(root, p))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, files...)
	}
	if len(out) == 0 {
		t.Fatalf("no files match %q", patterns)
	}
	return out
}

func TestLoadSharedJobSets(t *testing.T) {
	for _, file := range sharedFiles(t, "bench/*.yaml", "bench/*/*.yaml") {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		js, err := Load(file, src)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if len(js.Tasks) == 0 || len(js.Slaves) == 0 {
			t.Errorf("%s: %d tasks on %d slaves", file, len(js.Tasks), len(js.Slaves))
		}
	}
}

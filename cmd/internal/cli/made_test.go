package cli

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/exit"
	"downbeat/internal/testkit"
)

// Every figure and table that is committed says in docs/made.tsv what made it, and is what that made. What
// the curves of policies were drawn from is answered again in small; reports of reproduce are held by that package, and
// where times are shown, of a machine that is not here, nothing is.
func TestMade(t *testing.T) {
	testkit.OneGoroutine(t)
	seen := map[string]bool{}
	for _, m := range testkit.AllMade(t, root) {
		paths := m.Paths(t, root)
		if len(paths) == 0 {
			t.Errorf("%s: no such files", m.Files)
		}
		for _, path := range paths {
			if seen[path] {
				t.Errorf("%s is made twice", path)
			}
			seen[path] = true
		}
		if !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(m.Commit) || m.Seeds == "" || !strings.HasPrefix(m.Command, "downbeat ") && !strings.HasPrefix(m.Command, "peers ") {
			t.Errorf("%s: commit %q, seeds %q, command %q", m.Files, m.Commit, m.Seeds, m.Command)
		}
		switch {
		case m.Files == "docs/schedulability.svg":
			testkit.HoldMade(t, root, m, smallBench(t, m.Command), *update)
		case m.Answers == "-":
			testkit.HoldMade(t, root, m, "-", *update)
		case !strings.HasPrefix(m.Files, "docs/reproductions/"):
			t.Errorf("%s: no test answers anew", m.Files)
		}
	}
	err := fs.WalkDir(os.DirFS(root), "docs", func(path string, _ fs.DirEntry, err error) error {
		if made := slices.Contains([]string{".svg", ".csv", ".json"}, filepath.Ext(path)); made && !seen[path] {
			t.Errorf("%s: no line of docs/made.tsv tells what made it", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// smallBench is the digest of what a bench answers on one set of each level, without the optimum.
func smallBench(t *testing.T, command string) string {
	t.Helper()
	words := strings.Fields(command)[1:]
	var args []string
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "--sets":
			args = append(args, "--sets", "1")
			i++
		case "--plot", "--budget":
			i++
		default:
			args = append(args, words[i])
		}
	}
	file := filepath.Join(t.TempDir(), "cells.csv")
	args = append(args, "--no-optimum", "-o", file)
	if code := Main(args, strings.NewReader(""), io.Discard, os.Stderr); code != exit.Done {
		t.Fatalf("%v: exit code %d", args, code)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(src)
	return testkit.Short(sum[:])
}

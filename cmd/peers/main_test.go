package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test's binary answer for downbeat, as the program does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == answerCommand {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// tiny has two jobs of which one must be late.
const tiny = `version: 1
cluster: {heartbeat: 1, slaves: [{name: a, cores: 1, slots: 1}]}
jobs:
  - {name: i, deadline: 5, map: {tasks: 1, wcet: 4}}
  - {name: j, deadline: 5, map: {tasks: 1, wcet: 4}}
`

func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tiny.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRun(t *testing.T) {
	dir := folder(t, tiny)
	csv := filepath.Join(dir, "runs.csv")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"-limit", "20s", "-solvers", "downbeat", "-rounds", "2", "-csv", csv, dir}, &out, &errs)
	if code != exitDone || !strings.Contains(out.String(), "tiny  2      1       downbeat  optimal  1      1 ") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
	if !strings.Contains(errs.String(), "2 of 2: tiny, downbeat: optimal in ") {
		t.Errorf("progress:\n%s", &errs)
	}
	text, err := os.ReadFile(csv)
	if err != nil || strings.Count(string(text), "\ntiny,2,2,1,downbeat,") != 2 {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestUsage(t *testing.T) {
	dir := folder(t, tiny)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "peers: name a folder of job sets, or files"},
		{[]string{"-lmit", "3s", dir}, "flag provided but not defined: -lmit"},
		{[]string{"-limit", "soon", dir}, `invalid value "soon" for flag -limit`},
		{[]string{"-limit", "0s", dir}, "peers: -limit must be more than 0"},
		{[]string{"-workers", "0", dir}, "peers: -workers must be at least 1"},
		{[]string{"-rounds", "0", dir}, "peers: -rounds must be at least 1"},
		{[]string{"-solvers", "downbeet", dir}, `peers: no solver is called "downbeet" here; there are downbeat`},
		{[]string{filepath.Join(dir, "missing")}, "no such file"},
		{[]string{folder(t, "versoin: 1\n")}, "tiny.yaml:1:1: "},
		{[]string{"answer", "x"}, "peers: answer takes a file, a limit and a number of workers"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), test.args, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), test.want) || out.Len() > 0 {
			t.Errorf("%q: exit code %d, %s%s", test.args, code, &errs, &out)
		}
	}
}

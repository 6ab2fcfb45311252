package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"downbeat/internal/testkit"
)

// TestVersions: versions of Go as Python has them.
func TestVersions(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":                               "1.2.3",
		"v1.2.3-rc.1":                          "1.2.3rc1",
		"v0.0.0-20261125231500-fa61a308abcd":   "0.0.0.dev20261125231500+fa61a308abcd",
		"v1.2.4-0.20261125231500-fa61a308abcd": "1.2.4.dev20261125231500+fa61a308abcd",
		"(devel)":                              "0.0.0.dev0",
	} {
		if got, err := pythonVersion(version); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %s", version, got, err, want)
		}
	}
	for _, version := range []string{"", "1.2.3", "v1.2", "v0.0.0-20261125231500-fa61a308abcd+dirty"} {
		if got, err := pythonVersion(version); err == nil {
			t.Errorf("%q is taken for %s", version, got)
		}
	}
}

// TestWheel: the record has the checksum of every file, and the same input gives the same bytes.
func TestWheel(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1795298400")
	program := filepath.Join(t.TempDir(), "downbeat")
	if err := os.WriteFile(program, []byte("a binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	for platform := range platforms {
		first, second := made(t, program, platform), made(t, program, platform)
		if !bytes.Equal(first, second) {
			t.Errorf("%s: the same input gives two wheels", platform)
		}
		archive, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range archive.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			files[f.Name] = string(text)
			if strings.Contains(f.Name, "/scripts/") && f.Mode()&0o111 == 0 {
				t.Errorf("%s: %s cannot be run", platform, f.Name)
			}
		}
		const info = "downbeat-1.2.3.dist-info/"
		recorded := 0
		for line := range strings.Lines(files[info+"RECORD"]) {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), ",")
			text, is := files[name]
			sum := sha256.Sum256([]byte(text))
			if want := fmt.Sprintf("sha256=%s,%d", base64.RawURLEncoding.EncodeToString(sum[:]), len(text)); !is || name != info+"RECORD" && rest != want {
				t.Errorf("%s: %s is recorded as %s, want %s", platform, name, rest, want)
			}
			recorded++
		}
		if recorded != len(files) || recorded < 7 {
			t.Errorf("%s: %d files, %d recorded", platform, len(files), recorded)
		}
	}
	if _, err := build(program, "v1.2.3", "plan9/amd64", t.TempDir()); err == nil {
		t.Error("there is a wheel for plan9")
	}
}

// made is the wheel of a program.
func made(t *testing.T, program, platform string) []byte {
	t.Helper()
	path, err := build(program, "v1.2.3", platform, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestInstalled: the step for pipelines installs the wheel in an empty environment without a
// network, and the client's functions give the answers of the program.
func TestInstalled(t *testing.T) {
	testkit.Long(t)
	needs(t, "python3", "bash", "curl", "sha256sum")
	dir := t.TempDir()
	program := filepath.Join(dir, "downbeat")
	if text, err := exec.Command("go", "build", "-o", program, "downbeat/cmd/downbeat").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wheel, err := build(program, "(devel)", "linux/amd64", dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if text, err := step(t, dir, wheel, sumOf(t, wheel)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	// Neither the sources nor another binary are at hand.
	python := exec.Command(filepath.Join(dir, "downbeat", "python", "bin", "python"), "-I", "-c", session)
	python.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
	if text, err := python.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// TestStep: the step for pipelines takes archives too, by their address, and nothing whose
// checksum is another.
func TestStep(t *testing.T) {
	needs(t, "bash", "curl", "sha256sum", "tar")
	dir := t.TempDir()
	release := filepath.Join(dir, "downbeat-v1.2.3-linux-amd64")
	if err := os.Mkdir(release, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(release, "downbeat"), []byte("#!/bin/sh\necho downbeat v1.2.3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	archive := release + ".tar.gz"
	if text, err := exec.Command("tar", "-C", dir, "-czf", archive, filepath.Base(release)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := step(t, dir, "file://"+archive, sumOf(t, archive))
	if err != nil || !strings.Contains(text, "downbeat v1.2.3") {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = step(t, t.TempDir(), archive, strings.Repeat("0", 64))
	if err == nil || !strings.Contains(text, "::error::"+archive+" has another checksum") {
		t.Errorf("another checksum: %v\n%s", err, text)
	}
	text, err = step(t, t.TempDir(), "main.go", sumOf(t, "main.go"))
	if err == nil || !strings.Contains(text, "neither a wheel (.whl) nor an archive") {
		t.Errorf("another file: %v\n%s", err, text)
	}
}

// step runs what the step for pipelines does, with a folder for what it makes, and returns what
// it printed. Where it succeeds the folder of the program is on the path of later steps.
func step(t *testing.T, dir, file, sum string) (string, error) {
	t.Helper()
	source, err := os.ReadFile("../../.github/actions/downbeat/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Unmarshal(source, &action); err != nil || len(action.Runs.Steps) != 1 {
		t.Fatalf("%v: %d steps", err, len(action.Runs.Steps))
	}
	path := filepath.Join(dir, "path")
	bash := exec.Command("bash", "-c", action.Runs.Steps[0].Run)
	bash.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "RUNNER_TEMP=" + dir, "GITHUB_PATH=" + path, "FILE=" + file, "SHA256=" + sum, "TOKEN="}
	text, err := bash.CombinedOutput()
	if err == nil {
		added, err := os.ReadFile(path)
		if want := filepath.Join(dir, "downbeat", "bin") + "\n"; err != nil || string(added) != want {
			t.Errorf("the path is %q, %v; want %q", added, err, want)
		}
	}
	return string(text), err
}

// needs skips a test where a program is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s", name)
		}
	}
}

// sumOf is the checksum of a file.
func sumOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// session is what somebody does with the client.
const session = `
import downbeat

night = {
    "version": 1, "time_unit": "1m",
    "cluster": {"heartbeat": 1, "slaves": [{"name": "node", "count": 2, "cores": 4}]},
    "jobs": [{"name": "etl", "deadline": 60, "hard": True, "map": {"tasks": 8, "wcet": 12}},
             {"name": "ads", "deadline": 14, "map": {"tasks": 9, "wcet": 12}}],
}
assert downbeat.check(night, budget=50)["status"] == "feasible"
plan = downbeat.plan(night, budget=3000, objective=["misses"])
assert plan["status"] == "optimal" and len(plan["tasks"]) == 17, plan
assert plan["objectives"][0]["value"] == 1, plan["objectives"]
assert downbeat.validate(night, plan)["valid"]
plan["tasks"][0]["finish"] += 1
assert not downbeat.validate(night, plan)["valid"]
assert [j["job"] for j in downbeat.plan(night, budget=3000, drop=["ads"])["jobs"]] == ["etl"]
assert downbeat.size(night, class_="node=1-4", budget=100)["size"]["fits"] == 1
assert downbeat.slack(night, budget=50)["jobs"]
assert downbeat.simulate(night, "edf", seed=3)["runs"][0]["policy"] == "edf"
assert downbeat.run("show", night, downbeat.plan(night, budget=50))["tasks"]
tight = dict(night, jobs=[dict(night["jobs"][0], deadline=5)])
assert downbeat.check(tight)["status"] == "infeasible"
try:
    downbeat.check(dict(night, clutser={}))
except downbeat.UsageError as fault:
    assert str(fault).startswith("job-set-1.json:1:"), fault
    assert "did you mean cluster?" in str(fault), fault
else:
    raise AssertionError("a slip is taken")
try:
    downbeat.plan(night, budgte=3)
except downbeat.UsageError as fault:
    assert "unknown flag --budgte" in str(fault), fault
else:
    raise AssertionError("an unknown flag is taken")
`

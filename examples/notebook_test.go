package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// downbeatIn builds the program, and answers with an environment that has it on the PATH.
func downbeatIn(t *testing.T) []string {
	t.Helper()
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "downbeat"), "../cmd/downbeat").CombinedOutput(); err != nil {
		t.Skipf("the program cannot be built here: %v\n%s", err, out)
	}
	return append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// The page shows the files as they are.
func TestPageOfNotebooks(t *testing.T) {
	page, err := os.ReadFile("../docs/notebooks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"read.py", "Snakefile"} {
		src, err := os.ReadFile(filepath.Join("notebook", name))
		if err != nil || !strings.Contains(string(page), "```python\n"+string(src)+"```") {
			t.Errorf("docs/notebooks.md does not show %s as it is (%v)", name, err)
		}
	}
}

// The recipe runs: Snakemake makes the journals, bench report the tables, and pandas has the means of these.
func TestNotebook(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import pandas").CombinedOutput(); err != nil {
		t.Skipf("python3 has no pandas here: %s", out)
	}
	dir := t.TempDir()
	for _, name := range []string{"read.py", "Snakefile"} {
		src, err := os.ReadFile(filepath.Join("notebook", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := downbeatIn(t)
	run := func(words ...string) {
		cmd := exec.Command("env", words...) // which looks on the PATH that it is given
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	if _, err := exec.LookPath("snakemake"); err == nil {
		run("snakemake", "--cores", "1", "--quiet")
	} else {
		t.Log("there is no snakemake here: pandas alone reads a bench")
		run("downbeat", "bench", "--workload", "realtime:streams=3", "--sweep", "utilisation=0.3,0.5", "--seeds", "1-10",
			"--policy", "fifo,edf", "--compare", "edf,fifo", "--budget", "200", "--data-package", "data", "--quiet")
		run("python3", "read.py", "data", "met.csv")
	}
	if met, err := os.ReadFile(filepath.Join(dir, "met.csv")); err != nil || !strings.HasPrefix(string(met), "level,policy,mean,low,high\n0.3,fifo,") {
		t.Errorf("met.csv: %v\n%s", err, met)
	}
}

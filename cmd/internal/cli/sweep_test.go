package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slurm runs a command of Slurm and gives what it says.
func slurm(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// until waits for something to come about.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !done(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited five minutes for %s", what)
		}
	}
}

// A sweep of 2,000 cells in eight shards on a real Slurm, of which one is killed and another
// is requeued in the middle, and which is started once more for the sake of the killed one,
// ends in the files of one process, byte for byte. In between the report tells what is missing.
func TestSweepOnSlurm(t *testing.T) {
	if _, err := exec.LookPath("sbatch"); err != nil {
		t.Skip("Slurm is not installed here: ", err)
	}
	conf := os.Getenv("SLURM_CONF")
	if out, err := exec.Command("sinfo", "--noheader", "--states=idle,mixed,allocated").CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) == 0 {
		t.Skipf("Slurm is installed, but no node of it answers (SLURM_CONF=%s): %v: %s", conf, err, out)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "downbeat") // by this name the test binary is the program
	if err := os.Symlink(binary, program); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOWNBEAT", program)
	sh := &shell{t: t}
	bench := "downbeat bench --workload realtime:streams=5,hard=0.3,maps=1..3 --sweep utilisation=0.2..0.8/5 --seeds 1-100 " +
		"--policy fifo,edf,llf,penn-llf-best --objective weighted-tardiness --budget 2000"
	script := sh.run(bench + " --script slurm --shards 8 --into sweep -o cells.csv -o cells.json --measure hard_met")
	if err := os.WriteFile("sweep.sh", []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}

	slurm(t, dir, "sh", "sweep.sh")
	array := slurm(t, dir, "squeue", "--noheader", "--array", "--format=%F", "--name=downbeat")
	array, _, _ = strings.Cut(array, "\n")
	begun := func(shard int) func() bool {
		return func() bool {
			src, _ := os.ReadFile(fmt.Sprintf("sweep/shard-%d.jsonl", shard))
			return bytes.Count(src, []byte("\n")) > 3
		}
	}
	until(t, "the second shard to begin", begun(2))
	slurm(t, dir, "scancel", "--signal=KILL", "--full", array+"_2")
	until(t, "the fifth shard to begin", begun(5))
	slurm(t, dir, "scontrol", "requeue", array+"_5")
	over := func() bool {
		// Else what was requeued waits for two minutes; fails where nothing waits.
		exec.Command("scontrol", "update", "JobId="+array+"_5", "StartTime=now").Run()
		return slurm(t, dir, "squeue", "--noheader", "--name=downbeat,downbeat-report") == ""
	}
	until(t, "the report", over)
	log, err := os.ReadFile("sweep/report.log")
	if err != nil || !strings.Contains(string(log), "\nnote: shard 2/8: ") || strings.Contains(string(log), "shard 5/8") {
		t.Errorf("%v: the report does not tell that the second shard alone is missing:\n%s", err, log)
	}
	if killed, err := os.ReadFile("sweep/shard-5.log"); err != nil || !strings.Contains(string(killed), "REQUEUE") {
		t.Errorf("%v: the log of the shard that was requeued has lost its beginning:\n%s", err, killed)
	}

	slurm(t, dir, "sh", "sweep.sh")
	until(t, "the report", over)
	sh.run(bench + " -o one.csv -o one.json --measure hard_met --workers 1")
	for _, ending := range []string{"csv", "json"} {
		one, err := os.ReadFile("one." + ending)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := os.ReadFile("cells." + ending)
		if err != nil || !bytes.Equal(one, cells) {
			t.Errorf("%v: the shards leave another %s than one process", err, ending)
		}
		if n := bytes.Count(one, []byte("\n")); n < 2001 {
			t.Errorf("only %d lines", n)
		}
	}
}

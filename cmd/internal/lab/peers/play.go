package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
	"time"

	"downbeat/cmd/internal/schedulers"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/online"
)

// played is what a process tells of the job set that it has played.
type played struct {
	Measures online.Measures `json:"measures"`
	// Run are seconds of the run alone, Memory bytes.
	Run    float64 `json:"run"`
	Memory int64   `json:"memory"`
	// total and processor are those of the whole process.
	total, processor time.Duration
}

// PlayFile plays the job set of the file that args name under the policy that they name,
// has the validator pass what was run, and prints how it went: the other end of
// [Policies].
func PlayFile(ctx context.Context, w io.Writer, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("play takes a file and a policy, got %q", args)
	}
	js, err := load(args[0])
	if err != nil {
		return err
	}
	p, err := schedulers.New(args[1], 1)
	if err != nil {
		return err
	}
	start := time.Now()
	out, err := online.Run(ctx, js, p, online.Options{Seed: 1})
	if err != nil {
		return err
	}
	run := time.Since(start)
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(played{Measures: online.Measure(out), Run: run.Seconds(), Memory: memory()})
}

// Policies plays a job set, which is written to the folder, under policies, in a process
// of its own for each, and writes a line for each: all seconds of the process and those of
// the run alone, the processor time of the process and its memory in MB (2^20 bytes), and
// how jobs fared. It ends with the first that fails.
func Policies(ctx context.Context, w io.Writer, self []string, js *model.JobSet, policies []string, dir string, tell func(policy string)) error {
	file := filepath.Join(dir, js.Name+".yaml")
	if err := writeSet(js, file); err != nil {
		return err
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer out.Flush()
	fmt.Fprintln(out, "policy\tseconds\trun\tprocessor\tMB\trejected\thard late\tmisses")
	for _, name := range policies {
		tell(name)
		r, err := play(ctx, self, file, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m := &r.Measures
		fmt.Fprintf(out, "%s\t%.1f\t%.1f\t%.1f\t%d\t%d\t%d\t%d\n", name, r.total.Seconds(), r.Run, r.processor.Seconds(),
			r.Memory>>20, m.Jobs-m.Accepted, m.HardMisses, m.Misses)
	}
	return nil
}

// play has a process play a file.
func play(ctx context.Context, self []string, file, policy string) (r played, err error) {
	r.total, r.processor, err = askProcess(ctx, &r, self, file, policy)
	return r, err
}

// askProcess runs a command that prints JSON, and tells how long it took on the clock and how much
// processor time.
func askProcess(ctx context.Context, answer any, command []string, args ...string) (total, processor time.Duration, err error) {
	cmd := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], args...)...)
	var text, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &errs
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, lastLine(bytes.TrimSpace(errs.Bytes())))
	}
	total, processor = time.Since(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	return total, processor, json.Unmarshal(text.Bytes(), answer)
}

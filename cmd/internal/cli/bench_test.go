package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/exit"
)

// A bench that is interrupted before anything is done has no answer; its
// journal can be gone on from.
func TestInterruptedBench(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	args := []string{"bench", "--workload", "tiny", "--count", "3", "--policy", "fifo", "--resume", journal}
	gone, stop := context.WithCancel(t.Context())
	stop()
	s, out, stderr := fakeStreams("")
	if code := run(gone, s, args); code != exit.Unknown {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stderr.String(), "interrupted: this is what was done so far") ||
		!strings.HasPrefix(out.String(), "0 job sets, 1 policy each (3 of 3 job sets were not reached)") {
		t.Errorf("it says\n%s%s", stderr, out)
	}
	s, out, stderr = fakeStreams("")
	if code := run(t.Context(), s, args); code != exit.Done || !strings.HasPrefix(out.String(), "3 job sets") {
		t.Errorf("exit code %d: %s%s", code, stderr, out)
	}
}

// A bench that is interrupted half-way answers with what is done, and its exit code says that
// it is not all.
func TestBenchInterruptedHalfWay(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if src, _ := os.ReadFile(journal); strings.Count(string(src), "\n") > 5 {
				stop()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	s, out, stderr := fakeStreams("")
	code := run(ctx, s, []string{"bench", "--workload", "tiny", "--seeds", "1-50000", "--policy", "fifo", "--no-optimum", "--resume", journal})
	if code != exit.Unknown || !strings.Contains(stderr.String(), "interrupted: this is what was done so far") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if head, _, _ := strings.Cut(out.String(), "\n"); strings.HasPrefix(head, "0 job sets") || !strings.HasSuffix(head, " of 50000 job sets were not reached)") {
		t.Errorf("it says %s", head)
	}
}

// What has job sets made by a program ends with it when it is interrupted, whatever is done with them.
func TestInterruptedWhileASetIsMade(t *testing.T) {
	for _, args := range [][]string{{"--policy", "fifo"}, {"--write", filepath.Join(t.TempDir(), "sets")}, {"--hunt", "fifo"}} {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, stop)
		s, _, stderr := fakeStreams("")
		code := run(ctx, s, append([]string{"bench", "--workload", "exec:sleep 600"}, args...))
		if code != exit.Unknown || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
		stop()
	}
}

// Job sets come from standard input too, and progress shows on a terminal only.
func TestBenchProgress(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		s, out, stderr := fakeStreams(small)
		s.ErrTerminal = terminal
		if code := run(t.Context(), s, []string{"bench", "-", "--policy", "fifo,edf"}); code != exit.Done {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if !strings.HasPrefix(out.String(), "1 job set, 2 policies each\n") {
			t.Errorf("it says\n%s", out)
		}
		if got := strings.Contains(stderr.String(), "\r"); got != terminal {
			t.Errorf("terminal %t, progress %t", terminal, got)
		}
	}
}

// What is no file cannot be a journal: a device might be read for ever.
func TestJournalThatIsNoFile(t *testing.T) {
	for _, path := range []string{t.TempDir(), os.DevNull} {
		s, _, stderr := fakeStreams(small)
		code := run(t.Context(), s, []string{"bench", "-", "--policy", "fifo", "--resume", path})
		if code != exit.Usage || !strings.Contains(stderr.String(), "a journal is a regular file") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	}
}

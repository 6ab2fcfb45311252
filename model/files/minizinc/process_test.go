package minizinc

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// keep gives a reader of lines and what it has taken.
func keep() (*Lines, *[]string) {
	taken := new([]string)
	return &Lines{Take: func(line []byte) { *taken = append(*taken, string(line)) }}, taken
}

// Lines come whole, however they were cut; what has no end stays behind.
func TestLines(t *testing.T) {
	const text = "one\n\ntwo\nthr"
	for size := 1; size <= len(text); size++ {
		lines, taken := keep()
		for part := range slices.Chunk([]byte(text), size) {
			if n, err := lines.Write(part); n != len(part) || err != nil {
				t.Errorf("wrote %d of %d: %v", n, len(part), err)
			}
		}
		if want := []string{"one", "", "two"}; !slices.Equal(*taken, want) || string(lines.Rest) != "thr" {
			t.Errorf("in pieces of %d: %q, rest %q", size, *taken, lines.Rest)
		}
	}
}

func TestRun(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here to run")
	}
	lines, taken := keep()
	stderr, err := RunProcess(t.Context(), time.Second, strings.NewReader("in\n"), lines, "sh", "-c", "cat; echo out; echo why >&2; exit 3")
	if want := []string{"in", "out"}; !slices.Equal(*taken, want) || string(stderr) != "why" || err == nil {
		t.Errorf("%q, %q, %v", *taken, stderr, err)
	}

	// Told to stop, it may still say something; if it goes on, it is killed.
	ctx, cancel := context.WithCancel(t.Context())
	lines = &Lines{Take: func([]byte) { cancel() }}
	RunProcess(ctx, 20*time.Second, nil, lines, "sh", "-c", "trap 'printf stopped; exit' INT; echo ready; while :; do sleep 0.01; done")
	if string(lines.Rest) != "stopped" {
		t.Errorf("after an interrupt: %q", lines.Rest)
	}
	ctx, cancel = context.WithCancel(t.Context())
	lines = &Lines{Take: func([]byte) { cancel() }}
	_, err = RunProcess(ctx, 50*time.Millisecond, nil, lines, "sh", "-c", "trap '' INT; echo ready; exec sleep 60")
	if err == nil || err.Error() != "signal: killed" {
		t.Errorf("without heed to the interrupt: %v", err)
	}
}

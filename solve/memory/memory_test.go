package memory

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestDefaultIsHalfOfWhatThereIs(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	machine := file("MemFree: 5 kB\nMemTotal:        8000000 kB\n")
	for what, c := range map[string]struct {
		root fstest.MapFS
		want int64
	}{
		"nothing told": {fstest.MapFS{}, 0},
		"a machine":    {fstest.MapFS{"proc/meminfo": machine}, 4_096_000_000},
		"no figure":    {fstest.MapFS{"proc/meminfo": file("MemTotal: many\n")}, 0},
		"few addresses": {fstest.MapFS{"proc/meminfo": machine, "proc/self/limits": file("Limit Soft Hard Units\nMax address space         4000000000           unlimited            bytes\n")},
			(4_000_000_000 - 1<<30) / 2},
		"any number of addresses": {fstest.MapFS{"proc/meminfo": machine, "proc/self/limits": file("Max address space         unlimited            unlimited            bytes\n")},
			4_096_000_000},
		"cgroup v2": {fstest.MapFS{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": file("2000000000\n")},
			1_000_000_000},
		"cgroup v2 without a limit": {fstest.MapFS{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": file("max\n")},
			4_096_000_000},
		"a group of its own": {fstest.MapFS{"proc/meminfo": machine, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("3000000000\n")}, 1_500_000_000},
		"cgroup v1": {fstest.MapFS{"proc/meminfo": machine, "sys/fs/cgroup/memory/memory.limit_in_bytes": file("600\n")}, 300},
		"cgroup v1, a group": {fstest.MapFS{"proc/meminfo": machine, "proc/self/cgroup": file("bad\n3:cpu:/x\n4:memory,rdma:/x\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("800\n")}, 400},
		"cgroup v1 without a limit": {fstest.MapFS{"proc/meminfo": machine,
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n")}, 4_096_000_000},
	} {
		if got := Default(c.root); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}

// A method has a quarter of the ceiling; what may not begin is told once.
func TestAllows(t *testing.T) {
	if !Allows(t.Context(), "everything", 1<<60) || Share(t.Context(), 7) != 7 || Notes(t.Context()) != nil {
		t.Error("a context without a ceiling has one")
	}
	ctx, stop := With(t.Context(), 400, false)
	defer stop()
	if !Allows(ctx, "prices", 100) || Allows(ctx, "prices", 101) || Allows(ctx, "prices", 200) || Allows(ctx, "windows", 300) || Share(ctx, 7) != 100 {
		t.Error("not a quarter of 400")
	}
	want := "left out for want of memory: prices, windows (the ceiling is 400 B)"
	if notes := Notes(ctx); len(notes) != 1 || notes[0] != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// A program that is at its ceiling already is stopped, and says why; without watching
// it is not.
func TestWatch(t *testing.T) {
	ctx, stop := With(t.Context(), 1000, true)
	defer stop()
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("a ceiling of 1000 bytes is not reached")
	}
	if !errors.Is(context.Cause(ctx), ErrCeiling) {
		t.Errorf("the cause is %v", context.Cause(ctx))
	}
	if notes := Notes(ctx); len(notes) != 1 || !strings.Contains(notes[0], "ceiling of 1 kB was reached") {
		t.Errorf("notes %q", notes)
	}
	calm, end := With(t.Context(), 1000, false)
	end()
	if !errors.Is(context.Cause(calm), context.Canceled) || Notes(calm) != nil {
		t.Errorf("ended by %v, notes %q", context.Cause(calm), Notes(calm))
	}
}

func TestText(t *testing.T) {
	for bytes, want := range map[int64]string{5: "5 B", 2_000: "2 kB", 1_500_000: "1.5 MB", Fixed: "2 GB", 16_384_000_000: "16.4 GB", 3e12: "3 TB"} {
		if got := Text(bytes); got != want {
			t.Errorf("%d is %q, want %q", bytes, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"2GB": 2e9, "512 MB": 512e6, "1.5GiB": 3 << 29, "4096": 4096, "7k": 7000, "0": 0, "2 gb": 2e9, "1TB": 1e12, "3B": 3,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "2XB", "2GBB", "much", "1e30TB", "NaN", "Inf"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

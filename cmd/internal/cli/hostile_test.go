//go:build unix

package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"downbeat/cmd/internal/exit"
	"downbeat/internal/testkit"
	"downbeat/model/files/jobfile"
)

// lone is a job set with the least that there is to plan.
const lone = `version: 1
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs: [{name: a, deadline: 9, map: {tasks: 1, wcet: 3}}]
`

// hostileFolder has a job set, and files that are none of what commands read.
func hostileFolder(t *testing.T) string {
	dir := t.TempDir()
	put := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	js, err := jobfile.Load("set.yaml", []byte(lone))
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\nmust 0 9\n", js.Digest())
	put("set.yaml", []byte(lone))
	put("empty", nil)
	put("head.proof", []byte(head))
	cut := packed(head, numbers(1000))
	put("cut.proof.gz", cut[:len(cut)-20])
	put("noise.gz", append(cut[:2:2], "noise, and no block of any kind"...))
	put("line.gz", packed(head+"c 1 task 0 :", strings.Repeat(" s0<=5", testkit.Sets(1<<20, 1<<26)/6)))
	put("twice.gz", packed(string(packed(head))))
	put("nul.json", bytes.Repeat([]byte{0}, 1000))
	put("deep.json", []byte(strings.Repeat("[", 1_000_000)))
	put("counts.json", countsPlan(testkit.Sets(5, 50)))
	put("many.json", countsPlan(20_000))
	put("endless.json", []byte(`{"version": 1, "x": `+strings.Repeat("9", 1_000_000)+`}`))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Log("no pipes in a folder here, the calls that read one are left out: ", err)
		return dir
	}
	t.Cleanup(func() { // lets go who waits for a writer
		if f, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_RDWR, 0); err == nil {
			f.Close()
		}
	})
	return dir
}

// numbers are comments that pack badly.
func numbers(n int) string {
	var out strings.Builder
	for k := range n {
		fmt.Fprintf(&out, "# %d\n", k*k*k)
	}
	return out.String()
}

func packed(texts ...string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for _, text := range texts {
		_, _ = io.WriteString(z, text)
	}
	_ = z.Close()
	return out.Bytes()
}

// countsPlan is a plan that names so many changes, each of which makes a hundred thousand slaves.
func countsPlan(n int) []byte {
	changes := make([]string, n)
	for k := range changes {
		changes[k] = fmt.Sprintf(`{"change": "count", "of": "s", "number": %d}`, 99_999-k%2)
	}
	return fmt.Appendf(nil, `{"version": 1, "changes": [%s], "tasks": [
{"job": "a", "stage": "map", "task": 1, "slave": "s", "beat": 0, "assigned": 0, "fetch": 0, "start": 0, "finish": 3}]}`, strings.Join(changes, ", "))
}

// TestHostileFiles: whatever a file is, or asks for, a command ends: with an answer, a fault that
// says what was wrong, or at a limit, which it names. On a busy machine a limit is reached at the first file already.
func TestHostileFiles(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := hostileFolder(t)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	t.Chdir(dir)
	for _, test := range []struct {
		args string
		code exit.Code
		says string
	}{
		{"validate pipe pipe --time-limit 50ms", exit.Unknown, "downbeat: pipe: the time limit of 50ms was reached before it was read; --time-limit allows more\n"},
		{"validate set.yaml pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"show set.yaml pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"diff set.yaml counts.json pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"verify-proof set.yaml pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"proof trim set.yaml pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"log pipe --time-limit 50ms", exit.Unknown, "pipe: the time limit"},
		{"export dimacs pipe --time-limit 50ms", exit.Unknown, "pipe: the time limit"},
		{"export chrome set.yaml pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"import pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"import csv pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"import solution set.yaml pipe pipe --time-limit 50ms", exit.Unknown, "the time limit of 50ms was reached"},
		{"validate pipe pipe --time-limit 0 --memory 1MB", exit.Unknown, "downbeat: pipe: the memory ceiling of 1 MB was reached before it was read; --memory allows more\n"},
		{"verify-proof set.yaml pipe --time-limit 0 --memory 1MB", exit.Unknown, "the memory ceiling of 1 MB"},
		{"import csv pipe --time-limit 0 --memory 1MB", exit.Unknown, "the memory ceiling of 1 MB"},
		{"validate set.yaml counts.json", exit.Done, ""},
		{"validate set.yaml many.json --time-limit 1s", exit.Unknown, "the time limit of 1s was reached"},
		{"validate set.yaml many.json --time-limit -1s", exit.Usage, "--time-limit -1s is negative"},
		{"verify-proof set.yaml empty", exit.Usage, "empty is empty: this is no proof"},
		{"verify-proof set.yaml .", exit.Usage, ". is a folder, and no proof"},
		{"verify-proof set.yaml head.proof", exit.No, ""},
		{"verify-proof set.yaml cut.proof.gz", exit.No, ""},
		{"verify-proof set.yaml noise.gz", exit.Usage, "noise.gz: the compressed file is damaged, or was cut off here"},
		{"verify-proof set.yaml line.gz", exit.No, ""},
		{"verify-proof set.yaml twice.gz", exit.Usage, "this is no proof"},
		{"verify-proof set.yaml nul.json", exit.Usage, "this is no proof"},
		{"verify-proof set.yaml /dev/zero", exit.Usage, "a line of more than 64 MiB, which no proof needs"},
		{"validate set.yaml nul.json", exit.Usage, "nul.json:1:1: "},
		{"validate set.yaml deep.json", exit.Usage, "deep.json:1:"},
		{"validate set.yaml endless.json", exit.Usage, "endless.json:1:"},
		{"import csv nul.json", exit.Usage, "nul.json:1:"},
		{"import csv /dev/zero", exit.Usage, "/dev/zero:1:1: the line has no end within 1 GiB; this is no text"},
		{"import swf /dev/zero", exit.Usage, "/dev/zero:1:1: the line has no end within 1 GiB; this is no text"},
		{"import csv line.gz", exit.Usage, "line.gz:1:"},
	} {
		if _, err := os.Stat("pipe"); err != nil && strings.Contains(test.args, "pipe") {
			continue
		}
		if test.args == "import swf /dev/zero" && !testkit.All() {
			continue // seconds, for what import csv says as well
		}
		s, out, stderr := fakeStreams("")
		code := run(t.Context(), s, strings.Fields(test.args))
		if code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%s: exit code %d, want %d: %.300s%.300s", test.args, code, test.code, out, stderr)
		}
		debug.SetMemoryLimit(1 << 40)
	}
}

// TestTimeBeginsWithInput: who writes to standard input may take their time; the limit is on what
// is done with it.
func TestTimeBeginsWithInput(t *testing.T) {
	s, out, stderr := fakeStreams("")
	in, to := io.Pipe()
	s.In = in
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, countsPlan(0), 0o666); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(1100 * time.Millisecond)
		_, _ = to.Write([]byte(lone))
		to.Close()
	}()
	code := run(t.Context(), s, []string{"validate", "-", path, "--time-limit", "1s"})
	if code != exit.Done {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
}

//go:build unix

package files

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"downbeat/cmd/internal/terminal"
)

// What is no file stays what it is, and gets what is written: /dev/null was replaced by a file where
// the user might do that.
func TestWriteToDevices(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() {
		text, err := os.ReadFile(pipe)
		if err != nil {
			t.Error(err)
		}
		got <- string(text)
	}()
	if err := CheckTarget(&terminal.Streams{}, pipe, ""); err != nil {
		t.Fatal(err)
	}
	if err := Write(pipe, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "text" {
		t.Errorf("%q came through the pipe", text)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v", info, err)
	}
}

package examples

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A module of one's own builds against this one and runs a bench, without a network; it ends as docs/go.md says.
func TestModule(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go")
	}
	page, err := os.ReadFile("../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = "mypolicy"
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-trimpath", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v; where versions of go.mod differ, go mod tidy in examples/mypolicy\n%s", err, out)
	}
	blocks := strings.Split(string(page), "```text\n")
	shown, _, _ := strings.Cut(blocks[len(blocks)-1], "```")
	if !strings.Contains(string(out), shown) {
		t.Errorf("docs/go.md shows\n%s\nand it writes\n%s", shown, out)
	}
}

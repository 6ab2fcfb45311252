package testkit

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// madeFile lists the committed figures and tables, with what made them.
const madeFile = "docs/made.tsv"

// madeHead names its columns.
const madeHead = "files\tdigest\tcommit\tanswers\tseeds\tcommand"

// Made are figures and tables of one command that are committed, a line of docs/made.tsv.
type Made struct {
	Files   string // a pattern of paths from the root of the repository
	Digest  string // of the files
	Commit  string // of the program that made them
	Answers string // digest of what a small run answers that a test makes; "-" where times of a machine are shown
	Seeds   string
	Command string
}

// AllMade reads all lines of docs/made.tsv, below the root of the repository.
func AllMade(t testing.TB, root string) []Made {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, madeFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
	if lines[0] != madeHead {
		t.Fatalf("%s begins with %q", madeFile, lines[0])
	}
	var all []Made
	for _, line := range lines[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			t.Fatalf("%s: %d columns in %q", madeFile, len(f), line)
		}
		all = append(all, Made{f[0], f[1], f[2], f[3], f[4], f[5]})
	}
	return all
}

// Paths are those of its files from the root, sorted.
func (m Made) Paths(t testing.TB, root string) []string {
	t.Helper()
	paths, err := fs.Glob(os.DirFS(root), m.Files)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

// HoldMade holds a line of docs/made.tsv against its files and, where it has answers, against those that
// a small run gives now. With update a line whose files have been made anew is written anew; one
// whose files are as they were is not, for then they are stale.
func HoldMade(t testing.TB, root string, m Made, answers string, update bool) {
	t.Helper()
	now := m
	now.Digest, now.Answers = digestOf(t, root, m.Paths(t, root)), answers
	switch {
	case now == m:
	case now.Digest == m.Digest:
		t.Errorf("%s: made by a program that answers otherwise than this one (%s, now %s): make it again with %q",
			m.Files, m.Answers, answers, m.Command)
	case update:
		renewMade(t, root, m, now)
	default:
		t.Errorf("%s: not as %s says; once it is made by %q, -update writes its line", m.Files, madeFile, m.Command)
	}
}

func digestOf(t testing.TB, root string, paths []string) string {
	t.Helper()
	h := sha256.New()
	for _, path := range paths {
		src, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		h.Write(src)
	}
	return Short(h.Sum(nil))
}

// Short is a digest in twelve digits.
func Short(sum []byte) string { return hex.EncodeToString(sum)[:12] }

// renewMade writes a line anew, as made by the program of the commit that is checked out.
func renewMade(t testing.TB, root string, old, now Made) {
	t.Helper()
	head, err := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	now.Commit = strings.TrimSpace(string(head))
	out := madeHead + "\n"
	for _, m := range AllMade(t, root) {
		if m.Files == old.Files {
			m = now
		}
		out += strings.Join([]string{m.Files, m.Digest, m.Commit, m.Answers, m.Seeds, m.Command}, "\t") + "\n"
	}
	if err := os.WriteFile(filepath.Join(root, madeFile), []byte(out), 0o666); err != nil {
		t.Fatal(err)
	}
}

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/terminal"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/solve/exact"
)

// root is the top of the repository.
const root = "../../.."

// A page is one of the texts that are kept true: README.md, CONTRIBUTING.md, all of docs.
type page struct {
	name string // its path from the root
	text string
}

// pages are all of them, README.md first.
func pages(t *testing.T) []page {
	docs, err := fs.Glob(os.DirFS(root), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []page
	for _, name := range append([]string{"README.md", "CONTRIBUTING.md"}, docs...) {
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page{name, string(src)})
	}
	return all
}

func readme(t *testing.T) page { return pages(t)[0] }

// allText is the text of all pages.
func allText(t *testing.T) string {
	var b strings.Builder
	for _, p := range pages(t) {
		b.WriteString(p.text)
	}
	return b.String()
}

// fence is a block of code: its language and its text.
var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```\n")

// blocks are the texts of all blocks in a language.
func (p page) blocks(language string) []string {
	var texts []string
	for _, m := range fence.FindAllStringSubmatch(p.text, -1) {
		if m[1] == language {
			texts = append(texts, m[2])
		}
	}
	return texts
}

// inExamples changes to a new folder that holds the examples, so that commands
// find them and may write beside them.
func inExamples(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// shell runs downbeat in-process and remembers the last exit code.
type shell struct {
	t    *testing.T
	code exit.Code
}

// run gives what a terminal shows for a command: both output streams.
func (sh *shell) run(command string) string {
	args := shellWords(command)
	switch {
	case command == "echo $?":
		return strconv.Itoa(int(sh.code)) + "\n"
	case args[0] != "downbeat":
		sh.t.Fatalf("cannot run %q here", command)
	}
	var out bytes.Buffer
	sh.code = run(sh.t.Context(), terminal.New(strings.NewReader(""), &out, &out), args[1:])
	return out.String()
}

// shellWords are those of a command, as a shell splits it: what is in single quotes is one.
func shellWords(command string) []string {
	var all []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}

// replay runs the commands of a transcript and gives it back as it should be.
func (sh *shell) replay(transcript string) string {
	var b strings.Builder
	for line := range strings.Lines(transcript) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			b.WriteString(line + sh.run(strings.TrimSpace(command)))
		}
	}
	return b.String()
}

// longAsked are commands on the pages that take a second or two and leave no file to others.
var longAsked = regexp.MustCompile(`--each-slave-lost`)

// The transcripts on the pages are what the program prints, elapsed times
// aside. With -update they are put there. Pages follow one another in a folder, so that
// those in docs find the plan that README.md writes. What takes long is left to DOWNBEAT_LONG=1.
func TestPagesTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("planning the example night is left out with -short")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	all := pages(t)
	inExamples(t)
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			sh := &shell{t: t}
			text := p.text
			for _, want := range p.blocks("console") {
				if longAsked.MatchString(want) && !testkit.Asked() && !*update {
					continue
				}
				got := sh.replay(want)
				diff := cmp.Diff(elapsed.ReplaceAllString(want, "T"), elapsed.ReplaceAllString(got, "T"))
				switch {
				case diff == "":
				case *update:
					text = strings.Replace(text, want, got, 1)
				default:
					t.Errorf("out of date (-want +got; -update rewrites it):\n%s", diff)
				}
			}
			if *update {
				if err := os.WriteFile(filepath.Join(here, p.name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The first commands of README.md do what they are said to do.
func TestPagesMainCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("planning the example night is left out with -short")
	}
	first := readme(t).blocks("sh")[0]
	m := regexp.MustCompile(`(?m)^go run \./cmd/downbeat ([^#\n]+)`).FindStringSubmatch(first)
	if m == nil || !strings.Contains(first, "\ngo test ./...") {
		t.Fatalf("README.md does not begin with how to run the program and its tests:\n%s", first)
	}
	inExamples(t)
	sh := &shell{t: t}
	if out := sh.run("downbeat " + m[1]); sh.code != exit.Done || !strings.Contains(out, "\nChart\n") {
		t.Errorf("exit code %d\n%s", sh.code, out)
	}
}

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	link     = regexp.MustCompile(`\]\(([^)]+)\)`)
	pathLike = regexp.MustCompile(`^[\w.-]*(/[\w.-]+)+$|^[\w-]+\.(go|md|yaml)$`)
)

// Every file and folder that a page names exists: links go from the page's folder,
// other paths from the root.
func TestPagesPaths(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		prose := fence.ReplaceAllString(p.text, "")
		var paths []string
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			if to, _, _ := strings.Cut(m[1], "#"); to != "" && !strings.Contains(to, "://") {
				paths = append(paths, filepath.Join(filepath.Dir(p.name), to))
			}
		}
		told := p.blocks("sh")
		for _, m := range codeSpan.FindAllStringSubmatch(prose, -1) {
			told = append(told, m[1])
		}
		for _, word := range strings.Fields(strings.Join(told, " ")) {
			if word = strings.TrimSuffix(word, "/..."); pathLike.MatchString(word) {
				paths = append(paths, word)
			}
		}
		for _, path := range paths {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
		found += len(paths)
	}
	if found < 20 {
		t.Errorf("only %d paths found", found)
	}
}

// Every command that a page or an example tells of exists and has the flags that
// it is told with.
func TestCommandsTold(t *testing.T) {
	testkit.OneGoroutine(t)
	var texts []string
	for _, pattern := range []string{"README.md", "docs/*.md", "examples/*.md", "examples/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, found...)
	}
	command := regexp.MustCompile("(?m)(`|^\\$ |^go run \\./cmd/|^)downbeat ((?:[^`\n]*\\\\\n)*[^`#\n]*)")
	s, _, _ := fakeStreams("")
	told := 0
	for _, page := range texts {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			cmd, args, err := newRootCmd(s).Find(strings.Fields(m[2]))
			if err != nil || !cmd.HasParent() {
				if m[1] != "" { // and not a line of prose that begins with downbeat
					t.Errorf("%s: there is no command downbeat %s", page, m[2])
				}
				continue
			}
			told++
			for _, arg := range args {
				name, _, _ := strings.Cut(arg, "=")
				if name, long := strings.CutPrefix(name, "--"); long && cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s: downbeat %s: there is no --%s", page, m[2], name)
				}
			}
		}
	}
	if told < 25 {
		t.Errorf("only %d commands found", told)
	}
}

// README.md is a front door: short, and with a way to every page.
func TestPagesFrontDoor(t *testing.T) {
	front := readme(t)
	if n := strings.Count(front.text, "\n"); n > 250 {
		t.Errorf("README.md has %d lines", n)
	}
	for _, p := range pages(t) {
		if !strings.Contains(front.text, "]("+p.name) && p.name != "README.md" {
			t.Errorf("README.md does not lead to %s", p.name)
		}
	}
}

// The pages tell of every flag and every exit code, and of no others.
func TestPagesFlags(t *testing.T) {
	told := map[string]bool{}
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(allText(t), -1) {
		told[m[1]] = true
	}
	s, _, _ := fakeStreams("")
	known := map[string]bool{}
	for _, cmd := range newRootCmd(s).Commands() {
		all := []*cobra.Command{cmd}
		if cmd.Name() != "completion" { // of which there is nothing to tell
			for _, sub := range cmd.Commands() {
				all = append(append(all, sub), sub.Commands()...)
			}
		}
		for _, c := range all {
			c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		}
	}
	for name := range known {
		if !told[name] {
			t.Errorf("no page tells of --%s", name)
		}
	}
	// Elsewhere flags of other programs are told of too, and commands of ours checked above.
	for _, p := range pages(t) {
		for _, m := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(p.text, -1) {
			if (p.name == "README.md" || p.name == "docs/commands.md") && !known[m[1]] {
				t.Errorf("%s tells of --%s, which does not exist", p.name, m[1])
			}
		}
	}
	at := slices.IndexFunc(pages(t), func(p page) bool { return p.name == "docs/commands.md" })
	codes := regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \|$`).FindAllStringSubmatch(strings.ReplaceAll(pages(t)[at].text, "`", ""), -1)
	all := exit.Meanings()
	if len(codes) != len(all) {
		t.Fatalf("%d exit codes, not %d", len(codes), len(all))
	}
	for i, m := range all {
		if codes[i][1] != fmt.Sprint(int(m.Code)) || codes[i][2] != m.Text {
			t.Errorf("exit code %s: %s; not %d: %s", codes[i][1], codes[i][2], m.Code, m.Text)
		}
	}
}

// The job sets (yaml) and plan files (json) shown on the pages are read without
// complaint, and the limits are those of the program.
func TestPagesFormats(t *testing.T) {
	testkit.OneGoroutine(t)
	sets, plans := 0, 0
	for _, p := range pages(t) {
		for _, text := range p.blocks("yaml") {
			sets++
			if _, err := jobfile.Load(p.name, []byte(text)); err != nil {
				t.Error(err)
			}
		}
		for _, text := range p.blocks("json") {
			plans++
			in := json.NewDecoder(strings.NewReader(text))
			in.DisallowUnknownFields()
			var plan model.Plan
			if err := in.Decode(&plan); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
			if _, err := in.Token(); err != io.EOF {
				t.Errorf("%s: text after the plan: %v", p.name, err)
			}
		}
	}
	if sets == 0 || plans == 0 {
		t.Errorf("%d job sets and %d plan files found", sets, plans)
	}
	for _, limit := range []string{
		fmt.Sprintf("%d million clauses", exact.DefaultMaxClauses/1_000_000),
		fmt.Sprintf("%d MB", files.MaxInput>>20),
		"a weight up to 1000000",
		fmt.Sprintf("%d ticks", model.MaxTime),
	} {
		if !strings.Contains(strings.Join(strings.Fields(allText(t)), " "), limit) {
			t.Errorf("no page says %q", limit)
		}
	}
}

// The tests that the pages tell how to lengthen look for what they say.
func TestPagesLongTests(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| `(?:(DOWNBEAT_\\w+)=\\d+ )?go test \\./(\\S+)(?: -(?:fuzz|run) (\\w+)| -(\\w+) \\d+)?` \\|").
		FindAllStringSubmatch(allText(t), -1)
	if len(rows) == 0 {
		t.Fatal("no page tells of long tests")
	}
	for _, row := range rows {
		folder, below := strings.CutSuffix(row[2], "...")
		folder = filepath.Join(root, folder)
		var tests strings.Builder
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && path != folder && !below:
				return fs.SkipDir
			case strings.HasSuffix(path, "_test.go"):
				src, err := os.ReadFile(path)
				tests.Write(src)
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{row[1], row[3], row[4]} {
			if !strings.Contains(tests.String(), word) {
				t.Errorf("%s: nothing in %s knows %q", row[0], row[2], word)
			}
		}
	}
}

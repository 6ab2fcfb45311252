package inference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codeLines counts the lines of code of a file of this package, behind its imports and without comments,
// and lists what it imports.
func codeLines(t *testing.T, path string) (lines int, imports []string) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	end := file.Name.End()
	for _, d := range file.Decls {
		if g, is := d.(*ast.GenDecl); is && g.Tok == token.IMPORT {
			end = g.End()
		}
	}
	for _, i := range file.Imports {
		of, _ := strconv.Unquote(i.Path.Value)
		imports = append(imports, of)
	}
	for line := range strings.Lines(string(src[files.Position(end).Offset:])) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "//") {
			lines++
		}
	}
	return lines, imports
}

var (
	fileName  = regexp.MustCompile("`([a-z_]+)`")
	lineCount = regexp.MustCompile(`^ \d+ $`)
	figure    = regexp.MustCompile(`[0-9][0-9,]*`)
)

// counted checks that files have as many lines of code as a text says, and gives that.
func counted(t *testing.T, text, files string) (paths []string, total int) {
	for _, m := range fileName.FindAllStringSubmatch(files, -1) {
		path := m[1] + ".go"
		lines, _ := codeLines(t, path)
		paths, total = append(paths, path), total+lines
	}
	if said, _ := strconv.Atoi(strings.ReplaceAll(text, ",", "")); said != total {
		t.Errorf("docs/proof.md says %s lines of %v, which have %d", text, paths, total)
	}
	return paths, total
}

// TestTrusted keeps what is trusted small and apart from all that makes proofs, and what docs/proof.md says of it
// true: which files check proof files, what each rule is checked by, and how many lines that is.
func TestTrusted(t *testing.T) {
	// A sceptic is to read no more than this of the checker of files; and the arguments as data are no longer than that.
	const most, mostData = 4050, 2100
	page, err := os.ReadFile("../../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## What a sceptic has to read\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var paths []string
	var ruled string
	total := 0
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && lineCount.MatchString(cells[2]) {
			of, lines := counted(t, strings.TrimSpace(cells[2]), cells[1])
			paths, total, ruled = append(paths, of...), total+lines, ruled+cells[3]
		}
	}
	for name := range rules {
		if !strings.Contains(ruled, "`"+name+"`") {
			t.Errorf("docs/proof.md does not say which file checks %s", name)
		}
	}
	if said := figure.FindString(section); strings.ReplaceAll(said, ",", "") != strconv.Itoa(total) || total > most {
		t.Errorf("a sceptic reads %d lines, docs/proof.md says %s, of at most %d", total, said, most)
	}
	_, rest, _ := strings.Cut(section, "no proof file rests on: ")
	rest, lines, _ := strings.Cut(rest, " (")
	data, dataLines := counted(t, figure.FindString(lines), rest)
	if dataLines > mostData {
		t.Errorf("%d lines check arguments as data, more than %d", dataLines, mostData)
	}
	all, _ := filepath.Glob("*.go")
	all = slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	if listed := slices.Sorted(slices.Values(slices.Concat(paths, data, []string{"doc.go"}))); !slices.Equal(all, listed) {
		t.Errorf("docs/proof.md lists %v of %v", listed, all)
	}
	for _, path := range all {
		_, imports := codeLines(t, path)
		for _, of := range imports {
			if strings.Contains(of, ".") || strings.HasPrefix(of, "downbeat/") && of != "downbeat/model" && of != "downbeat/model/proof" {
				t.Errorf("%s imports %s", path, of)
			}
		}
	}
	if text, err := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", os.DevNull}, paths...)...).CombinedOutput(); err != nil {
		t.Errorf("what a sceptic reads does not compile without the rest: %v\n%s", err, text)
	}
	t.Logf("%d lines check proof files, %d arguments as data", total, dataLines)
}

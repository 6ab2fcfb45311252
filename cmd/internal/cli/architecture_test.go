package cli

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// architecture is docs/architecture.md, which says where things are and where they go.
func architecture(t *testing.T) string {
	src, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// tableBelow are the cells of the rows of the first table behind a text.
func tableBelow(t *testing.T, page, text string) [][]string {
	_, below, ok := strings.Cut(page, text)
	_, table, _ := strings.Cut(below, "|---|")
	var rows [][]string
	for line := range strings.Lines(table[min(len(table), strings.Index(table, "\n")+1):]) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	if !ok || len(rows) == 0 {
		t.Fatalf("no table below %q", text)
	}
	return rows
}

// spans are what stands in a cell as code.
func spans(cell string) []string {
	var all []string
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		all = append(all, m[1])
	}
	return all
}

// sources are the files that the program is made of, without tests, by their paths from the
// root: Go, and what is embedded in it.
func sources(t *testing.T) map[string]string {
	files := map[string]string{}
	top := os.DirFS(root)
	err := fs.WalkDir(top, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if entry.Name() == "testdata" || entry.Name() == "docs" || name != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			if _, err := fs.Stat(top, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // a module of its own
			}
		case slices.Contains([]string{".go", ".json", ".js"}, path.Ext(name)) && !strings.HasSuffix(name, "_test.go"):
			src, err := fs.ReadFile(top, name)
			files[name] = string(src)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The page has a line for every package, and for nothing else.
func TestArchitecturePackages(t *testing.T) {
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([\\w/]+)` \\| [^|]+ \\|$").FindAllStringSubmatch(packageTables(architecture(t)), -1) {
		if told[m[1]] {
			t.Errorf("%s has two lines", m[1])
		}
		told[m[1]] = true
	}
	there := map[string]bool{"examples": true} // which has a test alone
	for name := range sources(t) {
		if path.Ext(name) == ".go" {
			there[path.Dir(name)] = true
		}
	}
	for dir := range there {
		if !told[dir] {
			t.Errorf("docs/architecture.md does not tell what %s is for", dir)
		}
	}
	for dir := range told {
		if !there[dir] {
			t.Errorf("the page tells of %s, which is not there", dir)
		}
	}
}

// packageTables is the part of the page with the packages.
func packageTables(page string) string {
	_, from, _ := strings.Cut(page, "\n**")
	tables, _, _ := strings.Cut(from, "\n## ")
	return tables
}

// A floor is some packages: those of the longest of these paths that a package is at or below.
type floor struct {
	path string
	sees func(other string) bool // whether packages of another floor may be imported
}

// floors are those of the page.
func floors(t *testing.T) []floor {
	var all []floor
	for _, row := range tableBelow(t, architecture(t), "## The floors") {
		sees := spans(row[1])
		f := floor{path: spans(row[0])[0]}
		switch {
		case strings.HasPrefix(row[1], "all but"):
			f.sees = func(other string) bool { return !slices.Contains(sees, other) }
		default:
			f.sees = func(other string) bool { return slices.Contains(sees, other) }
		}
		all = append(all, f)
	}
	return all
}

// of is the floor of a package.
func of(floors []floor, pkg string) *floor {
	var best *floor
	for i := range floors {
		f := &floors[i]
		below := strings.TrimSuffix(f.path, "/...")
		if (pkg == below && below == f.path || strings.HasPrefix(pkg, below+"/")) && (best == nil || len(f.path) > len(best.path)) {
			best = f
		}
	}
	return best
}

// Imports point downward, from floor to floor as the page has them.
func TestArchitectureFloors(t *testing.T) {
	all := floors(t)
	looked := 0
	for name, src := range sources(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		here := of(all, path.Dir(name))
		if here == nil {
			t.Errorf("%s is on no floor", name)
			continue
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			pkg, ours := strings.CutPrefix(imported, "downbeat/")
			if !ours {
				continue
			}
			looked++
			if there := of(all, pkg); there == nil || there != here && !here.sees(there.path) && !(there.path == "model/..." && here.sees(pkg)) {
				t.Errorf("%s imports %s, which %s does not see", name, pkg, here.path)
			}
		}
	}
	if looked < 500 {
		t.Errorf("only %d imports looked at", looked)
	}
}

// What has to be touched to add something is what an existing member has touched: the files
// of a row are those in which the words of its member stand, and as many as it says.
func TestArchitectureToAdd(t *testing.T) {
	files := sources(t)
	rows := tableBelow(t, architecture(t), "## To add something")
	if len(rows) < 8 {
		t.Errorf("only %d rows", len(rows))
	}
	for _, row := range rows {
		told, words := spans(row[2]), spans(row[3])
		if row[1] != strconv.Itoa(len(told)) {
			t.Errorf("%s: %s files, and %d are named", row[0], row[1], len(told))
		}
		touched := map[string]bool{}
		for name, src := range files {
			if strings.HasPrefix(name, "internal/testkit/") || !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(src, w) }) {
				continue
			}
			if dir := path.Dir(name); slices.Contains(told, dir) {
				name = dir
			}
			touched[name] = true
			if !slices.Contains(told, name) {
				t.Errorf("%s: the page does not name %s", row[0], name)
			}
		}
		for _, name := range told {
			if !touched[name] {
				t.Errorf("%s: %s has none of %q", row[0], name, words)
			}
		}
	}
}

package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
)

var (
	docLink  = regexp.MustCompile(`\[((?:[a-z]\w*\.)?[A-Z]\w+)\](?:[^(]|$)`)
	fileName = regexp.MustCompile(`(?:^|[\s(])((?:[\w-]+/)*\w+\.go)\b`)
)

// What comments lead to is there: names in brackets are declared in the package, or in one of
// that name, and files are in the folder or the one above it, below the root or model, or among
// the strategies.
func TestCommentsLeadSomewhere(t *testing.T) {
	testkit.OneGoroutine(t)
	declared := map[string]map[string]bool{}
	parsed := map[string]*ast.File{}
	for name, src := range sources(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed[name] = file
		names := declared[file.Name.Name]
		if names == nil {
			names = map[string]bool{}
			declared[file.Name.Name] = names
		}
		declare(file, names)
	}
	links, files := 0, 0
	for name, file := range parsed {
		for _, group := range file.Comments {
			text := group.Text()
			for _, m := range docLink.FindAllStringSubmatch(text, -1) {
				links++
				pkg, of, qualified := strings.Cut(m[1], ".")
				if !qualified {
					pkg, of = file.Name.Name, m[1]
				}
				if names := declared[pkg]; names != nil && !names[of] {
					t.Errorf("%s: [%s] leads nowhere", name, m[1])
				}
			}
			for _, m := range fileName.FindAllStringSubmatch(text, -1) {
				files++
				here := path.Dir(name)
				if !slices.ContainsFunc([]string{here, path.Dir(here), path.Join(here, "strategy"), "model", ""}, func(dir string) bool { return isFile(dir, m[1]) }) {
					t.Errorf("%s: there is no %s", name, m[1])
				}
			}
		}
	}
	if links < 200 || files < 100 {
		t.Errorf("only %d names and %d files found", links, files)
	}
}

// declare adds what a file declares at its top.
func declare(file *ast.File, names map[string]bool) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[d.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names[n.Name] = true
					}
				}
			}
		}
	}
}

func isFile(dir, name string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(path.Join(dir, name))))
	return err == nil
}

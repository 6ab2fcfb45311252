package inference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
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

// TestTrusted keeps what is trusted small, and apart from all that makes proofs.
func TestTrusted(t *testing.T) {
	// Of both the checker of files and that of arguments as data, with 100 that tell observers and decide nothing.
	const most = 4840
	paths, _ := filepath.Glob("*.go")
	total := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		lines, imports := codeLines(t, path)
		total += lines
		for _, of := range imports {
			if strings.Contains(of, ".") || strings.HasPrefix(of, "downbeat/") && of != "downbeat/model" && of != "downbeat/model/proof" {
				t.Errorf("%s imports %s", path, of)
			}
		}
	}
	if total > most {
		t.Errorf("%d lines of code, more than %d", total, most)
	}
	t.Logf("%d lines of code", total)
}

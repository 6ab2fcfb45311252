package workload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"
	"downbeat/online/external"
)

// File is a workload of one's own: a job set file whose figures may be distributions, and whose jobs may
// be kinds of jobs that arrive by a process. Whatever a job set can say, a workload file can, since what is
// drawn is read as job sets are. Safe for concurrent use once it is read.
type File struct {
	path  string
	src   []byte
	root  *yaml.Node
	about string
	// given are values that the text of the workload has in place of the file's, with what it says.
	given   map[*yaml.Node]string
	columns *columns
}

// maxFile is the length of a workload file, in bytes.
const maxFile = 4 << 20

// filePath tells a workload that is a file by its ending, or by a slash in its name, from one with a name;
// rest is what follows, with its colon.
var filePath = regexp.MustCompile(`(?i)^([^:]*\.(?:ya?ml|json)|[^:]*/[^:]*)(:.*)?$`)

// IsFile reports whether the text of a workload names a file, and which.
func IsFile(spec string) (path string, is bool) {
	if strings.HasPrefix(spec, external.Prefix) {
		return "", false
	}
	m := filePath.FindStringSubmatch(spec)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// openFile reads a workload file, but for how its parts go together.
func openFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathFault(path, err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, pathFault(path, err)
	}
	return readFile(path, src)
}

func pathFault(path string, err error) error {
	var where *fs.PathError
	if errors.As(err, &where) {
		err = where.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// readFile is openFile of a text.
func readFile(path string, src []byte) (*File, error) {
	w := &File{path: path, src: src, given: map[*yaml.Node]string{}, columns: &columns{}}
	r := document.NewReader("workload", src)
	if r.Fits(maxFile, "let figures be drawn") {
		w.root = r.Parse(jobfile.IsJSON(path, r.Source()), "let figures be drawn")
	}
	if err := r.Err(path); err != nil {
		return nil, err
	}
	for i, n := range w.root.Content {
		if i%2 == 0 && n.Value == "workload" && i+1 < len(w.root.Content) {
			w.about = document.Deref(w.root.Content[i+1]).Value
		}
	}
	return w, nil
}

// leaf is a value of the file that a text can set.
type leaf struct {
	w    *File
	node *yaml.Node
	name string
}

func (v leaf) set(text string) string {
	var doc yaml.Node
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if yaml.Unmarshal([]byte(text), &doc) == nil && len(doc.Content) == 1 && doc.Content[0].Kind == yaml.ScalarNode {
		n = doc.Content[0]
	}
	v.node.Value, v.node.Tag, v.node.Style = n.Value, n.Tag, 0
	v.w.given[v.node] = v.name + "=" + text
	return ""
}

// takes is empty: what a value may be, readers of the file say.
func (leaf) takes() string { return "" }

func (v leaf) String() string { return v.node.Value }

// fixed are fields that no text sets: what the file is, and names.
var fixed = []string{"version", "workload", "name"}

// params are all plain values of the file by the names of the fields that lead to them, with dots between; in
// lists by the name of the part, or its number from 1. A remark beside a value is its help.
func (w *File) params() []param {
	var out []param
	seen := map[*yaml.Node]bool{}
	var walk func(n *yaml.Node, name, remark string)
	walk = func(n *yaml.Node, name, remark string) {
		n = document.Deref(n)
		if seen[n] {
			return // an anchor is set where it stands
		}
		seen[n] = true
		switch n.Kind {
		case yaml.ScalarNode:
			out = append(out, param{name: name, help: help(remark, n), value: leaf{w, n, name}})
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key, value := document.Deref(n.Content[i]), n.Content[i+1]
				if !slices.Contains(fixed, key.Value) && plainName.MatchString(key.Value) {
					own := remarkOf(key, value)
					if own == "" && key.Line == n.Line { // all of a line have its remark
						own = remark
					}
					walk(value, join(name, key.Value), own)
				}
			}
		case yaml.SequenceNode:
			for i, item := range n.Content {
				walk(item, join(name, partName(item, i)), "")
			}
		}
	}
	walk(w.root, "", "")
	return out
}

// plainName is a name that can stand in the name of a parameter.
var plainName = regexp.MustCompile(`^[\p{L}\p{N}_-]+$`)

func join(name, part string) string {
	if name == "" {
		return part
	}
	return name + "." + part
}

// partName is the name of an item of a list, or its number.
func partName(item *yaml.Node, i int) string {
	if n := field(document.Deref(item), "name"); n != nil && plainName.MatchString(n.Value) {
		return n.Value
	}
	return fmt.Sprint(i + 1)
}

// field is the value of a mapping's field of that name, nil where there is none.
func field(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return document.Deref(n.Content[i+1])
		}
	}
	return nil
}

// remarkOf is the comment beside a field.
func remarkOf(key, value *yaml.Node) string {
	for _, text := range []string{value.LineComment, key.LineComment} {
		if text = strings.TrimSpace(strings.TrimLeft(text, "# ")); text != "" {
			return text
		}
	}
	return ""
}

func help(remark string, n *yaml.Node) string {
	if remark != "" {
		return remark
	}
	return fmt.Sprintf("as in line %d", n.Line)
}

// Assumptions is empty: the file says all.
func (w *File) Assumptions() []string { return nil }

// check draws one job of each kind.
func (w *File) check() error {
	_, err := w.drawn(context.Background(), 1, true)
	return err
}

// Generate draws the set of the seed.
func (w *File) Generate(seed uint64) (*model.JobSet, error) {
	return w.drawn(context.Background(), seed, false)
}

func (w *File) generate(ctx context.Context, seed uint64, _ *Programs) (*model.JobSet, error) {
	return w.drawn(ctx, seed, false)
}

// fault is the first fault at a value that a text has given, in the words of the text, else the error itself.
func (w *File) fault(err error) error {
	var faults *document.Faults
	if !errors.As(err, &faults) {
		return err
	}
	for _, f := range faults.List {
		for n, text := range w.given {
			if n.Line == f.Line && n.Column == f.Column {
				return fmt.Errorf("%s: %s", text, f)
			}
		}
	}
	return err
}

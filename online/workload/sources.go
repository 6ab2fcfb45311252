package workload

import (
	"context"
	"fmt"
	"path/filepath"

	"gopkg.in/yaml.v3"

	"downbeat/model/files/document"
	"downbeat/online/external"
)

// Sources are what the job sets of a workload depend on beside its text, each with the digest of its contents: a workload
// file and its tables, or a trace, by their paths, a program by its label or command. There are none of workloads
// that are built in. An error is a fault of the text, a file that cannot be read, or that of ctx.
func Sources(ctx context.Context, spec string) (map[string]string, error) {
	w, _, err := read(spec)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	switch g := w.gen.(type) {
	case *Exec:
		name, _ := cut(Shown(spec))
		out[name], err = external.Digest(ctx, g.command)
		return out, err
	case interface{ paths() []string }:
		for _, path := range g.paths() {
			if out[path], err = external.FileDigest(path); err != nil {
				return nil, fmt.Errorf("workload %s: %w", w.name, pathFault(path, err))
			}
		}
	}
	return out, nil
}

// paths are the trace's.
func (w *SWIM) paths() []string { return []string{w.File} }

// paths are that of the file and those of its tables.
func (w *File) paths() []string {
	out := []string{w.path}
	seen := map[*yaml.Node]bool{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n = document.Deref(n); seen[n] {
			return
		}
		seen[n] = true
		if table := field(n, csvWord); table != nil {
			if file := field(table, "file"); file != nil {
				out = append(out, beside(w.path, file.Value))
			}
		}
		for _, part := range n.Content {
			walk(part)
		}
	}
	walk(w.root)
	return out
}

// beside is a path that counts from the folder of the file that names it.
func beside(from, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(from), path)
}

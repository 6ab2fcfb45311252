package workload

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"downbeat/model/near"
	"downbeat/online/external"
)

// Parse reads the text form of a workload: a name, and after a colon
// parameters as name=value with commas between them. A value that holds a
// comma or a quote stands in double quotes, as Go would write it. Every
// workload has the parameter seed. Presets (platform=guarantee) count before all
// other parameters, wherever they stand. In place of a name there may be the path of a workload
// file, or exec: and a command, which may have a label before it: LABEL=exec:COMMAND. Errors name the workload, the
// parameter and what is wanted.
func Parse(spec string) (Workload, error) {
	w, _, err := read(spec)
	if err != nil {
		return Workload{}, err
	}
	if err := w.gen.check(); err != nil {
		return Workload{}, fmt.Errorf("workload %s: %w", w.name, err)
	}
	return w, nil
}

// read is Parse without a look at whether the parameters go together.
func read(spec string) (Workload, Info, error) {
	name, rest := cut(spec)
	w, info, err := begin(name)
	if err != nil {
		return Workload{}, Info{}, err
	}
	settings, err := split(rest)
	if p, open := w.gen.(*Exec); open && err == nil {
		p.declare(settings)
	}
	if err == nil {
		err = w.apply(settings)
	}
	if err != nil {
		return Workload{}, Info{}, fmt.Errorf("workload %s: %w", w.name, err)
	}
	return w, info, nil
}

// begin is the workload of a name, of a file or of a command, without parameters.
func begin(name string) (Workload, Info, error) {
	if path, is := IsFile(name); is {
		file, err := openFile(path)
		if err != nil {
			return Workload{}, Info{}, err
		}
		base := filepath.Base(path)
		return Workload{name: strings.TrimSuffix(base, filepath.Ext(base)), seed: 1, gen: file}, Info{path, file.about}, nil
	}
	var names []string
	for _, e := range catalog() {
		if e.Name == name {
			return Workload{name: name, seed: 1, gen: e.make()}, e.Info, nil
		}
		names = append(names, e.Name)
	}
	label, command := labelled(name)
	if strings.HasPrefix(command, external.Prefix) {
		program, err := newProgram(command)
		if slices.Contains(names, label) {
			err = fmt.Errorf("%s: %s is a workload; take another label", name, label)
		}
		if err != nil {
			return Workload{}, Info{}, err
		}
		return Workload{name: cmp.Or(label, execName), seed: 1, gen: program}, Info{name, "as a program says, which is given the seed and all parameters"}, nil
	}
	return Workload{}, Info{}, fmt.Errorf("unknown workload %q%s; one of your own is a file, with .yaml or a slash in its name, or exec:COMMAND", name, near.Hint(name, names))
}

// cut takes what a workload is and its parameters apart.
func cut(spec string) (name, parameters string) {
	if path, is := IsFile(spec); is {
		return path, strings.TrimPrefix(spec[len(path):], ":")
	}
	if _, text := labelled(spec); strings.HasPrefix(text, external.Prefix) {
		return cutCommand(spec)
	}
	name, parameters, _ = strings.Cut(spec, ":")
	return strings.TrimSpace(name), parameters
}

// Shown is the text of a workload as it stands in what is said and written: with its label in place of a command.
func Shown(spec string) string {
	label, _ := labelled(spec)
	what, _ := cut(spec)
	if label == "" {
		return spec
	}
	return label + spec[len(what):]
}

// With is the text of a workload with one parameter more.
func With(spec, name, value string) string {
	what, parameters := cut(spec)
	separator := ","
	if parameters == "" {
		spec, separator = what, ":"
	}
	if strings.ContainsAny(value, ",\"") {
		value = strconv.Quote(value)
	}
	return spec + separator + name + "=" + value
}

// Without is the text of a workload without a parameter.
func Without(spec, name string) string {
	what, parameters := cut(spec)
	settings, err := split(parameters)
	if err != nil {
		return spec
	}
	for _, s := range settings {
		if s.name != name {
			what = With(what, s.name, s.value)
		}
	}
	return what
}

// seedParam is the parameter that all workloads have.
func seedParam(seed *uint64) param {
	return param{name: "seed", help: "number that fixes every draw; a bench has --seeds in its place", value: seedValue{seed}}
}

// setting is one name=value of the text.
type setting struct{ name, value string }

// split takes the text after the colon apart.
func split(text string) ([]setting, error) {
	var out []setting
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, after, found := strings.Cut(text, "=")
		if !found || strings.ContainsAny(name, ",\"") {
			part, _, _ := strings.Cut(text, ",")
			return nil, fmt.Errorf("%q is not of the form name=value", part)
		}
		s := setting{name: strings.TrimSpace(name)}
		after = strings.TrimSpace(after)
		if quoted, err := strconv.QuotedPrefix(after); err == nil && quoted[0] == '"' {
			s.value, _ = strconv.Unquote(quoted) // QuotedPrefix has checked it
			text = strings.TrimSpace(after[len(quoted):])
			if text != "" && text[0] != ',' {
				return nil, fmt.Errorf("after %s=%s stands %q; want a comma or the end", s.name, quoted, text)
			}
			text = strings.TrimPrefix(text, ",")
		} else {
			s.value, text, _ = strings.Cut(after, ",")
			s.value = strings.TrimSpace(s.value)
		}
		out = append(out, s)
	}
	return out, nil
}

// apply sets the parameters, presets first.
func (w *Workload) apply(settings []setting) error {
	params := append(w.gen.params(), seedParam(&w.seed))
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.name
	}
	var early, late []func() error
	seen := map[string]bool{}
	for _, s := range settings {
		at := slices.Index(names, s.name)
		if at < 0 {
			return fmt.Errorf("unknown parameter %q%s", s.name, near.Hint(s.name, names))
		}
		if seen[s.name] {
			return fmt.Errorf("parameter %s is given twice", s.name)
		}
		seen[s.name] = true
		set := func() error {
			if want := params[at].value.set(s.value); want != "" {
				return fmt.Errorf("%s=%s: want %s", s.name, s.value, want)
			}
			return nil
		}
		if params[at].preset {
			early = append(early, set)
		} else {
			late = append(late, set)
		}
	}
	for _, set := range append(early, late...) {
		if err := set(); err != nil {
			return err
		}
	}
	return nil
}

// Manual writes what a packager installs beside the program: manual pages of the
// commands and of the help topics, and completions for shells. All of it comes from the
// commands themselves.

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// writeManual makes man1, man7 and completions in a folder, which is made where there is none,
// and answers with the files. The program is used up by it: texts are laid out anew. The
// date and version stand at the foot of each page.
func writeManual(program *cobra.Command, dir string, date time.Time, version string) ([]string, error) {
	w := writer{dir: dir, date: date, source: strings.TrimSpace(program.Name() + " " + version)}
	layOut(program)
	w.commands(program)
	for _, cmd := range program.Commands() {
		if cmd.IsAdditionalHelpTopicCommand() {
			w.topic(program.Name(), cmd)
		}
	}
	w.completions(program)
	return w.files, w.err
}

// writer writes pages until one cannot be written.
type writer struct {
	dir    string
	date   time.Time
	source string
	files  []string
	err    error
}

// file writes a file below the folder.
func (w *writer) file(name string, write func(*bytes.Buffer) error) {
	if w.err != nil {
		return
	}
	var text bytes.Buffer
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if w.err = write(&text); w.err != nil {
		return
	}
	if w.err = os.MkdirAll(filepath.Dir(path), 0o777); w.err != nil {
		return
	}
	w.files = append(w.files, name)
	w.err = os.WriteFile(path, text.Bytes(), 0o666)
}

// commands writes a page for a command, and for each below it.
func (w *writer) commands(cmd *cobra.Command) {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	w.file("man1/"+name+".1", func(text *bytes.Buffer) error {
		return doc.GenMan(cmd, &doc.GenManHeader{
			Title: strings.ToUpper(name), Section: "1", Date: &w.date, Source: w.source, Manual: "User commands",
		}, text)
	})
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			w.commands(c)
		}
	}
}

// topic writes the page of a help topic as help prints it.
func (w *writer) topic(program string, cmd *cobra.Command) {
	name := program + "-" + cmd.Name()
	w.file("man7/"+name+".7", func(text *bytes.Buffer) error {
		var help bytes.Buffer
		cmd.SetOut(&help)
		if err := cmd.Help(); err != nil {
			return err
		}
		_, body, _ := strings.Cut(help.String(), "\n\n")
		page := fmt.Sprintf("%% %q %q %q %q %q\n# NAME\n%s - %s\n\n# DESCRIPTION\n```\n%s```\n\n# SEE ALSO\n**%s(1)**\n",
			strings.ToUpper(name), "7", w.date.Format("Jan 2006"), w.source, "Help topics", name, cmd.Short, body, program)
		text.Write(md2man.Render([]byte(page)))
		return nil
	})
}

// completions writes what shells complete calls by.
func (w *writer) completions(program *cobra.Command) {
	name := program.Name()
	for _, shell := range []struct {
		file  string
		write func(*bytes.Buffer) error
	}{
		{name + ".bash", func(text *bytes.Buffer) error { return program.GenBashCompletionV2(text, true) }},
		{"_" + name, func(text *bytes.Buffer) error { return program.GenZshCompletion(text) }},
		{name + ".fish", func(text *bytes.Buffer) error { return program.GenFishCompletion(text, true) }},
		{name + ".ps1", func(text *bytes.Buffer) error { return program.GenPowerShellCompletionWithDesc(text) }},
	} {
		w.file("completions/"+shell.file, shell.write)
	}
}

// layOut fences lists in the texts of commands, which are indented by two columns, so that
// pages keep them line by line.
func layOut(cmd *cobra.Command) {
	var lines []string
	within := false
	for line := range strings.SplitSeq(cmd.Long, "\n") {
		if listed := strings.HasPrefix(line, "  "); listed != within {
			lines, within = append(lines, "```"), listed
		}
		lines = append(lines, line)
	}
	if within {
		lines = append(lines, "```")
	}
	cmd.Long = strings.Join(lines, "\n")
	for _, c := range cmd.Commands() {
		layOut(c)
	}
}

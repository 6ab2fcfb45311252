package options

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/model/files/document"
	"downbeat/solve/capacity"
)

// Parts are the flags of commands of which the work has pieces that do not depend on each other: a
// journal keeps them, and several processes share them.
type Parts struct {
	shardText, path string
	joined          []string
	shard           journal.Shard
	pieces          *journal.Pieces
}

// PartsAbout tells of them, with what the pieces are.
func PartsAbout(pieces string) string {
	return `
With --resume the work is done in pieces, ` + pieces + `, which have nothing to do
with each other: each has its part of the budget or of the time, and what came of it is kept in a
journal, so that a call that was killed goes on where it was. --shard I/N does the I-th part of
the pieces, on this machine or another; the same call with --join and the journals of all
parts, or the folder that they are in, prints what one process prints that does all of them.
`
}

// AddFlags registers the flags.
func (o *Parts) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.shardText, "shard", "", "with --resume, do every N-th piece of the work only, from the I-th on: I/N; 0/N is N/N")
	f.StringVar(&o.path, "resume", "", "do the work in pieces, keep in this journal what came of each, and go on from what it holds")
	f.StringArrayVar(&o.joined, "join", nil, "answer from the pieces in this journal, or in those of this folder; may be repeated")
}

// Wanted reports whether the work is to be done in pieces.
func (o *Parts) Wanted() bool { return o.path != "" || len(o.joined) > 0 }

// Check tells flags that go ill together.
func (o *Parts) Check(cmd *cobra.Command) error {
	if bad := func(path string) bool { return path == "" || path == "-" }; cmd.Flags().Changed("resume") && bad(o.path) || slices.ContainsFunc(o.joined, bad) {
		return usage.Errorf("--resume and --join need names of files")
	}
	if cmd.Flags().Changed("shard") {
		var err error
		if o.shard, err = journal.ParseShard(o.shardText); err != nil {
			return usage.Errorf("--shard: %v", err)
		}
	}
	switch {
	case o.shard.Count > 0 && len(o.joined) > 0:
		return usage.Errorf("--join puts together what all shards have done; leave --shard out")
	case o.shard.Count > 0 && o.path == "":
		return usage.Errorf("--shard %s does a part of the work, which a journal has to keep; add --resume shard-%d.jsonl", o.shard, o.shard.Index)
	}
	return nil
}

// Open opens the journals of a call: of a command, a job set and flags that matter. It is to be
// closed.
func (o *Parts) Open(command, digest string, flags []journal.Flag, note func(format string, args ...any)) error {
	if !o.Wanted() {
		return nil
	}
	var joined []string
	for _, path := range o.joined {
		list, err := files.Journals(path)
		if err != nil {
			return err
		}
		joined = append(joined, list...)
	}
	var err error
	o.pieces, err = journal.OpenPieces(o.path, joined, journal.Call{Command: command, Program: version.String(), Set: digest, Flags: flags}, o.shard)
	if err != nil {
		return JournalFault("", err)
	}
	for _, place := range o.pieces.Torn {
		note("%s: this line was cut off while it was written; it is done again", place)
	}
	return nil
}

// JournalFault is what is wrong with a journal, as a fault of the call; flag is what it was
// named with.
func JournalFault(flag string, err error) error {
	var mismatch *journal.Mismatch
	var damage *journal.Fault
	var disk *fs.PathError
	switch {
	case errors.As(err, &mismatch):
		return usage.Errorf("%s%v", flag, mismatch)
	case errors.As(err, &damage):
		return usage.Located(err)
	case errors.As(err, &disk):
		return files.Error(disk.Path, err)
	}
	return err
}

// Keep is where a question is asked in pieces, nil where it is asked at once.
func (o *Parts) Keep() capacity.Pieces {
	if o.pieces == nil {
		return nil
	}
	return o.pieces
}

// Pieces are those of the call, nil where the work is done at once.
func (o *Parts) Pieces() *journal.Pieces { return o.pieces }

// Close closes the journal.
func (o *Parts) Close() error { return o.pieces.Close() }

// Finish tells what is missing, once all that could be done has been. Over tells that there is
// no answer to print: that of a shard is its journal, and a part of an answer is none. The error is
// the exit code then.
func (o *Parts) Finish(a *Answer) (over bool, err error) {
	missing := o.pieces.Missing()
	if o.shard.Count > 0 {
		known, wanted := o.pieces.Known()
		switch {
		case wanted == 0 && len(missing) == 0:
			return false, nil // there was nothing to share
		case known < wanted:
			a.Note("shard %s: %d of %d pieces are missing; the same call goes on from %s", o.shard, wanted-known, wanted, o.path)
			return true, exit.Unknown
		}
		_, err := fmt.Fprintf(a.IO.Out, "shard %s: what came of its %s is in %s; --join puts the shards together\n", o.shard, document.Plural(wanted, "piece"), o.path)
		return true, usage.Output(err)
	}
	if len(missing) == 0 {
		return false, nil
	}
	for _, line := range missing {
		a.Note("%s", line)
	}
	if o.path == "" {
		a.Note("--resume JOURNAL besides does what is missing")
		return true, exit.Unknown
	}
	a.Note("the same call goes on from %s", o.path)
	return false, nil
}

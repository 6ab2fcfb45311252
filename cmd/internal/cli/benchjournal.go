package cli

import (
	"errors"
	"io/fs"

	"downbeat/cmd/internal/bench/cells"
	"downbeat/cmd/internal/bench/journal"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/usage"
)

// openJournal opens the journal that was named, nil if none was.
func (o *benchOptions) openJournal(p *benchPlan) (*cells.Store, error) {
	if o.journal == "" {
		return nil, nil
	}
	store, err := cells.Open(o.journal, p.config.Conditions(), p.asked)
	if err != nil {
		return nil, journalFault("--resume ", err)
	}
	o.torn(store, "it is done again")
	held := 0
	for _, s := range p.sets {
		if store.Find(s.ID) != nil {
			held++
		}
	}
	if held > 0 {
		o.Note("%s holds %d of %d job sets already", o.journal, held, len(p.sets))
	}
	return store, nil
}

// journalFault is what is wrong with a journal, as a fault of the call; flag is what it was
// named with.
func journalFault(flag string, err error) error {
	var mismatch *cells.Mismatch
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

// torn tells of journals whose last line was being written.
func (o *cellOptions) torn(store *cells.Store, so string) {
	for _, place := range store.Torn {
		o.Note("%s: this line was cut off while it was written; %s", place, so)
	}
}

package trace

// AttemptState is what has become of an attempt.
type AttemptState uint8

// States of attempts. Of one that waits nothing has happened yet; one that failed came to
// nothing, and its task runs again or not at all.
const (
	Waiting AttemptState = iota
	Running
	Finished
	Failed
)

// String is the word that tables of runs have for it.
func (s AttemptState) String() string {
	return [...]string{"PENDING", "RUNNING", "COMPLETED", "FAILED"}[s]
}

// Attempt is what an engine says of one try to run a task, which may be under way.
type Attempt struct {
	// Label is what the engine carries of whoever submitted it: a comment, a name, an annotation;
	// empty for none.
	Label string
	// Job and Stage are the engine's own names, empty where it has none; they count where there
	// is no label.
	Job, Stage string
	// Others are names that the job may have besides, such as that of which it is a run; one that
	// has them counts only for tasks that began when the job was released, or later.
	Others []string
	// Task is its number within the stage, from 1, where the engine numbers tasks; 0 where it
	// does not.
	Task int
	// Host is the machine, empty where that is not told.
	Host  string
	State AttemptState
	// Start and Finish are in milliseconds since 1970 in UTC; Unknown for what has not happened,
	// or is not told.
	Start, Finish int64
	// At is where the source tells of it.
	At Place
}

// NewAttempt is one of which nothing is known but where it is told.
func NewAttempt(at Place) Attempt { return Attempt{Start: Unknown, Finish: Unknown, At: at} }

// mostAttempts bounds the attempts of a trace: five of each task that a job set can have.
const mostAttempts = 5 * mostTasks

// AddAttempt keeps what an engine says now of an attempt. Of more than mostAttempts the rest is
// counted.
func (t *Trace) AddAttempt(a Attempt) {
	if len(t.Attempts) == mostAttempts {
		t.Unusable.Add("attempts beyond five million", Fault{Place: a.At, Message: "there are too many attempts", Advice: "leave out those of other nights"})
		return
	}
	t.Attempts = append(t.Attempts, a)
}

package trace

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/model/clock"
)

// slurmRow is what Slurm says of a job, of a task of an array or several that wait, or of a step.
type slurmRow struct {
	at Place
	// id is the job, by the number of its array where it is of one; tasks are those of an array
	// that the row is of, as Slurm writes them, and step is empty for the job itself.
	id, tasks, step string
	raw             string // a number of its own that a task of an array has
	name, user      string
	comment         string
	partition       string
	state           slurmState
	word            string // the state as Slurm calls it
	// Points in time, in milliseconds since 1970, and lengths, in milliseconds.
	submit, eligible, start, end, deadline int64
	elapsed, limit                         int64
	// cpus and nodes are those of the job, throttle is how many tasks of the array run at once.
	cpus, nodes, throttle int64
	// Memory, in bytes: of the job, of each node, of each core, the most that a task of a step used.
	memory, memoryNode, memoryCPU, rss int64
	hosts, asked, excluded             string
	dependency, licenses, qos          string
	gres                               []Amount // generic resources, as GPUs, of the job
	exclusive                          bool
}

// slurmState is what has become of a job.
type slurmState int8

const (
	slurmUnsaid slurmState = iota
	slurmFailed
	slurmWaiting
	slurmRunning
	slurmDone
)

// ahead tells that a job has not ended.
func (s slurmState) ahead() bool { return s == slurmWaiting || s == slurmRunning }

// slurmStates are the states by the words that Slurm has for them, and by their letters.
var slurmStates = func() map[string]slurmStateWord {
	all := map[string]slurmStateWord{}
	for state, words := range map[slurmState]string{
		slurmWaiting: "PENDING PD REQUEUE_HOLD RH REQUEUE_FED RF SPECIAL_EXIT SE RESV_DEL_HOLD RD",
		slurmRunning: "RUNNING R CONFIGURING CF COMPLETING CG SUSPENDED S STOPPED ST SIGNALING SI STAGE_OUT SO RESIZING RS UPDATE_DB UD POWER_UP_NODE PN EXPEDITING EX",
		slurmDone:    "COMPLETED CD",
		slurmFailed:  "FAILED F TIMEOUT TO NODE_FAIL NF BOOT_FAIL BF OUT_OF_MEMORY OOM PREEMPTED PR REQUEUED RQ REVOKED RV DEADLINE DL CANCELLED CA LAUNCH_FAILED LF RECONFIG_FAIL RC",
	} {
		list := strings.Fields(words)
		for i := 0; i < len(list); i += 2 {
			all[list[i]] = slurmStateWord{state, list[i]}
			all[list[i+1]] = all[list[i]]
		}
	}
	return all
}()

type slurmStateWord struct {
	state slurmState
	word  string
}

func newSlurmRow(at Place) slurmRow {
	return slurmRow{at: at, submit: Unknown, eligible: Unknown, start: Unknown, end: Unknown, deadline: Unknown,
		elapsed: Unknown, limit: Unknown, cpus: Unknown, nodes: Unknown, throttle: 0,
		memory: Unknown, memoryNode: Unknown, memoryCPU: Unknown, rss: Unknown}
}

// slurmKey is a heading or key as set knows it: TIME_LIMIT of squeue, Timelimit of sacct and
// TimeLimit of scontrol are one.
func slurmKey(text string) string {
	return strings.ToLower(slurmBlanks.Replace(text))
}

var slurmBlanks = strings.NewReplacer("_", "", " ", "")

// slurmNothing are texts of fields that say nothing.
var slurmNothing = []string{"", "(null)", "N/A", "n/a", "None", "NONE", "Unknown", "INVALID"}

// set takes a field by its slurmKey. problem says what is wrong with its text, advice what to do.
func (r *slurmRow) set(key, text string, zone *time.Location) (problem, advice string) {
	if slices.Contains(slurmNothing, text) {
		return "", ""
	}
	switch key {
	case "jobid":
		return r.setID(text), ""
	case "jobidraw":
		r.raw = text
	case "arrayjobid":
		if r.raw = r.id; text != "0" {
			r.id = strings.Clone(text)
		}
	case "arraytaskid":
		r.tasks = text
	case "arraytaskthrottle":
		n, _ := strconv.ParseInt(text, 10, 64)
		r.throttle = max(0, n)
	case "jobname", "name":
		r.name = text
	case "user", "userid":
		r.user, _, _ = strings.Cut(text, "(")
	case "comment":
		r.comment = text
	case "partition":
		r.partition = strings.Clone(text)
	case "state", "jobstate", "st":
		return r.setState(text), ""
	case "submit", "submittime", "eligible", "eligibletime", "start", "starttime", "end", "endtime", "deadline":
		at, ok := slurmTime(text, zone)
		if !ok {
			return fmt.Sprintf("the time is %q", text), "leave SLURM_TIME_FORMAT unset"
		}
		*r.point(key) = at
	case "elapsed", "runtime", "time", "timelimit", "elapsedraw", "timelimitraw":
		return r.setLength(key, text), ""
	case "alloccpus", "ncpus", "numcpus", "cpus", "reqcpus", "nnodes", "allocnodes", "numnodes", "nodes", "reqnodes":
		return r.setCount(key, text), ""
	case "reqmem", "minmemorynode", "minmemorycpu", "maxrss", "minmemory":
		return r.setMemory(key, text), ""
	case "alloctres", "reqtres", "tres":
		r.setTRES(text)
	case "qos":
		r.qos = text
	case "nodelist", "nodelist(reason)":
		if !strings.HasPrefix(text, "(") && text != "None assigned" {
			r.hosts = text
		}
	case "reqnodelist":
		r.asked = text
	case "excnodelist":
		r.excluded = text
	case "dependency":
		r.dependency = text
	case "licenses":
		r.licenses = text
	case "oversubscribe":
		r.exclusive = text == "NO" || text == "EXCLUSIVE"
	}
	return "", ""
}

// point is where a point in time goes.
func (r *slurmRow) point(key string) *int64 {
	switch strings.TrimSuffix(key, "time") {
	case "submit":
		return &r.submit
	case "eligible":
		return &r.eligible
	case "start":
		return &r.start
	case "end":
		return &r.end
	}
	return &r.deadline
}

// slurmKnown reports whether set takes a field.
func slurmKnown(key string) bool {
	return slices.Contains(slurmFields, key)
}

// slurmFields are those that set takes.
var slurmFields = strings.Fields(`jobid jobidraw arrayjobid arraytaskid arraytaskthrottle jobname name user userid comment partition
	state jobstate st submit submittime eligible eligibletime start starttime end endtime deadline elapsed runtime time timelimit elapsedraw timelimitraw
	alloccpus ncpus numcpus cpus reqcpus nnodes allocnodes numnodes nodes reqnodes reqmem minmemorynode minmemorycpu minmemory maxrss
	alloctres reqtres tres qos nodelist nodelist(reason) reqnodelist excnodelist dependency licenses oversubscribe`)

var slurmID = regexp.MustCompile(`^([0-9]+(?:\+[0-9]+)?)(?:_([0-9]+|\[[^\]]*\]))?(?:\.([^ ]+))?$`)

// setID reads 1001, 1001_3, 1001_[4-9%2], 1001+1, and any of these with a step behind it.
func (r *slurmRow) setID(text string) (problem string) {
	m := slurmID.FindStringSubmatch(text)
	if m == nil {
		return fmt.Sprintf("the job is %q, which is no number of a job of Slurm", shorten(text))
	}
	r.step = m[3]
	if r.id == "" { // else the number of its array is there already
		r.id = strings.Clone(m[1])
	}
	if m[2] != "" {
		r.tasks = strings.Trim(m[2], "[]")
	}
	return ""
}

// setState reads COMPLETED, and CANCELLED by 1000.
func (r *slurmRow) setState(text string) (problem string) {
	word, _, _ := strings.Cut(strings.ToUpper(text), " ")
	known, is := slurmStates[strings.TrimRight(word, "+*")]
	if !is {
		return fmt.Sprintf("the state is %q, which Slurm does not have", shorten(text))
	}
	r.state, r.word = known.state, known.word
	return ""
}

// setLength reads how long a job ran, or may.
func (r *slurmRow) setLength(key, text string) (problem string) {
	limit := strings.HasPrefix(key, "timelimit")
	if limit && slices.Contains([]string{"UNLIMITED", "Partition_Limit", "NOT_SET"}, text) {
		return ""
	}
	ms, ok := slurmLength(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		unit := int64(1000)
		if limit {
			unit = 60_000
		}
		ms, ok = min(n, Most/unit)*unit, true
	}
	switch {
	case !ok:
		return fmt.Sprintf("the length of time is %q", shorten(text))
	case limit:
		r.limit = ms
	default:
		r.elapsed = ms
	}
	return ""
}

var slurmLengthForm = regexp.MustCompile(`^(?:([0-9]{1,6})-)?([0-9]{1,8})(?::([0-9]{1,2}))?(?::([0-9]{1,2}))?(\.[0-9]+)?$`)

// slurmLength reads MM:SS, HH:MM:SS, D-HH, D-HH:MM and D-HH:MM:SS, seconds with a fraction
// perhaps, in milliseconds.
func slurmLength(text string) (ms int64, ok bool) {
	m := slurmLengthForm.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[3] == "" {
		return 0, false
	}
	var n [5]int64
	for i := 1; i <= 4; i++ {
		n[i], _ = strconv.ParseInt(m[i], 10, 64) // few digits, or none
	}
	hours, minutes, seconds := n[2], n[3], n[4]
	if m[1] == "" && m[4] == "" {
		hours, minutes, seconds = 0, n[2], n[3]
	}
	fraction, _ := strconv.ParseFloat("0"+m[5], 64)
	return (((n[1]*24+hours)*60+minutes)*60+seconds)*1000 + int64(math.Ceil(fraction*1000)), true
}

// slurmTime reads a point in time, in milliseconds since 1970: as Slurm writes it in the zone of
// the site, with a zone, or as seconds since 1970.
func slurmTime(text string, zone *time.Location) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return slurmSeconds(n), n >= 0 && n < Most/1000
	}
	if at, err := time.ParseInLocation("2006-01-02T15:04:05", strings.Replace(text, " ", "T", 1), zone); err == nil {
		return at.UnixMilli(), at.Unix() >= 0
	}
	at, ok := clock.ParseStamp(text)
	return at.UnixMilli(), ok && at.Unix() >= 0
}

// slurmSeconds is a point in time in seconds since 1970, 0 for none, in milliseconds.
func slurmSeconds(n int64) int64 {
	if n <= 0 {
		return Unknown
	}
	return min(n, Most/1000) * 1000
}

// setCount reads how many cores or nodes a job has; of a range, as of nodes of a job that waits,
// the least. What a job has counts, not what it asked for.
func (r *slurmRow) setCount(key, text string) (problem string) {
	first, _, _ := strings.Cut(text, "-")
	shift := int64(1)
	if strings.HasSuffix(first, "K") {
		first, shift = strings.TrimSuffix(first, "K"), 1024
	}
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil || n < 0 || n > maxCores {
		return fmt.Sprintf("%q is no number of cores or nodes", shorten(text))
	}
	to := &r.cpus
	if strings.HasSuffix(key, "nodes") {
		to = &r.nodes
	}
	if n > 0 && (*to == Unknown || !strings.HasPrefix(key, "req")) {
		*to = n * shift
	}
	return ""
}

var slurmMemoryForm = regexp.MustCompile(`^([0-9]{1,12}(?:\.[0-9]+)?)([KMGTP]?)(?:i?B)?([cn]?)$`)

// slurmMemory reads an amount of memory in bytes, of which what it is of: c for a core, n for a
// node, nothing for the job; a bare number is in MB.
func slurmMemory(text string) (bytes int64, of string, ok bool) {
	m := slurmMemoryForm.FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	v, _ := strconv.ParseFloat(m[1], 64)
	shift := map[string]int{"": 20, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50}[m[2]]
	if bytes = int64(min(math.Ceil(v*float64(int64(1)<<shift)), float64(Most))); bytes == 0 {
		bytes = Unknown // all that a node has
	}
	return bytes, m[3], true
}

func (r *slurmRow) setMemory(key, text string) (problem string) {
	bytes, of, ok := slurmMemory(strings.TrimRight(text, "?"))
	switch {
	case !ok:
		return fmt.Sprintf("%q is no amount of memory", shorten(text))
	case key == "maxrss":
		r.rss = bytes
	case key == "minmemorycpu" || of == "c":
		r.memoryCPU = bytes
	case key != "reqmem" || of == "n":
		r.memoryNode = bytes
	case r.memory == Unknown:
		r.memory = bytes
	}
	return ""
}

// setTRES reads what Slurm calls trackable resources: cpu=4,mem=8G,node=1,gres/gpu=2.
func (r *slurmRow) setTRES(text string) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case name == "mem":
			if bytes, _, ok := slurmMemory(value); ok {
				r.memory = bytes
			}
		case strings.HasPrefix(name, "gres/"):
			r.gres = withGRES(r.gres, strings.TrimPrefix(name, "gres/"), n)
		case err != nil || n <= 0 || n > maxCores:
		case name == "cpu" && r.cpus == Unknown:
			r.cpus = n
		case name == "node" && r.nodes == Unknown:
			r.nodes = n
		}
	}
}

// withGRES is a list with so much of a generic resource, of which the type is of no use: GPUs of a
// type are counted among all GPUs too.
func withGRES(list []Amount, name string, n int64) []Amount {
	name = Name(name)
	if name == "" || strings.Contains(name, ":") || n <= 0 || n > maxCores || len(list) == mostGRES {
		return list
	}
	for i := range list {
		if list[i].Name == name {
			list[i].Units = n
			return list
		}
	}
	return append(list, Amount{Name: name, Units: n})
}

// mostGRES bounds the generic resources of a job or node.
const mostGRES = 20

// settle makes of the fields what they say together. What Slurm expects of a job that has not
// started or ended is not what happened.
func (r *slurmRow) settle() {
	if r.id == "" && r.raw != "" {
		r.setID(r.raw)
	}
	if r.state == slurmUnsaid {
		switch {
		case r.end != Unknown:
			r.state = slurmDone
		case r.start != Unknown:
			r.state = slurmRunning
		default:
			r.state = slurmWaiting
		}
	}
	if r.state == slurmWaiting {
		r.start, r.elapsed, r.hosts = Unknown, Unknown, ""
	}
	if r.state <= slurmRunning && r.state != slurmFailed {
		r.end = Unknown
	}
	if r.state == slurmFailed && r.hosts == "" {
		r.start = Unknown // it was cancelled before it began
	}
	if r.limit == 0 {
		r.limit = Unknown
	}
}

// length is how long the job ran: from its start to its end, or what Slurm counted.
func (r *slurmRow) length() int64 {
	switch {
	case r.state != slurmDone && r.state != slurmFailed:
		return Unknown
	case r.start != Unknown && r.end >= r.start:
		return r.end - r.start
	}
	return r.elapsed
}

// slurmTasks reads tasks of an array as Slurm writes them, like 3 or 1-4,7,10-20:5%2: which they
// are, up to most, and how many of them run at once, 0 for any.
func slurmTasks(text string, most int) (tasks []int32, atMost int64, problem, advice string) {
	list, throttle, _ := strings.Cut(text, "%")
	if throttle != "" {
		n, err := strconv.ParseInt(throttle, 10, 32)
		if err != nil || n < 0 {
			return nil, 0, fmt.Sprintf("the tasks of the array are %q", shorten(text)), ""
		}
		atMost = n
	}
	for part := range strings.SplitSeq(list, ",") {
		if strings.HasPrefix(part, "...") {
			return nil, 0, "the list of the array's tasks is cut off", "set SLURM_BITSTR_LEN=0 before Slurm is asked"
		}
		span, step, stepped := strings.Cut(part, ":")
		from, to, ranged := strings.Cut(span, "-")
		if !ranged {
			to = from
		}
		first, err1 := strconv.ParseInt(from, 10, 32)
		last, err2 := strconv.ParseInt(to, 10, 32)
		by := int64(1)
		var err3 error
		if stepped {
			by, err3 = strconv.ParseInt(step, 10, 32)
		}
		if err1 != nil || err2 != nil || err3 != nil || first < 0 || last < first || by < 1 {
			return nil, 0, fmt.Sprintf("the tasks of the array are %q", shorten(text)), ""
		}
		if (last-first)/by+1 > int64(most-len(tasks)) {
			return nil, 0, fmt.Sprintf("the array has more than %d tasks", most), ""
		}
		for k := first; k <= last; k += by {
			tasks = append(tasks, int32(k))
		}
	}
	return tasks, atMost, "", ""
}

// mostNodes bounds the nodes of a list: Slurm has no more.
const mostNodes = 65_536

// mostBrackets bounds the ranges in the name of a node, and mostDigits the digits of a number.
const mostBrackets, mostDigits = 8, 10

// slurmHosts are the nodes of a list like cn[01-04,7],gpu1; nil where it is no such list.
func slurmHosts(text string) []string {
	var out []string
	for _, part := range splitOutside(text) {
		if strings.Count(part, "[") > mostBrackets {
			return nil
		}
		names := slurmRange(part, mostNodes-len(out))
		if names == nil {
			return nil
		}
		out = append(out, names...)
	}
	return out
}

// splitOutside cuts at commas outside brackets.
func splitOutside(text string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, text[from:i])
				from = i + 1
			}
		}
	}
	return append(out, text[from:])
}

// slurmRange are the nodes of one entry of a list, up to most; nil where there are more, or it is
// none.
func slurmRange(text string, most int) []string {
	open := strings.IndexByte(text, '[')
	if open < 0 {
		if most < 1 || text == "" || strings.ContainsAny(text, "] \t") {
			return nil
		}
		return []string{strings.Clone(text)}
	}
	end := strings.IndexByte(text[open:], ']')
	if end < 0 {
		return nil
	}
	var heads []string
	for part := range strings.SplitSeq(text[open+1:open+end], ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		first, err1 := strconv.ParseInt(from, 10, 32)
		last, err2 := strconv.ParseInt(to, 10, 32)
		if err1 != nil || err2 != nil || first < 0 || last < first || len(from) > mostDigits || last-first >= int64(most-len(heads)) {
			return nil
		}
		for k := first; k <= last; k++ {
			heads = append(heads, fmt.Sprintf("%s%0*d", text[:open], len(from), k))
		}
	}
	rest := text[open+end+1:]
	if rest == "" {
		return heads
	}
	var out []string
	for _, head := range heads {
		names := slurmRange(rest, most-len(out))
		if names == nil {
			return nil
		}
		for _, name := range names {
			out = append(out, head+name)
		}
	}
	return out
}

// slurmAfter are the jobs that a job comes after, by what it depends on, and what of that is of no
// use here.
func slurmAfter(text string) (jobs []string, other string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '?' }) {
		kind, ids, _ := strings.Cut(part, ":")
		if kind != "afterok" && kind != "afterany" && kind != "aftercorr" {
			other = part
			continue
		}
		for id := range strings.SplitSeq(ids, ":") {
			id, _, _ = strings.Cut(id, "(")
			id, _, _ = strings.Cut(id, "_")
			if id != "" && !slices.Contains(jobs, id) {
				jobs = append(jobs, strings.Clone(id))
			}
		}
	}
	if strings.Contains(text, "?") {
		other = text // any of them will do
	}
	return jobs, other
}

package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slurmScan reads what Slurm's commands print, in any of their forms, row by row.
type slurmScan struct {
	in   *Input
	t    *Trace
	zone *time.Location
	row  func(*slurmRow)
	node func(*slurmNode)
}

// slurmNode is a machine as Slurm has it.
type slurmNode struct {
	at            Place
	name          string
	cores, memory int64 // in bytes; Unknown where it does not say
	state         string
	partitions    []string
	gres          []Amount
}

// read reads a file: a table of sacct or squeue, what scontrol shows, or JSON.
func (s *slurmScan) read() error {
	head := bytes.TrimLeft(s.in.Peek(4096), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		return s.json()
	case LooksSlurmShow(head):
		return s.show()
	}
	return s.table()
}

// LooksSlurmShow reports whether a text begins as what scontrol shows of jobs and nodes.
func LooksSlurmShow(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	return bytes.HasPrefix(head, []byte("JobId=")) || bytes.HasPrefix(head, []byte("NodeName="))
}

// LooksSlurmTable reports whether a line is the header of a table of sacct or squeue: it has the
// job, and another of their columns.
func LooksSlurmTable(line string) bool {
	job, others := false, 0
	for cell := range strings.SplitSeq(line, string(separatorOf(line))) {
		key := slurmKey(strings.Trim(cell, "\" \r"))
		switch {
		case key == "jobid" || key == "jobidraw" || key == "arrayjobid":
			job = true
		case slurmKnown(key):
			others++
		}
	}
	return job && others > 0
}

// deliver hands on a row that is whole.
func (s *slurmScan) deliver(r *slurmRow) {
	if r.settle(); r.id == "" {
		s.t.Unusable.Add("lines without a job", Fault{Place: r.at, Message: "the line is of no job"})
		return
	}
	s.row(r)
}

// machine hands on a node that has a name.
func (s *slurmScan) machine(n *slurmNode) {
	if n.name == "" {
		s.unusable(Fault{Place: n.at, Message: "a node without a name"})
		return
	}
	s.node(n)
}

// unusable counts a line, or another piece of a file.
func (s *slurmScan) unusable(f Fault) { s.t.Unusable.AddByReason("lines that cannot be used", f) }

// table reads a table with headings: sacct -P, --csv by hand, squeue with a format.
func (s *slurmScan) table() error {
	rec := records{in: s.in}
	f, ok := rec.next()
	switch {
	case !ok && s.in.Err() != nil:
		return s.in.Err()
	case !ok:
		f := s.in.Empty("table", "ask sacct -P, or scontrol show job -o")
		return &f
	case f != nil:
		return f
	}
	keys, f := s.headings(&rec)
	if f != nil {
		return f
	}
	for {
		f, ok := rec.next()
		switch {
		case !ok:
			return s.in.Err()
		case f != nil:
			s.unusable(*f)
			continue
		}
		s.cells(&rec, keys)
	}
}

// headings are the keys of the columns, empty for those that are passed over.
func (s *slurmScan) headings(rec *records) ([]string, *Fault) {
	var keys, passed []string
	job := false
	for _, cell := range rec.cells {
		key := slurmKey(cell)
		job = job || key == "jobid" || key == "jobidraw" || key == "arrayjobid"
		switch {
		case !slurmKnown(key):
			if cell != "" && !slices.Contains(slurmIdle, key) {
				passed = append(passed, cell)
			}
			key = ""
		case slices.Contains(keys, key):
			key = "" // the same again
		}
		keys = append(keys, key)
	}
	if !job {
		f := s.in.Fault(0, "there is no column JobID", "ask sacct -P, with -P so that | stands between cells and names are not cut off")
		return nil, &f
	}
	if len(passed) > 0 {
		s.t.Remarks.Add("columns that are passed over", s.in.Fault(0, "no use is made of "+strings.Join(passed[:min(len(passed), mostNamed)], ", "), ""))
	}
	return keys, nil
}

// slurmIdle are columns of sacct that bear neither on when nor on where a job can run.
var slurmIdle = strings.Fields(`gres allocgres reqgres account admincomment associd avecpu avecpufreq avediskread avediskwrite avepages averss avevmsize blockid
	cluster consumedenergy consumedenergyraw container cputime cputimeraw dbindex derivedexitcode exitcode extra failednode flags gid group jobcomment
	layout maxdiskread maxdiskreadnode maxdiskreadtask maxdiskwrite maxdiskwritenode maxdiskwritetask maxpages maxpagesnode maxpagestask maxrssnode maxrsstask
	maxvmsize maxvmsizenode maxvmsizetask mcslabel mincpu mincpunode mincputask ntasks planned plannedcpu plannedcpuraw priority qosraw qosreq reason reqcpufreq reqcpufreqmin
	reqcpufreqmax reqcpufreqgov reserved restarts resvcpu resvcpuraw stderr stdin stdout submitline suspended systemcpu systemcomment totalcpu
	tresusageinave tresusageinmax tresusageinmaxnode tresusageinmaxtask tresusageinmin tresusageinminnode tresusageinmintask tresusageintot
	tresusageoutave tresusageoutmax tresusageoutmaxnode tresusageoutmaxtask tresusageoutmin tresusageoutminnode tresusageoutmintask tresusageouttot
	uid usercpu wckey wckeyid workdir`)

// cells reads a line of a table.
func (s *slurmScan) cells(rec *records, keys []string) {
	n := len(rec.cells)
	if n == len(keys)+1 && rec.cells[n-1] == "" {
		n-- // sacct -p ends its lines with |
	}
	if n != len(keys) {
		s.unusable(s.in.Fault(rec.offsets[min(n, len(rec.offsets))-1], fmt.Sprintf("the line has %d cells, the header has %d", n, len(keys)),
			"a name or a comment may hold the separator; choose another by sacct --delimiter"))
		return
	}
	r := newSlurmRow(s.in.At(0))
	for i, key := range keys {
		if key == "" {
			continue
		}
		if problem, advice := r.set(key, rec.cells[i], s.zone); problem != "" {
			s.unusable(s.in.Fault(rec.offsets[i], problem, advice))
			return
		}
	}
	s.deliver(&r)
}

// maxShow bounds what scontrol shows of one job or node, in bytes.
const maxShow = 1 << 20

// show reads what scontrol shows of jobs and nodes, a line each or several.
func (s *slurmScan) show() error {
	var text []byte
	at := Place{}
	flush := func() {
		if len(text) > 0 {
			s.shown(string(text), at)
			text = text[:0]
		}
	}
	for s.in.Next() {
		line := bytes.TrimSpace(s.in.Line())
		if LooksSlurmShow(line) || len(line) == 0 {
			flush()
			at = s.in.At(0)
		}
		if len(line) > 0 && len(text)+len(line) < maxShow {
			text = append(append(text, line...), ' ')
		} else if len(line) > 0 {
			s.unusable(s.in.Fault(0, fmt.Sprintf("more than %d kB of one job", maxShow>>10), ""))
		}
	}
	flush()
	return s.in.Err()
}

var slurmPair = regexp.MustCompile(`(?:^| )([A-Z][A-Za-z0-9/:_]*)=`)

// shown reads KEY=VALUE pairs, of which a value may hold blanks. Of a key that is there twice the
// first counts: comments come late.
func (s *slurmScan) shown(text string, at Place) {
	text = strings.TrimSpace(text)
	fields := map[string]string{}
	pairs := slurmPair.FindAllStringSubmatchIndex(text, -1)
	for i, p := range pairs {
		end := len(text)
		if i+1 < len(pairs) {
			end = pairs[i+1][0]
		}
		if key := slurmKey(text[p[2]:p[3]]); fields[key] == "" {
			fields[key] = strings.TrimSpace(text[p[1]:end])
		}
	}
	if name, is := fields["nodename"]; is {
		s.machine(shownNode(name, at, fields))
		return
	}
	r := newSlurmRow(at)
	for _, key := range slurmFields {
		value, given := fields[key]
		if !given || slices.Contains(slurmDetails, key) {
			continue
		}
		if problem, advice := r.set(key, value, s.zone); problem != "" {
			s.unusable(Fault{Place: at, Message: problem, Advice: advice})
			return
		}
	}
	s.deliver(&r)
}

// slurmDetails are keys that scontrol uses otherwise than squeue its headings: of what a job has
// on a node.
var slurmDetails = []string{"nodes", "cpus", "time"}

// shownNode is a node of which scontrol shows these fields.
func shownNode(name string, at Place, fields map[string]string) *slurmNode {
	n := &slurmNode{at: at, name: Name(name), cores: Unknown, memory: Unknown, state: strings.ToUpper(fields["state"])}
	for _, key := range []string{"cpuefctv", "cputot"} {
		if v, err := strconv.ParseInt(fields[key], 10, 64); err == nil && v > 0 && v <= maxCores {
			n.cores = v
			break
		}
	}
	if mb, err := strconv.ParseInt(fields["realmemory"], 10, 64); err == nil && mb > 0 {
		n.memory = slurmNodeMemory(mb)
	}
	r := slurmRow{}
	r.setTRES(fields["cfgtres"])
	n.gres = r.gres
	if fields["partitions"] != "" {
		n.partitions = strings.Split(fields["partitions"], ",")
	}
	return n
}

// slurmNodeMemory is a node's memory in MB, in bytes.
func slurmNodeMemory(mb int64) int64 { return min(mb, Most>>20) << 20 }

// json reads an answer of sacct, squeue or scontrol in JSON.
func (s *slurmScan) json() error {
	return s.in.Values(s.t, "answer of Slurm", "save what sacct --json or scontrol show node --json prints", func(d *JSON) error {
		return d.Object("the answer", func(name string) error {
			switch name {
			case "jobs":
				return d.Array(name, func() error { return s.t.PassOver("jobs that cannot be used", s.jsonJob(d)) })
			case "nodes":
				return d.Array(name, func() error { return s.t.PassOver("nodes that cannot be used", s.jsonNode(d)) })
			}
			return d.Skip()
		})
	})
}

// members reads an object into what each of its members goes to.
func (s *slurmScan) members(d *JSON, what string, to map[string]any) error {
	return d.Object(what, func(name string) error {
		v, known := to[name]
		if !known {
			return d.Skip()
		}
		return s.t.PassOver("fields that cannot be used", d.Decode(v))
	})
}

// jsonTRES is a list of trackable resources in JSON.
type jsonTRES []struct {
	Type, Name Text
	Count      slurmNumber
}

// jsonJob reads a job, as sacct or as scontrol and squeue have it.
func (s *slurmScan) jsonJob(d *JSON) error {
	r := newSlurmRow(d.Place())
	var id, arrayID, arrayTask, throttle, cpus, nodes, allocated, limit, perCPU, perNode slurmNumber
	var submit, start, end, eligible, deadline slurmNumber
	var name, user, userName, account, partition, list, asked, excluded, dependency, licenses, comment, arrayTasks slurmWord
	var state, jobState, exclusive slurmWord
	var tresAlloc, tresReq, qos slurmWord
	var times struct {
		Start, End, Submission, Eligible, Elapsed, Limit slurmNumber
	}
	var required struct {
		CPUs      slurmNumber
		Memory    slurmNumber
		MemoryCPU slurmNumber `json:"memory_per_cpu"`
		MemNode   slurmNumber `json:"memory_per_node"`
	}
	var array struct {
		JobID  slurmNumber `json:"job_id"`
		TaskID slurmNumber `json:"task_id"`
		Task   slurmWord
		Limits struct {
			Max struct {
				Running struct{ Tasks slurmNumber }
			}
		}
	}
	var tres struct{ Allocated, Requested jsonTRES }
	err := s.members(d, "a job", map[string]any{
		"job_id": &id, "name": &name, "user": &user, "user_name": &userName, "account": &account, "partition": &partition,
		"state": &state, "job_state": &jobState, "time": &times, "required": &required, "array": &array, "tres": &tres,
		"array_job_id": &arrayID, "array_task_id": &arrayTask, "array_task_string": &arrayTasks, "array_max_tasks": &throttle,
		"submit_time": &submit, "start_time": &start, "end_time": &end, "eligible_time": &eligible, "deadline": &deadline, "time_limit": &limit,
		"cpus": &cpus, "node_count": &nodes, "allocation_nodes": &allocated, "memory_per_cpu": &perCPU, "memory_per_node": &perNode,
		"nodes": &list, "required_nodes": &asked, "excluded_nodes": &excluded, "dependency": &dependency, "licenses": &licenses, "comment": &comment,
		"exclusive": &exclusive, "tres_alloc_str": &tresAlloc, "tres_req_str": &tresReq, "qos": &qos,
	})
	if err != nil {
		return err
	}
	if id.value <= 0 {
		s.unusable(Fault{Place: r.at, Message: "a job without a number"})
		return nil
	}
	r.id = strconv.FormatInt(id.value, 10)
	r.raw = r.id
	if n := first(arrayID.value, array.JobID.value); n > 0 {
		r.id = strconv.FormatInt(n, 10)
		if k := arrayTask; k.known || array.TaskID.known {
			r.tasks = strconv.FormatInt(max(k.value, array.TaskID.value), 10)
		} else {
			r.tasks = strings.Trim(string(arrayTasks)+string(array.Task), "[]")
		}
		r.throttle = max(0, throttle.value, array.Limits.Max.Running.Tasks.value)
	}
	r.name, r.user, r.comment, r.partition = string(name), string(user)+string(userName), string(comment), string(partition)
	if word := string(jobState) + string(state); word != "" {
		if problem := r.setState(word); problem != "" {
			s.unusable(Fault{Place: r.at, Message: problem})
			return nil
		}
	}
	r.submit = slurmSeconds(first(submit.value, times.Submission.value))
	r.start = slurmSeconds(first(start.value, times.Start.value))
	r.end = slurmSeconds(first(end.value, times.End.value))
	r.eligible = slurmSeconds(first(eligible.value, times.Eligible.value))
	r.deadline = slurmSeconds(deadline.value)
	if times.Elapsed.known {
		r.elapsed = min(times.Elapsed.value, Most/1000) * 1000
	}
	if n := first(limit.value, times.Limit.value); n > 0 {
		r.limit = min(n, Most/60_000) * 60_000
	}
	mb := func(n slurmNumber) int64 {
		if n.value <= 0 {
			return Unknown
		}
		return slurmNodeMemory(n.value)
	}
	r.memoryCPU, r.memoryNode = max(mb(perCPU), mb(required.MemoryCPU)), max(mb(perNode), mb(required.MemNode))
	if r.memoryCPU == Unknown && r.memoryNode == Unknown && required.Memory.value < Most {
		r.memoryNode = mb(required.Memory)
	}
	r.cpus, r.nodes = first(cpus.value, Unknown), first(nodes.value, allocated.value)
	if r.nodes == 0 {
		r.nodes = Unknown
	}
	for _, list := range []jsonTRES{tres.Allocated, tres.Requested} {
		r.takeTRES(list)
	}
	for _, text := range []slurmWord{tresReq, tresAlloc} {
		r.setTRES(string(text))
	}
	if r.cpus == Unknown && required.CPUs.value > 0 {
		r.cpus = required.CPUs.value
	}
	r.qos, r.asked, r.excluded, r.dependency, r.licenses = string(qos), string(asked), string(excluded), string(dependency), string(licenses)
	if list != "None assigned" {
		r.hosts = string(list)
	}
	r.exclusive = exclusive == "true"
	s.deliver(&r)
	return nil
}

// takeTRES reads trackable resources: those that a job has before those that it asked for.
func (r *slurmRow) takeTRES(list jsonTRES) {
	for _, x := range list {
		n := x.Count.value
		switch {
		case n <= 0 || n > maxCores:
		case x.Type == "cpu" && r.cpus == Unknown:
			r.cpus = n
		case x.Type == "node" && r.nodes == Unknown:
			r.nodes = n
		case x.Type == "mem" && r.memory == Unknown:
			r.memory = slurmNodeMemory(n)
		case x.Type == "gres":
			r.gres = withGRES(r.gres, string(x.Name), n)
		}
	}
}

// first is the first of two figures that is there.
func first(a, b int64) int64 {
	if a > 0 {
		return a
	}
	return b
}

// jsonNode reads a node.
func (s *slurmScan) jsonNode(d *JSON) error {
	at := d.Place()
	var name, state, tres slurmWord
	var cpus, effective, memory slurmNumber
	var flags, partitions slurmWords
	err := s.members(d, "a node", map[string]any{"name": &name, "state": &state, "cpus": &cpus, "effective_cpus": &effective,
		"real_memory": &memory, "state_flags": &flags, "partitions": &partitions, "tres": &tres})
	if err != nil {
		return err
	}
	n := &slurmNode{at: at, name: Name(string(name)), cores: first(effective.value, cpus.value), memory: Unknown, partitions: partitions}
	n.state = strings.ToUpper(strings.Join(append([]string{string(state)}, flags...), "+"))
	if n.cores <= 0 || n.cores > maxCores {
		n.cores = Unknown
	}
	if memory.value > 0 {
		n.memory = slurmNodeMemory(memory.value)
	}
	r := slurmRow{}
	r.setTRES(string(tres))
	n.gres = r.gres
	s.machine(n)
	return nil
}

// slurmNumber is a number as Slurm's versions write it in JSON: as such, as a text, or as an
// object that says whether it is set, or infinite. It is Unknown where it is not told.
type slurmNumber struct {
	value int64
	known bool
}

// slurmNoValue is the least number by which Slurm says that there is none.
const slurmNoValue = 0xfffffffd

// UnmarshalJSON never fails.
func (n *slurmNumber) UnmarshalJSON(src []byte) error {
	*n = slurmNumber{value: Unknown}
	var object struct {
		Set, Infinite bool
		Number        Int
	}
	var plain Int
	if len(src) > 0 && src[0] == '{' {
		if json.Unmarshal(src, &object) != nil || !object.Set || object.Infinite {
			return nil
		}
		plain = object.Number
	} else {
		plain.UnmarshalJSON(src)
	}
	if v := plain.Value(); v >= 0 && v < slurmNoValue {
		*n = slurmNumber{v, true}
	}
	return nil
}

// slurmWord is a text in JSON, the first of a list of texts, or that of a member job, as comments
// have it. Anything else is empty.
type slurmWord string

// UnmarshalJSON never fails.
func (w *slurmWord) UnmarshalJSON(src []byte) error {
	*w = ""
	var words slurmWords
	var object struct{ Job string }
	switch {
	case words.UnmarshalJSON(src) == nil && len(words) > 0:
		*w = slurmWord(words[0])
	case json.Unmarshal(src, &object) == nil:
		*w = slurmWord(object.Job)
	}
	return nil
}

// slurmWords is a list of texts in JSON, or a single one.
type slurmWords []string

// UnmarshalJSON never fails.
func (w *slurmWords) UnmarshalJSON(src []byte) error {
	*w = nil
	var one string
	var all []string
	switch {
	case json.Unmarshal(src, &one) == nil && one != "":
		*w = slurmWords{one}
	case json.Unmarshal(src, &all) == nil:
		*w = all
	}
	return nil
}

package imports

import (
	"bytes"
	"strings"
	"testing"

	"downbeat/model/files/jobfile"
)

// slurmShown is by the documentation of scontrol show job and node: an array of which two tasks
// run, two jobs that wait for it, a node that is drained, partitions, licences and a deadline.
const slurmShown = `NodeName=n1 Arch=x86_64 CPUAlloc=0 CPUEfctv=4 CPUTot=4 Gres=gpu:2 OS=Linux 6.1 #1 SMP RealMemory=16000 State=MIXED Partitions=main,gpu CfgTRES=cpu=4,mem=16000M,billing=4,gres/gpu=2
NodeName=n2 CPUTot=4 RealMemory=16000 State=IDLE Partitions=main
NodeName=n3 CPUTot=4 RealMemory=16000 State=IDLE Partitions=main
NodeName=n4 CPUTot=4 RealMemory=16000 State=IDLE+DRAIN Partitions=main

JobId=4 ArrayJobId=1 ArrayTaskId=1 ArrayTaskThrottle=2 JobName=scan UserId=ann(1000) JobState=RUNNING Dependency=(null) TimeLimit=00:02:00 SubmitTime=2026-11-25T23:35:26 EligibleTime=2026-11-25T23:35:26 StartTime=2026-11-25T23:35:26 EndTime=2026-11-25T23:37:26 Deadline=N/A Partition=main ReqNodeList=(null) ExcNodeList=(null) NodeList=n1 NumNodes=1 NumCPUs=1 TRES=cpu=1,mem=100M,node=1,billing=1 MinMemoryNode=100M OverSubscribe=OK Licenses=(null)
JobId=5 ArrayJobId=1 ArrayTaskId=2 ArrayTaskThrottle=2 JobName=scan UserId=ann(1000)
   JobState=RUNNING TimeLimit=00:02:00 SubmitTime=2026-11-25T23:35:26
   StartTime=2026-11-25T23:35:26 EndTime=2026-11-25T23:37:26 Partition=main NodeList=n2
   NumNodes=1 NumCPUs=1 TRES=cpu=1,mem=100M,node=1,billing=1

JobId=1 ArrayJobId=1 ArrayTaskId=3-4%2 ArrayTaskThrottle=2 JobName=scan UserId=ann(1000) JobState=PENDING Reason=JobArrayTaskLimit TimeLimit=00:02:00 SubmitTime=2026-11-25T23:35:26 EligibleTime=Unknown StartTime=Unknown EndTime=Unknown Partition=main NodeList= NumNodes=1 NumCPUs=1 TRES=cpu=1,mem=100M,node=1,billing=1
JobId=2 JobName=train UserId=bob(1001) JobState=PENDING Reason=Dependency Dependency=afterok:1_*(unfulfilled),singleton TimeLimit=00:05:00 SubmitTime=2026-11-25T23:35:26 EligibleTime=2026-11-25T23:36:26 StartTime=2026-11-25T23:50:26 EndTime=2026-11-25T23:55:26 Deadline=2026-11-26T00:35:26 Partition=main NodeList= NumNodes=2-2 NumCPUs=2 TRES=cpu=2,mem=2G,node=2,billing=2 MinMemoryCPU=1G OverSubscribe=NO
JobId=3 JobName=gpu user=x UserId=bob(1001) JobState=PENDING Dependency=(null) TimeLimit=00:05:00 SubmitTime=2026-11-25T23:35:26 EligibleTime=2026-11-25T23:36:26 Partition=gpu NumNodes=1 NumCPUs=1 TRES=cpu=1,mem=1G,node=1,gres/gpu=1 Licenses=solver:2,view
`

// slurmJSON is by the documentation of sacct --json and scontrol show --json of 21.08 to 24.05:
// numbers as such and as objects, states as words and lists.
const slurmJSON = `{"meta":{"plugin":{"type":"openapi/dbv0.0.37"}},"errors":[],"jobs":[
 {"account":"a","allocation_nodes":1,"array":{"job_id":0,"limits":{"max":{"running":{"tasks":0}}},"task":null,"task_id":null},"job_id":11,"name":"old","nodes":"c1",
  "required":{"CPUs":2,"memory":4000},"state":{"current":"COMPLETED","reason":"None"},"time":{"elapsed":600,"eligible":1795298400,"end":1795299000,"limit":60,"start":1795298400,"submission":1795298390},
  "tres":{"allocated":[{"type":"cpu","name":null,"id":1,"count":2},{"type":"mem","name":null,"id":2,"count":4000}],"requested":[]},"user":"ann","steps":[{"nodes":{"count":1}}]},
 {"job_id":12,"name":"new","allocation_nodes":2,"nodes":"c[1-2]","array":{"job_id":0,"task_id":{"set":false,"infinite":false,"number":0},"task":""},
  "required":{"CPUs":4,"memory_per_cpu":{"set":true,"infinite":false,"number":1000},"memory_per_node":{"set":false,"infinite":false,"number":0}},"state":{"current":["COMPLETED"]},
  "time":{"elapsed":300,"eligible":1795298400,"end":1795299300,"start":1795299000,"submission":1795298400,"limit":{"set":true,"infinite":true,"number":0}},"user":"ann"}]}
{"jobs":[
 {"job_id":20,"array_job_id":{"set":true,"infinite":false,"number":19},"array_task_id":{"set":true,"infinite":false,"number":1},"name":"arr","job_state":["RUNNING","COMPLETING"],"nodes":"c2",
  "submit_time":{"set":true,"infinite":false,"number":1795298400},"start_time":{"set":true,"infinite":false,"number":1795298460},"end_time":{"set":true,"infinite":false,"number":1795302060},
  "time_limit":{"set":true,"infinite":false,"number":30},"cpus":{"set":true,"infinite":false,"number":1},"node_count":{"set":true,"infinite":false,"number":1},"memory_per_node":{"set":true,"infinite":false,"number":500},"user_name":"ann"},
 {"job_id":19,"array_job_id":{"set":true,"infinite":false,"number":19},"array_task_id":{"set":false,"infinite":false,"number":0},"array_task_string":"2-4","array_max_tasks":{"set":true,"infinite":false,"number":3},"name":"arr","job_state":["PENDING"],
  "submit_time":{"set":true,"infinite":false,"number":1795298400},"start_time":{"set":true,"infinite":false,"number":0},"time_limit":{"set":true,"infinite":false,"number":30},"cpus":{"set":true,"infinite":false,"number":1},"memory_per_node":{"set":true,"infinite":false,"number":500},"dependency":"afterok:12(unfulfilled)","user_name":"ann"}]}
{"nodes":[{"name":"c1","cpus":4,"real_memory":8000,"state":"idle","state_flags":[]},{"name":"c2","cpus":4,"effective_cpus":3,"real_memory":8000,"state":["ALLOCATED"]},{"name":"c3","cpus":4,"real_memory":8000,"state":["DOWN","NOT_RESPONDING"]}]}
`

// What scontrol shows, and JSON, worked out by hand.
func TestSlurmForms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		// n4 is drained. A tick is 10 s, and tick 0 at 23:35:20. The array has two tasks at most at once, train a gang on nodes of its own after
		// it; it asks for both for itself. The partition gpu is n1 alone.
		{"show", slurmShown, `  pools:
    solver: 2
    view: 1
  slaves:
    - {name: n1, cores: 4, slots: 4, resources: {gpu: 2, memory: 16000}}
    - {name: n2, cores: 4, slots: 4, resources: {memory: 16000}}
    - {name: n3, cores: 4, slots: 4, resources: {memory: 16000}}
jobs:
  - name: scan
    release: 1
    stages:
      - name: run
        at_most: 2
        tasks: 4
        wcet: 12
        resources: {memory: 100}
  - name: train
    release: 7
    deadline: 353
    hard: true
    after: [scan]
    stages:
      - name: run
        gang: true
        apart: true
        tasks: 2
        wcet: 30
        cores: 4
        resources: {memory: 1024}
  - name: "gpu user=x"
    release: 7
    stages:
      - name: run
        tasks: 1
        wcet: {n1: 30}
        resources: {gpu: 1, memory: 1024}
        pools: {solver: 2, view: 1}
`},
		{"json", slurmJSON, `  slaves:
    - {name: c1, cores: 4, slots: 4, resources: {memory: 8000}}
    - {name: c2, cores: 3, slots: 3, resources: {memory: 8000}}
jobs:
  - name: old
    stages:
      - name: run
        tasks: 1
        wcet: 10
        cores: 2
        resources: {memory: 4000}
  - name: new
    stages:
      - name: run
        gang: true
        apart: true
        tasks: 2
        wcet: 5
        cores: 2
        resources: {memory: 2000}
  - name: arr
    after: [new]
    stages:
      - name: run
        at_most: 3
        tasks: 4
        wcet: 30
        resources: {memory: 500}
`},
	} {
		r := DefaultRules()
		r.Deadline.name = "column"
		result, _, err := imported(t, "", Keep{}, r, file(t, c.name, c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var text bytes.Buffer
		if err := jobfile.Write(&text, result.Set); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(text.String(), "  fetch: concurrent\n")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s\n%s", c.name, got, c.want, strings.Join(result.Notes, "\n"))
		}
	}
}

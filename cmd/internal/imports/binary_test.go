package imports

import (
	"encoding/binary"
	"math"
)

// binarySchema is a schema of events such as Hadoop writes, with the shapes that its own has:
// records within a union, enums, arrays, maps, optional fields, a type by its name.
const binarySchema = `{"type":"record","name":"Event","namespace":"org.apache.hadoop.mapreduce.jobhistory","fields":[` +
	`{"name":"type","type":{"type":"enum","name":"EventType","symbols":["JOB_SUBMITTED","MAP_ATTEMPT_STARTED","MAP_ATTEMPT_FINISHED","JOB_FINISHED"]}},` +
	`{"name":"event","type":[` +
	`{"type":"record","name":"JobSubmitted","fields":[{"name":"jobid","type":"string"},{"name":"jobName","type":"string"},{"name":"submitTime","type":"long"},{"name":"acls","type":{"type":"map","values":"string"}},{"name":"workflowId","type":["null","string"],"default":null}]},` +
	`{"type":"record","name":"TaskAttemptStarted","fields":[{"name":"taskid","type":"string"},{"name":"taskType","type":"string"},{"name":"attemptId","type":"string"},{"name":"startTime","type":"long"},{"name":"trackerName","type":"string"}]},` +
	`{"type":"record","name":"MapAttemptFinished","fields":[{"name":"taskid","type":"string"},{"name":"attemptId","type":"string"},{"name":"taskType","type":"string"},{"name":"finishTime","type":"long"},{"name":"hostname","type":"string"},{"name":"counters","type":["null",{"type":"record","name":"JhCounters","fields":[{"name":"groups","type":{"type":"array","items":{"type":"record","name":"JhCounterGroup","fields":[{"name":"counts","type":{"type":"array","items":{"type":"record","name":"JhCounter","fields":[{"name":"name","type":"string"},{"name":"value","type":"long"}]}}}]}}}]}]},{"name":"clockSplits","type":{"type":"array","items":"int"}}]},` +
	`{"type":"record","name":"JobFinished","fields":[{"name":"jobid","type":"string"},{"name":"finishTime","type":"long"},{"name":"totalCounters","type":"JhCounters"},{"name":"share","type":"double"},{"name":"good","type":"boolean"}]}]}]}`

// avro writes values in Avro's binary encoding.
type avro []byte

func (a avro) long(values ...int64) avro {
	for _, v := range values {
		a = binary.AppendVarint(a, v)
	}
	return a
}

func (a avro) text(values ...string) avro {
	for _, v := range values {
		a = append(a.long(int64(len(v))), v...)
	}
	return a
}

func (a avro) double(v float64) avro {
	return binary.LittleEndian.AppendUint64(a, math.Float64bits(v))
}

// binaryHistory is a history file of a job with two maps.
func binaryHistory() string {
	a := avro("Avro-Binary\n" + binarySchema + "\n")
	// the enum, the union, the fields; a map in one block and its end; null
	a = a.long(0, 0).text("job_7_0002", "scan").long(1795298400000).long(1).text("view", "*").long(0).long(0)
	for i, id := range []string{"m_000000", "m_000001"} {
		a = a.long(1, 1).text("task_7_0002_"+id, "MAP", "attempt_7_0002_"+id+"_0").long(1795298401000 + int64(i)*1000).text("node1")
	}
	for i, id := range []string{"m_000000", "m_000001"} {
		a = a.long(2, 2).text("task_7_0002_"+id, "attempt_7_0002_"+id+"_0", "MAP").long(1795298421000 + int64(i)*11000).text("node1")
		a = a.long(1).long(1).long(2).text("HDFS_BYTES_READ").long(1000).text("PHYSICAL_MEMORY_BYTES").long(500 << 20).long(0).long(0)
		a = a.long(-2, 2, 7, 300, 0) // a block of two with its size in bytes
	}
	a = a.long(3, 3).text("job_7_0002").long(1795298433000).long(1).long(1).text("MILLIS_MAPS").long(0).long(0).long(0).double(0.5)
	return string(append(a, 1))
}

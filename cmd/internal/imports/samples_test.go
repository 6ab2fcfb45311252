package imports

// samples are small files of each kind, made for these tests.
var samples = map[string]string{
	"jhist": `Avro-Json
{"type":"record","name":"Event","fields":[]}
{"type":"JOB_SUBMITTED","event":{"JobSubmitted":{"jobid":"job_7_0001","jobName":"etl","submitTime":1795298400000}}}
{"type":"JOB_INITED","event":{"JobInited":{"jobid":"job_7_0001","launchTime":1795298402000,"totalMaps":2,"totalReduces":1}}}
{"type":"TASK_STARTED","event":{"TaskStarted":{"taskid":"task_7_0001_m_000000","taskType":"MAP","startTime":1795298402000,"splitLocations":"node1,node2"}}}
{"type":"MAP_ATTEMPT_STARTED","event":{"TaskAttemptStarted":{"taskid":"task_7_0001_m_000000","taskType":"MAP","attemptId":"attempt_7_0001_m_000000_0","startTime":1795298403000,"trackerName":"node1","locality":{"string":"NODE_LOCAL"}}}}
{"type":"MAP_ATTEMPT_STARTED","event":{"TaskAttemptStarted":{"taskid":"task_7_0001_m_000001","taskType":"MAP","attemptId":"attempt_7_0001_m_000001_0","startTime":1795298403500,"trackerName":"node2"}}}
{"type":"MAP_ATTEMPT_FAILED","event":{"TaskAttemptUnsuccessfulCompletion":{"taskid":"task_7_0001_m_000001","taskType":"MAP","attemptId":"attempt_7_0001_m_000001_0","finishTime":1795298408500,"hostname":"node2","status":"FAILED"}}}
{"type":"MAP_ATTEMPT_STARTED","event":{"TaskAttemptStarted":{"taskid":"task_7_0001_m_000001","taskType":"MAP","attemptId":"attempt_7_0001_m_000001_1","startTime":1795298409000,"trackerName":"node2"}}}
{"type":"MAP_ATTEMPT_FINISHED","event":{"MapAttemptFinished":{"taskid":"task_7_0001_m_000000","attemptId":"attempt_7_0001_m_000000_0","taskType":"MAP","taskStatus":"SUCCEEDED","finishTime":1795298423000,"hostname":"node1","counters":{"groups":[{"counts":[{"name":"HDFS_BYTES_READ","value":2000000000}]}]}}}}
{"type":"MAP_ATTEMPT_FINISHED","event":{"MapAttemptFinished":{"taskid":"task_7_0001_m_000001","attemptId":"attempt_7_0001_m_000001_1","taskType":"MAP","taskStatus":"SUCCEEDED","finishTime":1795298439000,"hostname":"node2","counters":{"org.apache.hadoop.mapreduce.jobhistory.JhCounters":{"groups":[]}}}}}
{"type":"REDUCE_ATTEMPT_STARTED","event":{"TaskAttemptStarted":{"taskid":"task_7_0001_r_000000","taskType":"REDUCE","attemptId":"attempt_7_0001_r_000000_0","startTime":1795298430000,"trackerName":"node1"}}}
{"type":"REDUCE_ATTEMPT_FINISHED","event":{"ReduceAttemptFinished":{"taskid":"task_7_0001_r_000000","attemptId":"attempt_7_0001_r_000000_0","taskType":"REDUCE","taskStatus":"SUCCEEDED","shuffleFinishTime":1795298444000,"finishTime":1795298474000,"hostname":"node1"}}}
{"type":"JOB_FINISHED","event":{"JobFinished":{"jobid":"job_7_0001","finishTime":1795298475000,"totalCounters":{"groups":[{"counts":[{"name":"MILLIS_MAPS","value":55000},{"name":"MB_MILLIS_MAPS","value":84480000},{"name":"VCORES_MILLIS_MAPS","value":110000}]}]}}}}
`,
	"history": `{"jobs":{"job":[{"id":"job_7_1","name":"etl","submitTime":1795298400000,"finishTime":1795298475000,"mapsTotal":2,"reducesTotal":1}]}}
{"tasks":{"task":[{"id":"task_7_1_m_0","type":"MAP","startTime":1795298401000,"finishTime":1795298423000,"state":"SUCCEEDED"},
 {"id":"task_7_1_m_1","type":"MAP","startTime":1795298401000,"finishTime":1795298431000,"state":"SUCCEEDED"},
 {"id":"task_7_1_r_0","type":"REDUCE","startTime":1795298402000,"finishTime":1795298474000,"state":"SUCCEEDED"}]}}
{"taskAttempts":{"taskAttempt":[{"id":"attempt_7_1_m_0_0","type":"MAP","state":"SUCCEEDED","startTime":1795298403000,"finishTime":1795298423000,"nodeHttpAddress":"node1:8042"}]}}
{"taskAttempt":{"id":"attempt_7_1_r_0_0","type":"REDUCE","state":"SUCCEEDED","startTime":1795298430000,"shuffleFinishTime":1795298444000,"finishTime":1795298474000,"nodeHttpAddress":"node2:8042"}}
{"jobCounters":{"id":"job_7_1","counterGroup":[{"counter":[{"name":"MILLIS_MAPS","totalCounterValue":50000},{"name":"MB_MILLIS_MAPS","totalCounterValue":102400000}]}]}}
{"conf":{"path":"hdfs://x/.staging/job_7_1/job.xml","property":[{"name":"mapreduce.reduce.memory.mb","value":"3072"}]}}
`,
	// By the documentation of sacct -P: arrays, steps, a job on two nodes, one that failed.
	"slurm": `JobID|JobName|User|Partition|AllocCPUS|NNodes|ReqMem|Submit|Eligible|Start|End|Elapsed|Timelimit|State|NodeList|MaxRSS|ExitCode
1001|etl|ann|batch|16|2|64G|2026-11-20T22:00:01|2026-11-20T22:00:01|2026-11-20T22:00:05|2026-11-20T22:41:10|00:41:05|01:00:00|COMPLETED|cn[01-02]||0:0
1001.batch|batch|||8|1||2026-11-20T22:00:05|2026-11-20T22:00:05|2026-11-20T22:00:05|2026-11-20T22:41:10|00:41:05||COMPLETED|cn01|812M|0:0
1001.0|hydra|||16|2||2026-11-20T22:00:06|2026-11-20T22:00:06|2026-11-20T22:00:06|2026-11-20T22:41:00|00:40:54||COMPLETED|cn[01-02]|30G|0:0
1002_1|scan|ann|batch|4|1|8G|2026-11-20T22:05:00|2026-11-20T22:05:00|2026-11-20T22:05:10|2026-11-20T22:15:10|00:10:00|00:30:00|COMPLETED|cn03||0:0
1002_2|scan|ann|batch|4|1|8G|2026-11-20T22:05:00|2026-11-20T22:05:00|2026-11-20T22:05:10|2026-11-20T22:14:10|00:09:00|00:30:00|COMPLETED|cn04||0:0
1002_[3-5%2]|scan|ann|batch|4|1|8G|2026-11-20T22:05:00|2026-11-20T22:05:00|Unknown|Unknown|00:00:00|00:30:00|PENDING|None assigned||0:0
1003|report|bob|batch|8|1|4Gc|2026-11-20T22:10:00|2026-11-20T22:20:00|2026-11-20T22:45:00|2026-11-20T23:10:00|00:25:00|1-00:00:00|COMPLETED|cn01||0:0
1004|bad|bob|batch|8|1|32G|2026-11-20T22:10:00|2026-11-20T22:10:00|2026-11-20T22:45:00|2026-11-20T23:10:00|00:25:00|01:00:00|CANCELLED by 1000|cn01||0:15
`,
	"rumen": `{"jobID":"job_7_0001","jobName":"etl","submitTime":1795298400000,"finishTime":1795298475000,"jobMapMB":1024,"outcome":"SUCCESS",
 "mapTasks":[{"taskID":"task_7_0001_m_000000","taskType":"MAP","inputBytes":2000000000,
   "preferredLocations":[{"layers":["rack","node1"]}],
   "attempts":[{"attemptID":"a0","result":"FAILED","hostName":"/rack/node2","startTime":1795298403000,"finishTime":1795298408000},
               {"attemptID":"a1","result":"SUCCESS","hostName":"/rack/node1","startTime":1795298410000,"finishTime":1795298430000}]}],
 "reduceTasks":[{"taskID":"task_7_0001_r_000000","taskType":"REDUCE",
   "attempts":[{"attemptID":"r0","result":"SUCCESS","hostName":"/rack/node2","startTime":1795298420000,"shuffleFinished":1795298435000,"sortFinished":1795298435500,"finishTime":1795298465000}]}]}
`,
	"sls": `{"num.nodes":3,"num.racks":1}
{"rack":"rack1","nodes":[{"node":"node1","vcores":4,"memory-mb":8192},{"node":"node2"}]}
{"am.type":"mapreduce","job.start.ms":5000,"job.end.ms":95000,"job.id":"job_1","job.count":2,
 "job.tasks":[{"container.host":"/rack1/node1","container.start.ms":6000,"container.end.ms":26000,"container.type":"map","container.priority":20},
  {"count":3,"duration.ms":30000,"container.type":"map","container.memory":2048},
  {"duration.ms":12000,"container.type":"reduce","container.vcores":2}]}
{"num_jobs":3,"rand_seed":5,"workloads":[{"workload_weight":1,"job_classes":[{"class_name":"c","class_weight":1,"mtasks_avg":4,"mtasks_stddev":1,"rtasks_avg":2,"rtasks_stddev":0,"dur_avg":60,"mtime_avg":10,"mtime_stddev":2,"rtime_avg":20,"rtime_stddev":4,"chance_of_reservation":1,"deadline_factor_avg":10}],"time_distribution":[{"time":1,"weight":100},{"time":60,"weight":0}]}]}
`,
	"reservation": `{"queue":"dedicated","reservation-id":"reservation_1_0003","reservation-definition":{"arrival":1795298400000,"deadline":1795305600000,"reservation-name":"res_1",
 "reservation-requests":{"reservation-request-interpreter":2,"reservation-request":[
  {"duration":60000,"num-containers":4,"min-concurrency":1,"capability":{"memory":1024,"vCores":1}},
  {"duration":120000,"num-containers":2,"min-concurrency":2,"capability":{"memory":2048,"vCores":2}}]}}}
`,
	"spark": `{"Event":"SparkListenerLogStart","Spark Version":"3.5.0"}
{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.task.cpus":"2"}}
{"Event":"SparkListenerApplicationStart","App Name":"scores","App ID":"app-1","Timestamp":1795298400000}
{"Event":"SparkListenerExecutorAdded","Timestamp":1795298400100,"Executor ID":"1","Executor Info":{"Host":"n1","Total Cores":4}}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1795298401000,"Stage Infos":[{"Stage ID":0,"Stage Name":"load","Number of Tasks":2,"Parent IDs":[]},{"Stage ID":1,"Stage Name":"side","Number of Tasks":1,"Parent IDs":[]},{"Stage ID":2,"Stage Name":"join","Number of Tasks":1,"Parent IDs":[0,1]}]}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":1795298402000,"Finish Time":1795298422000,"Executor ID":"1","Failed":false}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"ExceptionFailure"},"Task Info":{"Index":1,"Launch Time":1795298402000,"Finish Time":1795298407000,"Executor ID":"1","Failed":true}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":1,"Launch Time":1795298408000,"Finish Time":1795298418000,"Executor ID":"1","Failed":false}}
{"Event":"SparkListenerTaskEnd","Stage ID":1,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":1795298402000,"Finish Time":1795298432000,"Executor ID":"1","Failed":false}}
{"Event":"SparkListenerExecutorRemoved","Timestamp":1795298433000,"Executor ID":"1"}
{"Event":"SparkListenerExecutorAdded","Timestamp":1795298434000,"Executor ID":"2","Executor Info":{"Host":"n2","Total Cores":4}}
{"Event":"SparkListenerTaskEnd","Stage ID":2,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":1795298440000,"Finish Time":1795298455000,"Executor ID":"2","Failed":false}}
{"Event":"SparkListenerJobEnd","Job ID":0}
{"Event":"SparkListenerJobStart","Job ID":1,"Submission Time":1795298460000,"Stage Infos":[{"Stage ID":3,"Stage Name":"save","Number of Tasks":1,"Parent IDs":[]}]}
{"Event":"SparkListenerTaskEnd","Stage ID":3,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":1795298461000,"Finish Time":1795298466000,"Executor ID":"2","Failed":false}}
{"Event":"SparkListenerJobEnd","Job ID":1}
{"Event":"SparkListenerApplicationEnd","Timestamp":1795298470000}
`,
	"wfcommons": `{"name":"align","schemaVersion":"1.5","workflow":{
 "specification":{"tasks":[
  {"name":"split_1","id":"split_1","parents":[],"children":["align_1","align_2"]},
  {"name":"align_1","id":"align_1","parents":["split_1"],"children":["merge_1"]},
  {"name":"align_2","id":"align_2","parents":["split_1"],"children":["merge_1"]},
  {"name":"merge_1","id":"merge_1","parents":["align_1","align_2"],"children":[]}]},
 "execution":{"makespanInSeconds":50,"tasks":[
  {"id":"split_1","runtimeInSeconds":2.5,"coreCount":1,"machines":["w1"]},
  {"id":"align_1","runtimeInSeconds":20,"coreCount":2,"memoryInBytes":1000000000,"machines":["w1"]},
  {"id":"align_2","runtimeInSeconds":25,"coreCount":2,"machines":["w2"]},
  {"id":"merge_1","runtimeInSeconds":5,"machines":["w1"]}],
 "machines":[{"nodeName":"w1","memoryInBytes":4000000000,"cpu":{"coreCount":4}},{"nodeName":"w2","memoryInBytes":4000000000,"cpu":{"coreCount":4}}]}}}
`,
	"kubernetes": `{"apiVersion":"v1","kind":"List","items":[
{"kind":"Node","metadata":{"name":"n1","labels":{"disk":"ssd"}},"status":{"allocatable":{"cpu":"7900m","memory":"16Gi","nvidia.com/gpu":"1"},"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-11-21T22:00:00Z"}]}},
{"kind":"Node","metadata":{"name":"n2"},"status":{"allocatable":{"cpu":4,"memory":"8Gi"}}},
{"kind":"Node","metadata":{"name":"n3"},"spec":{"unschedulable":true},"status":{"allocatable":{"cpu":4}}},
{"kind":"CronJob","metadata":{"name":"etl","namespace":"a","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"schedule":"30 23 * * *","timeZone":"Europe/Berlin","jobTemplate":{"spec":{"completions":3,"parallelism":2,"completionMode":"Indexed","template":{"spec":{"nodeSelector":{"disk":"ssd"},"containers":[{"resources":{"requests":{"cpu":"1500m","memory":"1Gi"}}}]}}}}}},
{"kind":"Job","metadata":{"name":"etl-29920230","namespace":"a","creationTimestamp":"2026-11-20T22:30:00Z","ownerReferences":[{"kind":"CronJob","name":"etl"}]},"spec":{"completions":3,"parallelism":2,"completionMode":"Indexed","template":{"spec":{"containers":[{"resources":{"requests":{"cpu":"1500m"}}}]}}},"status":{"startTime":"2026-11-20T22:30:01Z","completionTime":"2026-11-20T22:51:00Z","conditions":[{"type":"Complete","status":"True"}]}},
{"kind":"Pod","metadata":{"name":"etl-0","namespace":"a","annotations":{"batch.kubernetes.io/job-completion-index":"0"},"ownerReferences":[{"kind":"Job","name":"etl-29920230"}]},"spec":{"nodeName":"n1","containers":[]},"status":{"phase":"Succeeded","startTime":"2026-11-20T22:30:02Z","containerStatuses":[{"state":{"terminated":{"finishedAt":"2026-11-20T22:40:02Z"}}}]}},
{"kind":"Pod","metadata":{"name":"etl-2","namespace":"a","annotations":{"batch.kubernetes.io/job-completion-index":"2"},"ownerReferences":[{"kind":"Job","name":"etl-29920230"}]},"spec":{"nodeName":"n1","containers":[]},"status":{"phase":"Succeeded","startTime":"2026-11-20T22:40:02Z","containerStatuses":[{"state":{"terminated":{"finishedAt":"2026-11-20T22:50:32Z"}}}]}},
{"kind":"Job","metadata":{"name":"train","namespace":"a","creationTimestamp":"2026-11-21T21:00:00Z","labels":{"kueue.x-k8s.io/queue-name":"q"}},"spec":{"suspend":true,"completions":1,"activeDeadlineSeconds":3600,"template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]}}}},
{"kind":"LocalQueue","metadata":{"name":"q","namespace":"a"},"spec":{"clusterQueue":"c"}},
{"kind":"ClusterQueue","metadata":{"name":"c"},"spec":{"resourceGroups":[{"flavors":[{"resources":[{"name":"nvidia.com/gpu","nominalQuota":1}]},{"resources":[{"name":"nvidia.com/gpu","nominalQuota":"2"},{"name":"cpu","nominalQuota":"3500m"}]}]}]}}
]}
`,
	"swim": "job0\t49\t49\t740773\t2339561\t627471\njob1\t101\t52\t736346\t0\t432269\njob2\t122\t21\t99000000000\t594312\t233549\n",
	"swf": `; Version: 2.2
; MaxProcs: 16
; UnixStartTime: 1795298400
; a job a line
 1  0  10  600  4 -1 -1  4  900 1024 1  1 1 1 1 -1 -1 -1
 2 60   0 1200 16 -1 -1 16 1800   -1 1  2 1 2 1 -1  1 30
 3 90  -1   -1  8 -1 -1  8  600   -1 5  2 1 2 1 -1 -1 -1
`,
	"airflow": `dag_id,task_id,run_id,map_index,start_date,end_date,duration,state,try_number,hostname,pool,pool_slots,priority_weight,queued_dttm
etl,extract,scheduled__2026-11-20,-1,2026-11-21 22:00:05.123456+00,2026-11-21 22:20:05.123456+00,1200,success,1,w1,db,1,7,2026-11-21 22:00:01+00
etl,load,scheduled__2026-11-20,1,2026-11-21 22:30:05+00,2026-11-21 22:41:05+00,660,success,1,w1,db,2,4,2026-11-21 22:20:10+00
etl,load,scheduled__2026-11-20,0,2026-11-21 22:20:25+00,2026-11-21 22:30:00+00,575,success,1,w2,db,2,4,2026-11-21 22:20:10+00
etl,check,scheduled__2026-11-20,-1,2026-11-21 22:20:25+00,2026-11-21 22:25:25+00,300,success,1,w2,default_pool,1,3,2026-11-21 22:20:10+00
etl,never,scheduled__2026-11-20,-1,2026-11-21 22:41:06+00,2026-11-21 22:41:06+00,0,skipped,0,,default_pool,1,1,
etl,send,scheduled__2026-11-20,-1,2026-11-21 22:41:10+00,2026-11-21 22:42:10+00,60,success,2,w2,default_pool,1,1,2026-11-21 22:41:07+00
"report","sum","manual__1",-1,"2026-11-21 23:00:05+00:00","2026-11-21 23:10:05+00:00",600,"success",1,"w1","default_pool",1,1,"2026-11-21 23:00:01+00"
"report","mail","manual__1",-1,\N,\N,\N,\N,0,,"default_pool",1,1,\N
`,
	"dbt": `{"metadata":{"dbt_schema_version":"https://schemas.getdbt.com/dbt/manifest/v12.json","project_name":"sales"},
 "nodes":{
  "seed.sales.raw":{"resource_type":"seed","depends_on":{"macros":[]}},
  "model.sales.stg":{"resource_type":"model","config":{"materialized":"view"},"depends_on":{"nodes":["seed.sales.raw"]}},
  "model.sales.sums":{"resource_type":"model","config":{"materialized":"ephemeral"},"depends_on":{"nodes":["model.sales.stg"]}},
  "test.sales.unique_stg.1a":{"resource_type":"test","depends_on":{"nodes":["model.sales.stg"]}},
  "model.sales.report":{"resource_type":"model","config":{"materialized":"table"},"depends_on":{"nodes":["model.sales.sums","source.sales.x.y"]}}},
 "sources":{"source.sales.x.y":{"resource_type":"source"}}, "macros":{}}
{"metadata":{"dbt_schema_version":"https://schemas.getdbt.com/dbt/run-results/v6.json","invocation_id":"7c"},
 "results":[
  {"status":"success","unique_id":"seed.sales.raw","thread_id":"Thread-1 (worker)","execution_time":2.5,"timing":[{"name":"compile","started_at":"2026-11-21T22:00:00.000000Z","completed_at":"2026-11-21T22:00:00.100000Z"},{"name":"execute","started_at":"2026-11-21T22:00:00.100000Z","completed_at":"2026-11-21T22:00:02.500000Z"}]},
  {"status":"success","unique_id":"model.sales.stg","thread_id":"Thread-1 (worker)","execution_time":1,"timing":[{"name":"execute","started_at":"2026-11-21T22:00:02.600000Z","completed_at":"2026-11-21T22:00:03.600000Z"}]},
  {"status":"pass","unique_id":"test.sales.unique_stg.1a","thread_id":"Thread-2 (worker)","execution_time":4,"timing":[{"name":"execute","started_at":"2026-11-21T22:00:03.700000Z","completed_at":"2026-11-21T22:00:07.700000Z"}]},
  {"status":"success","unique_id":"model.sales.report","thread_id":"Thread-1 (worker)","execution_time":30,"timing":[{"name":"execute","started_at":"2026-11-21T22:00:07.800000Z","completed_at":"2026-11-21T22:00:37.800000Z"}]}],
 "elapsed_time":38.1,"args":{"which":"build"}}
`,
	"csv": `job,stage,tasks,minutes,fetch,cores,memory,after,release,deadline,hard,weight,run
etl,extract,6,12.5,1m,2,2G,,2026-11-21 22:30,3h,yes,,a
etl,load,2,20,2m,1,4G,extract,,,,,a
etl,extract,6,11,1m,2,2G,,2026-11-20 22:30,3h,yes,,b
etl,load,2,25,,1,4G,extract,,,,,b
report,,3,15,,,,etl,2026-11-21 23:00,,,2,
`,
}

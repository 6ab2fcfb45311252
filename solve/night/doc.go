// Package night plans the rest of a night: what was handed out before some time keeps its
// place to the tick, all else is handed out at that time or later.
//
// # The rest as a job set
//
// The past is no rule that every part of the solver would have to know. It becomes a job
// set of its own, the rest, whose plans are those of the whole with that past:
//
//   - Every slave has its first heartbeat at the time or later.
//   - What tasks of the past still hold of a slave then is reserved (model.Slave.Reservations):
//     cores, slots, the fetch line and named resources, each until they give it back.
//   - The tasks of a stage that are of the past leave one task behind, which stands in for
//     them: it is on a slave of its own, where it can be handed out once the stage may begin
//     and then ends when the last of them does. So stages and jobs wait for it, and the
//     job ends no earlier, as with those for which it stands.
//   - What tasks of the past still take of pools is reserved (model.Pool.Reserved). A cap with a
//     past becomes a pool, of which the others take and what stands in does not (C11).
//   - The others of a gang start when those of the past do (model.Stage.StartAt), and tasks that are
//     apart from some of the past are barred from their slaves (C12). Where that leaves a task no
//     slave it is confined to one that is never there, and its job may be left out.
//
// Every plan of the whole with that past is one of the rest with the same finishes of jobs,
// and the other way round but for tasks that stand in and end too late, which moves none of
// the others. So the optimum is the same, and a bound on the rest is one on the whole.
// Arguments may pass over reservations: what they prove holds all the more.
//
// [Plan] checks every plan once more in terms of the whole: by the validator, and that the
// past is as it was.
package night

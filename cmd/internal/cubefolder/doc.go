// Package cubefolder keeps the cubes of an open proof (package solve/cubes) in a folder that any number
// of processes share. What is in it:
//
//	jobset.yaml          the job set, with its changes made
//	cubes.json           what is asked: the objectives, the values at which the first are closed, what
//	                     was known when it was split; it is written last, so that a folder with it is whole
//	closed.json.gz       the proofs of what was proved before it was split
//	cube-N.json          the cubes, from 1 on: literals in the words of proof files, work
//	plan-….json          plans, by the values of their objectives; the best one sets the limit for all
//	split-CUBE.json      the literal by which a cube was split into CUBE.1 and CUBE.2
//	refuted-CUBE-….json  that a cube is refuted of a limit, and the literals that did it
//	steps-….gz           the steps of that, a part of a series each
//	claim-CUBE           who is at a cube
//
// Every file appears whole, or not at all, and none is ever changed to say something else, so that a
// process that is killed loses no more than its work on one cube, and two that work on the same one do no
// harm. All but the job set and the plans name the folder by an ID, which is made of all that is asked.
package cubefolder

// Package proof holds arguments as data: why jobs cannot all be in time. Searches
// make them, package model/check and those below it work them out once more with code
// that took no part in finding them, and the sentences here say them to people.
//
//	Overload   jobs need more of a resource than there is in an interval
//	           (energetic reasoning)
//	DualBound  multipliers of the Lagrangian relaxation of C4, C5 and C6
//	Branching  a tree of splits with a dual bound at each leaf
//	Packing    tasks do not fit on the cores, at prices by length (Gilmore and Gomory)
//	Cut        some of these jobs are late (logic-based Benders)
//	Refutation a question has no plan, step by step (docs/proof.md)
package proof

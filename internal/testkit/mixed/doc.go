// Package mixed holds all that is asked of tiny job sets against exhaustive search: one generator
// draws each feature of the model with a chance, so that they meet in all combinations, and a
// question with its what-ifs; TestMixed puts them, and DOWNBEAT_FOR=1h says for how long.
//
// A set is plain data here, as its file has it. What changes make of it is worked out on that data
// (change_test.go), and read as a file of its own: so answers about a changed set are held against
// exhaustive search of a set that package change has had no hand in. It is spelled out besides,
// each slave and each instance of a recurring job by itself (spell_test.go).
package mixed

// Package localsearch improves plans step by step: by list scheduling with other
// weights, or where sets are large with an ejection pool.
package localsearch

package retrieval

import (
	"cmp"
	"slices"
)

const (
	radixBits   = 11
	radixPasses = 3
	sortedFrom  = 64 - radixBits*radixPasses // the bits below are not looked at
	// radixLeast is how many elements make the passes worth their tables.
	radixLeast = 4096
)

// sortByHash sorts by hash and keeps the order of equal ones. It distributes by the
// high bits, which random memory access would make several times slower.
func sortByHash(list []occurrence) {
	if len(list) < radixLeast {
		sortPlainly(list)
		return
	}
	from, to := list, make([]occurrence, len(list))
	for pass := range radixPasses {
		shift := 64 - radixBits*(radixPasses-pass)
		distribute(from, to, shift)
		from, to = to, from
	}
	if radixPasses%2 == 1 {
		copy(list, from)
	}
	// Hashes that agree in their high bits stand together; few of them differ.
	for start, end := 0, 1; start < len(list); start, end = end, end+1 {
		mixed := false
		for end < len(list) && list[end].hash>>sortedFrom == list[start].hash>>sortedFrom {
			mixed = mixed || list[end].hash != list[start].hash
			end++
		}
		if mixed {
			sortPlainly(list[start:end])
		}
	}
}

func sortPlainly(list []occurrence) {
	slices.SortStableFunc(list, func(a, b occurrence) int { return cmp.Compare(a.hash, b.hash) })
}

// distribute is one pass over radixBits bits from shift on.
func distribute(from, to []occurrence, shift int) {
	var next [1 << radixBits]uint32
	for i := range from {
		next[from[i].hash>>shift&(1<<radixBits-1)]++
	}
	at := uint32(0)
	for i, n := range next {
		next[i] = at
		at += n
	}
	for i := range from {
		b := from[i].hash >> shift & (1<<radixBits - 1)
		to[next[b]] = from[i]
		next[b]++
	}
}

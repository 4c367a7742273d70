package retrieval

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSortByHashIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{0, 1, 100, radixLeast, 3 * radixLeast} {
		list := make([]occurrence, n)
		for i := range list {
			list[i] = occurrence{hash: r.Uint64N(500)<<55 | r.Uint64N(3)<<20, doc: uint32(i), times: 1}
		}
		want := slices.Clone(list)
		sortPlainly(want)
		sortByHash(list)
		if diff := cmp.Diff(want, list, cmp.AllowUnexported(occurrence{})); diff != "" {
			t.Fatalf("%d (-want +got):\n%s", n, diff)
		}
	}
}

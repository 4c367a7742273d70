package protocoltest

import (
	"testing"
	"time"
)

// deadline is how long Until waits: long enough for a busy machine, and only ever
// waited for by a test that fails.
const deadline = 10 * time.Second

// Until waits until cond holds and fails the test when it does not within ten
// seconds; what says what was waited for. It is for other processes and goroutines
// that nothing else can be waited on: pure timing belongs in testing/synctest. cond
// runs on the calling goroutine.
func Until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	if cond() {
		return
	}
	late := time.NewTimer(deadline)
	defer late.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			if cond() {
				return
			}
		case <-late.C:
			t.Fatalf("waited %v in vain until %s", deadline, what)
		}
	}
}

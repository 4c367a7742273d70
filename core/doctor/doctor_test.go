package doctor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/doctor"
)

func TestResultsKeepTheOrderOfTheChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := doctor.Func("slow", func(context.Context) doctor.Finding {
			time.Sleep(time.Second)
			return doctor.Finding{Status: doctor.Warn, Detail: "late", Fix: "wait"}
		})
		hung := doctor.Func("hung", func(ctx context.Context) doctor.Finding {
			time.Sleep(time.Minute) // does not look at ctx
			return doctor.Finding{Status: doctor.OK}
		})
		quick := doctor.Func("quick", func(context.Context) doctor.Finding { return doctor.Finding{Status: doctor.OK, Detail: "fine"} })
		begin := time.Now()
		got := doctor.Run(t.Context(), 2*time.Second, slow, hung, quick)
		want := []doctor.Result{
			{Name: "slow", Finding: doctor.Finding{Status: doctor.Warn, Detail: "late", Fix: "wait"}},
			{Name: "hung", Finding: doctor.Finding{Status: doctor.Fail, Detail: "the check gave no answer within 2s", Fix: "run it again; if it stays, what it looks at hangs"}},
			{Name: "quick", Finding: doctor.Finding{Status: doctor.OK, Detail: "fine"}},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("took %v, want the limit once", took)
		}
		if w := doctor.Worst(got); w != doctor.Fail {
			t.Errorf("worst is %s", w)
		}
		time.Sleep(time.Minute) // let the one that was left behind end
	})
}

func TestWorst(t *testing.T) {
	of := func(states ...doctor.Status) []doctor.Result {
		var rs []doctor.Result
		for _, s := range states {
			rs = append(rs, doctor.Result{Finding: doctor.Finding{Status: s}})
		}
		return rs
	}
	for _, c := range []struct {
		in   []doctor.Result
		want doctor.Status
	}{
		{nil, doctor.OK},
		{of(doctor.OK, doctor.Warn, doctor.OK), doctor.Warn},
		{of(doctor.Fail, doctor.Warn), doctor.Fail},
	} {
		if got := doctor.Worst(c.in); got != c.want {
			t.Errorf("%v: %s, want %s", c.in, got, c.want)
		}
	}
}

package plan

import (
	"fmt"
	"slices"

	"reasonix/core/event"
)

// Bounds of a list: it is written to the journal whole at every change.
const (
	maxTodos = 100
	maxText  = 1000 // bytes
)

// phase is an item of level 0 and where its sub-steps are in the list.
type phase struct {
	at   int
	subs []int
}

// phases groups a list whose first item is of level 0.
func phases(list []event.Todo) []phase {
	var all []phase
	for i, t := range list {
		if t.Level == 0 || len(all) == 0 {
			all = append(all, phase{at: i})
			continue
		}
		last := &all[len(all)-1]
		last.subs = append(last.subs, i)
	}
	return all
}

// firstOpen is the first sub-step that is not completed, or -1.
func (p phase) firstOpen(list []event.Todo) int {
	for _, i := range p.subs {
		if list[i].Status != completed {
			return i
		}
	}
	return -1
}

// check returns which item of the list breaks a rule and what to do. The list
// before it matters for one rule: a phase is signed off in a later call than its
// last sub-step.
func check(before, list []event.Todo) error {
	if len(list) > maxTodos {
		return fmt.Errorf("%d items are too many; write at most %d larger steps", len(list), maxTodos)
	}
	active := -1
	for i, t := range list {
		switch {
		case t.Text == "":
			return fmt.Errorf("item %d has no content; say what the step is", i+1)
		case len(t.Text) > maxText:
			return fmt.Errorf("%s: content of %d bytes; say it in %d at most", name(list, i), len(t.Text), maxText)
		case t.Level == 1 && i == 0:
			return fmt.Errorf("%s has level 1 and no phase above it; put a level 0 item before it, or make it level 0", name(list, i))
		case t.Status == inProgress && active >= 0:
			return fmt.Errorf("%s and %s are both in_progress; leave one of them pending", name(list, active), name(list, i))
		case t.Status == inProgress:
			active = i
		}
	}
	was := openBefore(before, list)
	for n, p := range phases(list) {
		if err := p.check(was[n], list); err != nil {
			return err
		}
	}
	return nil
}

// check judges one phase; was names the sub-step that was open in the list
// before, or is "".
func (p phase) check(was string, list []event.Todo) error {
	if len(p.subs) == 0 {
		return nil
	}
	open := p.firstOpen(list)
	if open < 0 {
		return p.signOff(was, list)
	}
	if status := list[p.at].Status; status != pending {
		return fmt.Errorf("%s is %s before its sub-step %s is completed; keep the phase pending and work on the sub-step",
			name(list, p.at), status, name(list, open))
	}
	for _, i := range p.subs {
		if i > open && list[i].Status != pending {
			return fmt.Errorf("%s is %s before %s is completed; sub-steps complete in order: complete the earlier one, move it or leave it out",
				name(list, i), list[i].Status, name(list, open))
		}
	}
	return nil
}

// signOff refuses a completed phase with a sub-step that was still open in the
// list before.
func (p phase) signOff(was string, list []event.Todo) error {
	if list[p.at].Status != completed || was == "" {
		return nil
	}
	return fmt.Errorf("%s is completed in the same call as its sub-step %s; make the phase in_progress now, and complete it in a later call when it holds as a whole",
		name(list, p.at), was)
}

// openBefore names, for every phase of list, a sub-step that was open in the list
// before, or "". The n-th phase of a text is the n-th of that text before. One
// that has no such phase was renamed, or is new: it answers for the sub-steps it
// shares with phases before that have no successor either.
func openBefore(before, list []event.Todo) []string {
	old, now := phases(before), phases(list)
	was := make([]string, len(now))
	matched := make([]bool, len(old))
	taken := make([]bool, len(now))
	for n, p := range now {
		for o, q := range old {
			if matched[o] || before[q.at].Text != list[p.at].Text {
				continue
			}
			matched[o], taken[n] = true, true
			if open := q.firstOpen(before); open >= 0 {
				was[n] = name(before, open)
			}
			break
		}
	}
	for n, p := range now {
		if taken[n] {
			continue
		}
		for o, q := range old {
			if open := q.sharedOpen(before, p.texts(list)); !matched[o] && open >= 0 {
				was[n] = name(before, open)
				break
			}
		}
	}
	return was
}

// texts are those of the sub-steps.
func (p phase) texts(list []event.Todo) []string {
	texts := make([]string, len(p.subs))
	for n, i := range p.subs {
		texts[n] = list[i].Text
	}
	return texts
}

// sharedOpen is the first sub-step of one of these texts that is not completed,
// or -1.
func (p phase) sharedOpen(list []event.Todo, texts []string) int {
	for _, i := range p.subs {
		if list[i].Status != completed && slices.Contains(texts, list[i].Text) {
			return i
		}
	}
	return -1
}

// maxName bounds an item's text in an error, in runes.
const maxName = 60

// name is an item as an error names it.
func name(list []event.Todo, i int) string {
	text := list[i].Text
	if runes := []rune(text); len(runes) > maxName {
		text = string(runes[:maxName-1]) + "…"
	}
	return fmt.Sprintf("item %d (%s)", i+1, text)
}

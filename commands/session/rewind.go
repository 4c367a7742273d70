package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/view"
)

// rewindFlags say where to, and what.
type rewindFlags struct {
	goal                      string
	to                        int       // the message's number in the conversation
	seq                       event.Seq // its record's, where that was given
	undo, conversation, files bool
}

func newRewind(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rewind ID",
		Short: "Take a session and its files back to before one of your messages",
		Long: `Take a session back to before your message number N, counted from 1 in the conversation as it is now, as
reasonix session show --messages lists them, or before the record #N that reasonix history show prints, also
of a message that an earlier rewind left behind: the conversation, the files that the session changed since, or,
without a flag, both. Before the record of a rewind is where the session stood before it.

Files come back byte for byte with their modes, also those that commands changed. A file that somebody
else changed since is left as it is and named. What somebody else changed while a command of the session ran
cannot be told from what the command changed: it goes back too, is named as changed while a command ran, and
what it was before the rewind is kept. Nothing is cut from the session: --undo takes the last
rewind back that was not taken back before. What git ignores, and what was too large to keep, does not come back.`,
		Example: `  reasonix session rewind 20260102-150405 --to 3
  reasonix session rewind fix the parser --to 1 --files
  reasonix session rewind 20260102-150405 --to '#120'
  reasonix session rewind 20260102-150405 --undo`,
	}
	var r rewindFlags
	cmd.Flags().StringVar(&r.goal, "to", "", "to before this message of yours: its number, or # and the number of its record, or of a rewind's")
	cmd.Flags().BoolVar(&r.undo, "undo", false, "take the last rewind back; again: the one before it")
	cmd.Flags().BoolVar(&r.conversation, "conversation", false, "the conversation alone")
	cmd.Flags().BoolVar(&r.files, "files", false, "the files alone")
	format := cmdutil.OutputFormat(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error { return r.check() }
	return s.aboutOne(cmd, func(ctx context.Context, f found) error {
		done, err := s.rewind(ctx, f, r)
		if err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(s.app.Out, done.Rewound)
		}
		s.printRewound(done)
		return nil
	})
}

func (r *rewindFlags) check() error {
	switch {
	case r.undo == (r.goal != ""):
		return cmdutil.WithHint(cmdutil.Usagef("say where to: --to N or --undo, one of them"), "reasonix session show ID --messages lists your messages")
	case r.undo:
	case strings.HasPrefix(r.goal, "#"):
		n, err := strconv.ParseUint(r.goal[1:], 10, 63)
		if err != nil || n == 0 {
			return cmdutil.Usagef("--to %s: no number of a record", r.goal)
		}
		r.seq = event.Seq(n)
	default:
		n, err := strconv.Atoi(r.goal)
		if err != nil || n < 1 {
			return cmdutil.Usagef("--to %s: messages are counted from 1", r.goal)
		}
		r.to = n
	}
	if r.conversation == r.files {
		r.conversation, r.files = true, true
	}
	return nil
}

// rewind opens the session and has it rewound.
func (s *shelf) rewind(ctx context.Context, f found, r rewindFlags) (done rewound, err error) {
	in, err := f.store.Info(ctx, f.id)
	if err != nil {
		return done, err
	}
	host, err := wire.New(wire.World{Home: s.app.Home, Version: s.app.Version, Environ: s.app.Environ, Now: s.app.Now, Modelless: true})
	if err != nil {
		return done, err
	}
	opened, err := host.Open(ctx, protocol.Spec{Session: f.id, Workspace: in.Workspace})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return play(ctx, opened, r)
}

// rewound is a rewind that was done, and its record.
type rewound struct {
	event.Rewound
	seq event.Seq
}

// past is what a session's records say of where it can go back to.
type past struct {
	state   view.State
	said    map[event.Seq]message.ID // messages of the user, by record
	rewinds []rewound
}

// play reads the session, submits the op and waits for what came of it.
func play(ctx context.Context, s protocol.Session, r rewindFlags) (rewound, error) {
	p := past{said: map[event.Seq]message.ID{}}
	for env, err := range s.Events(ctx, 0) {
		if err != nil {
			return rewound{}, err
		}
		p.state = view.Apply(p.state, env)
		switch payload := env.Payload.(type) {
		case event.UserSaid:
			p.said[env.Seq] = payload.Message.ID
		case event.Rewound:
			done := rewound{payload, env.Seq}
			if p.state.CaughtUp {
				return done, nil
			}
			p.rewinds = append(p.rewinds, done)
		case event.CaughtUp:
			op, err := r.op(p)
			if err != nil {
				return rewound{}, err
			}
			if err := s.Submit(ctx, op); err != nil {
				return rewound{}, err
			}
		default: // the view has it
		}
	}
	return rewound{}, errors.New("the session was closed before it was rewound")
}

// op finds the message.
func (r rewindFlags) op(p past) (op protocol.Rewind, err error) {
	op.Conversation, op.Files = r.conversation, r.files
	switch {
	case r.undo:
		op.To, op.Since, err = p.undo()
	case r.seq != 0:
		op.To, op.Since, err = p.before(r.seq)
	default:
		op.To, err = r.counted(p)
	}
	return op, err
}

// counted finds a message by its number.
func (r rewindFlags) counted(p past) (message.ID, error) {
	n := 0
	for _, m := range p.state.Messages {
		if m.Role != message.User {
			continue
		}
		if n++; n == r.to {
			return m.ID, nil
		}
	}
	return "", cmdutil.Usagef("--to %d: the conversation has %s of yours", r.to, cmdutil.Count(n, "message"))
}

// before is what a record means as a place to go back to. Files go back to what they
// were at the record of a rewind, and before a message to what they were there.
func (p past) before(seq event.Seq) (to message.ID, since event.Seq, err error) {
	if id, ok := p.said[seq]; ok {
		return id, 0, nil
	}
	for _, r := range p.rewinds {
		if r.seq == seq {
			return r.Was, r.seq, nil
		}
	}
	return "", 0, cmdutil.Usagef("--to #%d: no message of yours and no rewind", seq)
}

// undo is where the last rewind began that no other one took back.
func (p past) undo() (to message.ID, since event.Seq, err error) {
	var open []rewound
	for _, r := range p.rewinds {
		switch n := len(open); {
		case n > 0 && r.undoes(open[n-1]):
			open = open[:n-1]
		case r.Head != r.Was || len(r.Files) > 0:
			open = append(open, r)
		}
	}
	switch {
	case len(p.rewinds) == 0:
		return "", 0, cmdutil.Usagef("--undo: this session was never rewound")
	case len(open) == 0:
		last := p.rewinds[len(p.rewinds)-1]
		return "", 0, cmdutil.WithHint(cmdutil.Usagef("--undo: every rewind was taken back"), fmt.Sprintf("--to '#%d' takes the last undo back", last.seq))
	}
	newest := open[len(open)-1]
	return newest.Was, newest.seq, nil
}

// undoes reports whether r goes back to where last began. Of rewinds of files alone their
// contents tell.
func (r rewound) undoes(last rewound) bool {
	if r.Head != last.Was || r.Head != r.Was {
		return r.Head == last.Was
	}
	was := map[string]event.File{}
	for _, f := range last.Files {
		was[f.Path] = f
	}
	for _, f := range r.Files {
		if before, ok := was[f.Path]; !ok || before.Before != f.After || before.ModeWas != f.Mode {
			return false
		}
	}
	return len(r.Files) > 0
}

// whileCommand is said of what may be somebody else's change: nobody knows who writes
// while a command runs.
const whileCommand = "changed while a command ran"

func (s *shelf) printRewound(done rewound) {
	seen := false
	for _, f := range done.Files {
		verb := "restored"
		if f.Mode == "" {
			verb = "removed"
		}
		note := ""
		if f.Seen {
			note, seen = "  ("+whileCommand+")", true
		}
		fmt.Fprintf(s.app.Out, "%-8s  %s%s\n", verb, plain(f.Path), note)
	}
	for _, k := range done.Kept {
		name := plain(k.Path)
		if name == "" {
			name = "-"
		}
		fmt.Fprintf(s.app.Out, "kept      %s  (%s)\n", name, plain(k.Reason))
	}
	if seen {
		fmt.Fprintf(s.app.Err, "what %s may be somebody else's work; it is kept, and --undo brings it back\n", whileCommand)
	}
	if done.Head != done.Was {
		fmt.Fprintf(s.app.Err, "the conversation stands somewhere else now; --to '#%d' goes back to where it was before\n", done.seq)
	}
}

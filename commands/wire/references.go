package wire

import (
	"context"
	"fmt"
	"strings"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/mention"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/slash"
	"reasonix/core/workspace"
)

// references are what typed text of a session can refer to.
type references struct {
	files   *workspace.FS
	environ []string // of the process
	servers *servers
	models  *models // the current one says whether images are of use
	emit    func(event.Payload) error
	save    agent.SaveFunc
}

// say is the engine.Prepare that adds what the typed text refers to.
func (r references) say(ctx context.Context, said *event.UserSaid) error {
	if !strings.Contains(said.Display, "@") || len(said.Sources) > 0 && said.Sources[0].Kind == event.SourceData {
		return nil
	}
	got := mention.Expand(ctx, r.options(), said.Display)
	for _, text := range got.Notices {
		if err := r.emit(event.Notice{Level: event.LevelWarning, Code: "reference_failed", Args: []string{text}, Text: text}); err != nil {
			return err
		}
	}
	for _, image := range got.Images {
		hash, _, err := r.save(strings.NewReader(string(image.Data)))
		if err != nil {
			return fmt.Errorf("keep %s: %w", image.Name, err)
		}
		said.Message.Attachments = append(said.Message.Attachments, message.Attachment{Name: image.Name, MIME: image.MIME, Hash: hash, Size: int64(len(image.Data))})
	}
	said.Message.Content = got.Before(said.Message.Content)
	for _, s := range got.Sources {
		said.Sources = append(said.Sources, event.Source(s))
	}
	return nil
}

func (r references) options() mention.Options {
	return mention.Options{
		Files: r.files, Home: userHome(r.environ), XDG: variable(r.environ, "XDG_CONFIG_HOME"), Images: r.models.current().Vision,
		Resources: serverResources{r.servers},
	}
}

// complete is protocol.Catalog's Complete in a session with these commands.
func (r references) complete(ctx context.Context, commands *slash.Set, text string, cursor int) ([]protocol.Completion, error) {
	if cursor < 0 || cursor > len(text) {
		return nil, &protocol.BadOp{Op: "Complete", Field: "Cursor", Reason: "lies outside the text"}
	}
	var list []protocol.Completion
	if word, ok := strings.CutPrefix(text[:cursor], "/"); ok && !strings.ContainsAny(word, " \t\n") {
		for _, c := range commands.Complete(word) {
			list = append(list, protocol.Completion{Insert: "/" + c.Name + " ", Label: strings.TrimSpace("/" + c.Name + " " + c.Hint), Kind: "command", To: cursor})
		}
		return list, nil
	}
	if list, ok := r.servers.completions(ctx, text[:cursor]); ok {
		return list, nil
	}
	got := mention.Complete(ctx, r.options(), text, cursor)
	for _, c := range got.Items {
		list = append(list, protocol.Completion{Insert: c.Insert, Label: c.Label, Kind: c.Kind, From: got.From, To: got.To})
	}
	return list, nil
}

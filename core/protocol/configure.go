package protocol

// Configure changes how the session works. A nil field stays; an op with a field that
// nobody can act on changes nothing and is a *BadOp. Approval counts from the next
// call on, and Title and AddDirs at once; the rest counts from the next turn on, and
// Offered.Deferred says so while a turn runs. Configured has the result.
type Configure struct {
	Model, Effort *string // Effort empty: the model's own
	WorkMode      *string // economy, balanced
	Approval      *string // ask, auto, yolo
	Mode          *string
	Title         *string
	Limits        Limits
	AddDirs       []string // further writable directories, absolute
}

// Reload reads again what a person can change beside the configuration: commands,
// skills, hooks. It is done between turns; Offered has the result, a Notice names what
// is wrong.
type Reload struct{}

func (Configure) op() {}
func (Reload) op()    {}

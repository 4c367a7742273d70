package protocol

// What a Server op does.
const (
	ServerConnect    = "connect"
	ServerDisconnect = "disconnect"
	ServerRestart    = "restart"
)

// Server connects, disconnects or restarts one MCP server of the session, or adds one
// for the session's life when Add is set. ServerChanged says what became of it.
type Server struct {
	Name, Action string
	Add          *ServerSpec
}

// ServerSpec is an MCP server that a front end brings along. It counts as declared by
// the user, who chose the front end.
type ServerSpec struct {
	Name, Type   string // stdio (default), http, sse
	Command      string
	Args         []string
	Env, Headers map[string]string
	URL          string
}

// Trust grants, or takes back, one part of the workspace's configuration, just as it
// was shown: Hash is that of the part. ServerChanged or Offered follows where it makes
// a difference to this session; the rest counts from the next one on.
type Trust struct {
	Kind, Name, Hash string
	Revoke           bool
}

func (Server) op() {}
func (Trust) op()  {}

package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mortal is a transport whose connection is closed when life ends. The SDK detaches
// what it does in the background, such as connecting to a stream again and again,
// from every context; only the connection's own end reaches it, and until Connect
// returned nobody else has the connection.
type mortal struct {
	sdk.Transport
	life context.Context
}

// Connect implements sdk.Transport. The connection is handed on as it is: the SDK
// looks for more methods than sdk.Connection has.
func (m *mortal) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := m.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(m.life, func() { _ = conn.Close() })
	return conn, nil
}

package shape_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"reasonix/core/message"
	"reasonix/integrations/mcp/shape"
)

// BenchmarkManyTools is what 400 tools with 1.5 MB of schemas cost at a start (MC-19).
func BenchmarkManyTools(b *testing.B) {
	names, schemas := make([]string, 400), make([]map[string]any, 400)
	for i := range names {
		names[i] = fmt.Sprintf("tool.number %d", i)
		properties := map[string]any{}
		for j := range 20 {
			properties[fmt.Sprintf("argument_%d", j)] = map[string]any{"type": []any{"string", "null"}, "description": strings.Repeat("words ", 22)}
		}
		schemas[i] = map[string]any{"$schema": "x", "type": "object", "properties": properties}
	}
	for b.Loop() {
		known := shape.Names("srv", names)
		tools := make([]message.ToolSchema, len(names))
		size := 0
		for i, s := range schemas {
			legal, err := shape.Schema(s)
			if err != nil {
				b.Fatal(err)
			}
			tools[i] = message.ToolSchema{Name: known[names[i]], Parameters: json.RawMessage(legal)}
			size += len(legal)
		}
		b.ReportMetric(float64(size), "bytes")
		b.ReportMetric(float64(shape.Tokens(tools...)), "tokens")
	}
}

package openai

import "reasonix/core/message"

// delta is what one event of a stream says, or a whole completion: the fields
// anybody reads, as slices of the event. It is filled in again for each event, so
// that the steady state allocates nothing.
type delta struct {
	parts     []part  // content and reasoning, in order
	details   []byte  // reasoning_details, verbatim
	calls     []piece // pieces of tool calls
	refusal   text
	finish    text
	fault     []byte // an error object, or the event that is one
	usage     message.Usage
	hasUsage  bool
	hasChoice bool
}

// part is one piece of text and where it came from.
type part struct {
	from origin
	text text
}

// origin is the wire field of a piece of text.
type origin int

const (
	fromContent          origin = iota
	fromThinking                // a thinking part of list-valued content
	fromReasoningContent        // the names under which vendors send reasoning
	fromReasoning
	fromDetails
	origins
)

// piece is one entry of delta.tool_calls.
type piece struct {
	index    int // -1 when there is none
	id, name text
	args     text
	object   []byte // arguments that are not a string
}

// parse reads one event. It reports false for anything that is not a JSON object
// with both its ends, and then d says nothing.
func (d *delta) parse(event []byte) bool {
	*d = delta{parts: d.parts[:0], calls: d.calls[:0]}
	w := walker{b: event}
	if w.peek() != '{' {
		return false
	}
	var isError bool
	for w.open('{'); w.next('}'); {
		switch string(w.key()) {
		case "choices":
			d.choices(&w)
		case "usage":
			d.readUsage(&w)
		case "x_groq":
			d.vendor(&w)
		case "error":
			d.setFault(w.raw())
		case "object", "type":
			isError = string(w.text().raw) == "error" || isError
		default:
			w.skip()
		}
	}
	if w.bad || w.peek() != 0 {
		*d = delta{parts: d.parts[:0], calls: d.calls[:0]}
		return false
	}
	if isError && d.fault == nil {
		d.fault = event
	}
	return true
}

// setFault keeps an error that says something; null, false and {} do not.
func (d *delta) setFault(raw []byte) {
	switch string(raw) {
	case "", "null", "false", "{}", `""`:
	default:
		d.fault = raw
	}
}

// vendor reads x_groq.
func (d *delta) vendor(w *walker) {
	if !w.open('{') {
		return
	}
	for w.next('}') {
		switch string(w.key()) {
		case "usage":
			d.readUsage(w)
		case "error":
			d.setFault(w.raw())
		default:
			w.skip()
		}
	}
}

func (d *delta) choices(w *walker) {
	if !w.open('[') {
		return
	}
	for w.next(']') {
		if w.open('{') {
			d.choice(w)
		}
	}
}

// choice reads the first choice. Others are not asked for; when they come anyway
// they are passed over, so that two answers are never mixed.
func (d *delta) choice(w *walker) {
	first := true
	for w.next('}') {
		switch key := w.key(); {
		case !first:
			w.skip()
		case string(key) == "index":
			first = w.count() == 0
		case string(key) == "delta", string(key) == "message":
			d.message(w)
		case string(key) == "finish_reason":
			if t := w.text(); !t.empty() {
				d.finish = t
			}
		case string(key) == "usage":
			d.readUsage(w)
		case string(key) == "error":
			d.setFault(w.raw())
		default:
			w.skip()
		}
	}
	d.hasChoice = d.hasChoice || first
}

func (d *delta) message(w *walker) {
	if !w.open('{') {
		return
	}
	for w.next('}') {
		switch string(w.key()) {
		case "content":
			d.content(w, fromContent)
		case "reasoning_content":
			d.content(w, fromReasoningContent)
		case "reasoning":
			d.content(w, fromReasoning)
		case "reasoning_details":
			d.reasoningDetails(w)
		case "refusal":
			d.refusal = w.text()
		case "tool_calls":
			d.toolCalls(w)
		case "function_call":
			p := piece{index: -1}
			p.function(w)
			d.add(p)
		default:
			w.skip()
		}
	}
}

// content reads a string, a part, or a list of either.
func (d *delta) content(w *walker, from origin) {
	switch w.peek() {
	case '"':
		if t := w.text(); !t.empty() {
			d.parts = append(d.parts, part{from, t})
		}
	case '[':
		for w.open('['); w.next(']'); {
			if w.peek() == '[' {
				w.skip() // no vendor nests lists, and recursion must end
				continue
			}
			d.content(w, from)
		}
	case '{':
		d.contentPart(w, from)
	default:
		w.skip()
	}
}

// contentPart reads one typed part. The thinking of a part comes as a string or
// as a list of text parts.
func (d *delta) contentPart(w *walker, from origin) {
	for w.open('{'); w.next('}'); {
		switch string(w.key()) {
		case "refusal":
			d.refusal = w.text()
		case "text", "content":
			if t := w.text(); !t.empty() {
				d.parts = append(d.parts, part{from, t})
			}
		case "thinking", "reasoning":
			if from == fromContent {
				from = fromThinking
			}
			d.thinking(w, from)
		default:
			w.skip()
		}
	}
}

func (d *delta) thinking(w *walker, from origin) {
	if w.peek() != '[' {
		if t := w.text(); !t.empty() {
			d.parts = append(d.parts, part{from, t})
		}
		return
	}
	for w.open('['); w.next(']'); {
		if !w.open('{') {
			continue
		}
		for w.next('}') {
			if string(w.key()) != "text" {
				w.skip()
			} else if t := w.text(); !t.empty() {
				d.parts = append(d.parts, part{from, t})
			}
		}
	}
}

// reasoningDetails keeps the list for the replay and its texts for people.
func (d *delta) reasoningDetails(w *walker) {
	if w.peek() != '[' {
		w.skip()
		return
	}
	start := w.i
	for w.open('['); w.next(']'); {
		if !w.open('{') {
			continue
		}
		for w.next('}') {
			switch string(w.key()) {
			case "text", "summary":
				if t := w.text(); !t.empty() {
					d.parts = append(d.parts, part{fromDetails, t})
				}
			default:
				w.skip()
			}
		}
	}
	if !w.bad {
		d.details = w.b[start:w.i]
	}
}

func (d *delta) toolCalls(w *walker) {
	if w.peek() == '{' { // one call without its list
		p := piece{index: -1}
		p.read(w)
		d.add(p)
		return
	}
	if !w.open('[') {
		return
	}
	for w.next(']') {
		p := piece{index: -1}
		p.read(w)
		d.add(p)
	}
}

// add keeps a piece that says something.
func (d *delta) add(p piece) {
	if p.index >= 0 || !p.id.empty() || !p.name.empty() || !p.args.empty() || p.object != nil {
		d.calls = append(d.calls, p)
	}
}

func (p *piece) read(w *walker) {
	if !w.open('{') {
		return
	}
	for w.next('}') {
		switch string(w.key()) {
		case "index":
			if n, ok := w.number(); ok && n >= 0 && n < 1<<20 {
				p.index = int(n)
			}
		case "id":
			p.id = w.scalar()
		case "function":
			p.function(w)
		case "name":
			p.name = w.text()
		case "arguments":
			p.arguments(w)
		default:
			w.skip()
		}
	}
}

func (p *piece) function(w *walker) {
	if !w.open('{') {
		return
	}
	for w.next('}') {
		switch string(w.key()) {
		case "name":
			p.name = w.text()
		case "arguments":
			p.arguments(w)
		default:
			w.skip()
		}
	}
}

func (p *piece) arguments(w *walker) {
	switch w.peek() {
	case '"':
		p.args = w.text()
	default:
		if raw := w.raw(); string(raw) != "null" {
			p.object = raw
		}
	}
}

// scalar is a string or a number's digits; null is nothing.
func (w *walker) scalar() text {
	if w.peek() == '"' {
		return w.text()
	}
	raw := w.raw()
	if len(raw) == 0 || raw[0] == 'n' || raw[0] == '{' || raw[0] == '[' {
		return text{}
	}
	return text{raw: raw}
}

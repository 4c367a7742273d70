//go:build bench && linux

package commands_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reasonix/core/provider/providertest"
)

// TestMeasure measures whole processes of the stripped binary against a scripted
// model on this machine and prints a table. With FLOOR=PROGRAM that program is
// measured beside it, in turns, called as
//
//	PROGRAM -base URL [-state FILE [-continue]] PROMPT    and    PROGRAM --version
//
// Figures are medians of RUNS runs (5). Only ratios of one invocation mean
// anything; make bench runs it.
func TestMeasure(t *testing.T) {
	b := newBench(t)
	for _, p := range b.programs { // what is found out about the machine is kept
		b.model.play(hello())
		b.run(t, p, p.args(false, "hello"), b.dir)
	}
	for range b.runs {
		for _, p := range b.programs {
			b.round(t, p)
		}
	}
	b.searches(t)
	b.print()
}

const (
	loopCalls   = 200
	shellCalls  = 100
	tokens      = 50_000
	edgeGaps    = 20 // the first and the last turns of the loop that are compared
	treeFiles   = 20_000
	sampleEvery = 2 * time.Millisecond
)

// program is what is measured.
type program struct {
	name    string
	args    func(resume bool, prompt string) []string
	version []string
	env     []string
	samples map[string][]float64 // by metric
}

type bench struct {
	runs     int
	dir      string // the workspace
	size     int64  // of the binary
	model    *benchModel
	programs []*program
	searched map[string][]float64
}

func newBench(t *testing.T) *bench {
	b := &bench{runs: 5, dir: t.TempDir(), model: startBenchModel(t), searched: map[string][]float64{}}
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil && n > 0 {
		b.runs = n
	}
	for i := range loopCalls {
		var text strings.Builder
		for line := range 40 {
			fmt.Fprintf(&text, "file %03d line %03d: some text of a plain source\n", i, line)
		}
		put(t, filepath.Join(b.dir, fmt.Sprintf("f%03d.txt", i)), text.String())
	}
	b.programs = append(b.programs, b.reasonix(t))
	if floor := os.Getenv("FLOOR"); floor != "" {
		state := filepath.Join(t.TempDir(), "state.jsonl")
		b.programs = append(b.programs, &program{
			name: "floor", version: []string{floor, "--version"}, samples: map[string][]float64{},
			args: func(resume bool, prompt string) []string {
				args := []string{floor, "-base", b.model.url, "-state", state}
				if resume {
					args = append(args, "-continue")
				}
				return append(args, prompt)
			},
		})
	}
	return b
}

// reasonix builds the binary as it is released.
func (b *bench) reasonix(t *testing.T) *program {
	exe := filepath.Join(t.TempDir(), "reasonix")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe, "reasonix/cmd/reasonix")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	info, err := os.Stat(exe)
	if err != nil {
		t.Fatal(err)
	}
	b.size = info.Size()
	home := t.TempDir()
	put(t, filepath.Join(home, "config.toml"), fmt.Sprintf(`default_model = "m"
[[providers]]
name = "m"
kind = "openai"
base_url = %q
model = "bench"
context_window = 4000000
vision = true
api_key_env = ""
`, b.model.url))
	return &program{
		name: "reasonix", version: []string{exe, "--version"}, samples: map[string][]float64{},
		env: []string{"REASONIX_HOME=" + home, "HOME=" + home},
		args: func(resume bool, prompt string) []string {
			args := []string{exe, "run"}
			if resume {
				args = append(args, "--continue")
			}
			return append(args, prompt)
		},
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// round runs every scenario once.
func (b *bench) round(t *testing.T, p *program) {
	v := b.run(t, p, p.version, b.dir)
	p.add("--version: CPU, ms", ms(v.cpu))

	b.model.play(hello())
	h := b.run(t, p, p.args(false, "hello"), b.dir)
	p.add("hello: CPU, ms", ms(h.cpu))
	p.add("hello: wall, ms", ms(h.wall))
	p.add("hello: peak RSS, MB", mb(h.rss))
	p.add("hello: requests", float64(len(h.exchanges)))
	p.add("hello: first request, bytes", float64(h.exchanges[0].size))

	b.model.play(calls(loopCalls, func(i int) providertest.Call { return read(fmt.Sprintf("f%03d.txt", i)) }))
	l := b.run(t, p, p.args(false, "read them all"), b.dir)
	all := gaps(l.exchanges)
	p.add("200 reads: CPU, ms", ms(l.cpu))
	p.add("200 reads: wall, ms", ms(l.wall))
	p.add("200 reads: peak RSS, MB", mb(l.rss))
	p.add("200 reads: sent, MB", mb(l.sent))
	p.add("200 reads: written / last request", float64(l.written)/float64(l.exchanges[loopCalls].size))
	p.add("200 reads: gap of the first 20, ms", ms(median(all[:edgeGaps])))
	p.add("200 reads: gap of the last 20, ms", ms(median(all[len(all)-edgeGaps:])))

	b.model.play(hello())
	r := b.run(t, p, p.args(true, "and now?"), b.dir)
	p.add("resume of it: CPU, ms", ms(r.cpu))
	p.add("resume of it: peak RSS, MB", mb(r.rss))

	b.model.play(long(tokens))
	s := b.run(t, p, p.args(false, "tell"), b.dir)
	p.add("50,000 tokens: CPU per token, us", float64((s.cpu-h.cpu).Nanoseconds())/1000/tokens)

	b.model.play(calls(shellCalls, func(i int) providertest.Call { return shell(fmt.Sprintf("cat f%03d.txt", i)) }))
	c := b.run(t, p, p.args(false, "run them all"), b.dir)
	p.add("100 commands: gap, ms", ms(median(gaps(c.exchanges))))
}

func hello() []providertest.Reply { return []providertest.Reply{providertest.Text("hello")} }

// calls are n replies with one call each, then an answer.
func calls(n int, call func(int) providertest.Call) []providertest.Reply {
	var all []providertest.Reply
	for i := range n {
		c := call(i)
		c.ID = fmt.Sprintf("call_%d", i)
		all = append(all, providertest.Calls(c))
	}
	return append(all, providertest.Text("done"))
}

// long is one answer of n words, an event each.
func long(n int) []providertest.Reply {
	chunks := []string{providertest.Delta(`"role":"assistant","content":""`)}
	for i := range n {
		chunks = append(chunks, providertest.Delta(fmt.Sprintf(`"content":"word%d "`, i%100)))
	}
	chunks = append(chunks, providertest.Finish("stop"), providertest.UsageEvent(100, 0, n), providertest.Done)
	return []providertest.Reply{providertest.Raw(chunks...)}
}

// searches compares grep and glob on a generated tree with ripgrep, where that is
// installed: the gap of a turn with one search against the wall of one process.
func (b *bench) searches(t *testing.T) {
	tree := t.TempDir()
	for i := range treeFiles {
		name, text := fmt.Sprintf("src_%d.txt", i), strings.Repeat(fmt.Sprintf("func item_%d(x int) int { return x } // filler words here\n", i), 30)
		if i%500 == 7 {
			text += fmt.Sprintf("needle_%d_xyz here\n", i)
		}
		if i%500 == 9 {
			name = fmt.Sprintf("special_%d.txt", i)
		}
		put(t, filepath.Join(tree, fmt.Sprintf("d%02d/e%02d", i%20, i/20%20), name), text)
	}
	p := b.programs[0]
	for range b.runs + 1 {
		for name, c := range map[string]providertest.Call{
			"grep": {Name: "grep", Arguments: `{"pattern":"needle_\\d+_xyz"}`},
			"glob": {Name: "glob", Arguments: `{"pattern":"special_*.txt"}`},
		} {
			b.model.play(calls(1, func(int) providertest.Call { return c }))
			b.found(name, ms(gaps(b.run(t, p, p.args(false, "search"), tree).exchanges)[0]))
		}
		rg, err := exec.LookPath("rg")
		if err != nil {
			continue
		}
		b.found("rg", ms(b.run(t, p, []string{rg, "--no-messages", `needle_\d+_xyz`, "."}, tree).wall))
		b.found("rg --files", ms(b.run(t, p, []string{rg, "--files", "-g", "special_*.txt"}, tree).wall))
	}
}

// found keeps a search's time but the first, which fills the system's cache.
func (b *bench) found(name string, v float64) {
	if _, warm := b.searched[name]; !warm {
		b.searched[name] = []float64{}
		return
	}
	b.searched[name] = append(b.searched[name], v)
}

func (p *program) add(metric string, v float64) { p.samples[metric] = append(p.samples[metric], v) }

// sample is what one process cost.
type sample struct {
	cpu, wall          time.Duration // cpu with that of the processes it waited for
	rss, sent, written int64         // bytes; written to files, as seen at most sampleEvery before the end
	exchanges          []exchange
}

func (b *bench) run(t *testing.T, p *program, argv []string, dir string) sample {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(os.Environ(), p.env...)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watch := watchProcess(cmd.Process.Pid)
	err := cmd.Wait()
	s := sample{wall: time.Since(begin), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), exchanges: b.model.done()}
	seen := watch()
	if err != nil {
		t.Fatalf("%s: %v\n%s", argv, err, out.String())
	}
	s.rss, s.sent = seen.rss, b.model.received.Load()
	s.written = max(0, seen.written-s.sent-int64(out.Len()))
	return s
}

// seen is what the system says of a running process.
type seen struct{ rss, written int64 }

// watchProcess looks at a process until the returned function is called. Its peak is
// read while it runs: what wait tells begins with the size of this process.
func watchProcess(pid int) func() seen {
	stop, result := make(chan struct{}), make(chan seen)
	go func() {
		var last seen
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			last.rss = max(last.rss, 1024*procField(pid, "status", "VmHWM:"))
			last.written = max(last.written, procField(pid, "io", "wchar:"))
			select {
			case <-tick.C:
			case <-stop:
				result <- last
				return
			}
		}
	}()
	return func() seen {
		close(stop)
		return <-result
	}
}

func procField(pid int, file, field string) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), field)
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(words[0], 10, 64)
	return n
}

// print writes the table.
func (b *bench) print() {
	fmt.Printf("\nbinary, stripped: %.1f MB; medians of %d runs\n\n| metric | reasonix | floor | ratio |\n|---|---:|---:|---:|\n", mb(b.size), b.runs)
	ours := b.programs[0].samples
	for _, metric := range metrics(ours) {
		row := fmt.Sprintf("| %s | %.2f |", metric, median(ours[metric]))
		if len(b.programs) > 1 {
			floor := median(b.programs[1].samples[metric])
			row += fmt.Sprintf(" %.2f | %.2f |", floor, median(ours[metric])/floor)
		} else {
			row += " | |"
		}
		fmt.Println(row)
	}
	fmt.Printf("\n| search of %d files | gap, ms | ripgrep, ms | ratio |\n|---|---:|---:|---:|\n", treeFiles)
	for _, s := range [][2]string{{"grep", "rg"}, {"glob", "rg --files"}} {
		gap := median(b.searched[s[0]])
		if len(b.searched[s[1]]) == 0 {
			fmt.Printf("| %s | %.1f | | |\n", s[0], gap)
			continue
		}
		fmt.Printf("| %s | %.1f | %.1f | %.2f |\n", s[0], gap, median(b.searched[s[1]]), gap/median(b.searched[s[1]]))
	}
}

// metrics are the names in the order in which scenarios run.
func metrics(samples map[string][]float64) []string {
	order := []string{"--version", "hello", "200 reads", "resume", "50,000", "100 commands"}
	rank := func(name string) int {
		return slices.IndexFunc(order, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	var names []string
	for name := range samples {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

func median[T int | float64 | time.Duration](list []T) T {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
func mb(n int64) float64         { return float64(n) / 1e6 }

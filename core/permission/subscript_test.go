package permission_test

import (
	"strings"
	"testing"
)

// A subscript is computed with, and what it computes with may run commands: it counts
// wherever a shell evaluates one, quoted or not.
func TestASubscriptIsComputedWith(t *testing.T) {
	for _, script := range []string{
		`a=(['b[$(rm -r d)]']=1)`, `a+=(['b[$(rm -r d)]']=1)`, `a=(x ['b[$(rm -r d)]']=2)`, `declare -a a=(['b[$(rm -r d)]']=1)`, `declare -A a=(["x"]=1 ['b[$(rm -r d)]']=2)`, `local m=(['b[$(rm -r d)]']=2)`,
		`readonly m=(['b[$(rm -r d)]']=2)`, `export m=(['b[$(rm -r d)]']=2)`, `typeset m=(['b[$(rm -r d)]']=2)`, `a=(["b[\$(rm -r d)]"]=1)`, `a=([$'b[\x24(rm -r d)]']=1)`, `A=1 a=(['b[$(rm -r d)]']=1)`,
		`a['$(rm -r d)']=1`, "a['b[`rm -r d`]']=1", `a["\$(rm -r d)"]+=1`, `declare a['$(rm -r d)']=1`, `export a['b[$(rm -r d)]']=1`, `f() { local a['$(rm -r d)']=1; }; f`, `a['$(rm -r d)']=1 ls`, `bash -c "a=(['b[\$(rm -r d)]']=1)"`,
		`exec {m['$(rm -r d)']}>x`, `for b in 'a[$(rm -r d)]'; do c=([b]=1); done`,
	} {
		for _, text := range []string{"allow Bash; deny Bash(rm:*)", "mode allow; deny Bash(rm:*)"} {
			if got := policy(t, text).Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
				t.Errorf("[%s] %q: %v", text, script, got.Decision)
			}
		}
		p := policy(t, "allow Bash(ls:*)")
		p.ReadOnlyCommands = true
		if got := p.Decide("bash", false, bash(script)); got == allow {
			t.Errorf("without a rule %q: %v", script, got)
		}
	}
	p := policy(t, "mode ask")
	p.ReadOnlyCommands = true
	for script, want := range map[string]bool{
		"a=(x y)": true, "a=([0]=x [1]=y)": true, "a=([1+1]=x)": true, "a[0]=x": true, "declare -a a=(x)": true, "a=([b]=1)": false, "b=1; a=([b]=1)": false, "a[b]=1": false, `a["x"]=1`: false,
	} {
		if got := p.Decide("bash", false, bash(script)); (got == allow) != want {
			t.Errorf("%q: %v", script, got)
		}
	}
}

// Text that holds a command is not computed with, by whatever way it gets into a
// variable.
func TestTextThatReachesArithmeticIsHidden(t *testing.T) {
	const text = `'a[$(rm -r d)]'`
	for _, script := range []string{
		"read y <<< T; echo $((y))", "for y in T; do echo $((y)); done", "set -- T; echo $(($1))", "f() { echo $(($1)); }; f T", "mapfile -t y <<< T; (( y ))", "readarray -t y < <(echo T); (( y ))", "echo T | while read y; do (( y )); done", "read y <<'E'\na[$(rm -r d)]\nE\necho $((y))",
		`y='a[\x24(rm -r d)]'; printf -v z "$y"; echo $((z))`, "printf -v y %s T; echo $((y))", "x=([0]=T); echo $((x))", "echo T > f; read y < f; echo $((y))", `bash -c 'echo $(($1))' x T`, "set -- T; a[$1]=1", "set -- T; a=([$1]=1)", "set -- T; echo ${a[$1]}", "set -- T; echo ${x:$1}", "set -- T; let y=$1", "set -- T; let $1",
		"read y <<< T; [[ $y -eq 1 ]]", "read y <<< T; [[ -v $y ]]", `read y <<< T; test -v "$y"`, `read y <<< T; [ -v "$y" ]`, `read y <<< T; unset "$y"`, `read y <<< T; printf -v "$y" x`, `read y <<< T; read "$y" < z`, `read y <<< T; wait -n -p "$y"`, `read y <<< T; declare "$y=1"`, `read y <<< T; export "$y=1"`, "read y <<< T; declare -i n=$y", "'read' y <<< T; echo $((y))", `y=1; \read y <<< T; echo $((y))`, "y=1; command 'read' y <<< T; (( y ))", "read y <<< T; declare '-i' n; n=$y", "read y <<< T; declare -i n; n=$y",
		`for A in -v; do for y in T; do test ! "$A" "$y"; done; done`, `set -- -v T; test "$@"`, "for ((i=0; i<$1; i++)); do :; done; set -- T", "read a b <<< '[$ (rm'; y=$a$b; (( y ))", `y='a[$'; set -- "$y" '(rm -r d)]'; echo $(($1$2))`, "read y <<< T; echo ${!y}", "read y <<< T; x=$((y)) ls", "getopts a: y -a T; echo $((OPTARG))", "select y in T; do (( y )); done",
		`read y <<< "a[\$(rm -r d)]"; echo $((y))`, `read y <<< $'a[\x24(rm -r d)]'; echo $((y))`, `echo -e 'a[\044(rm -r d)]' | while read -r y; do echo $((y)); done`,
	} {
		script = strings.ReplaceAll(script, "T", text)
		for _, rules := range []string{"allow Bash; deny Bash(rm:*)", "mode allow; deny Bash(rm:*)"} {
			if got := policy(t, rules).Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
				t.Errorf("[%s] %q: %v", rules, script, got.Decision)
			}
		}
	}
	for _, script := range []string{
		"read y <<< 5; echo $((y + 1))", "for i in 1 2; do echo $((i * 2)); done", "n=$(wc -l < a); echo $((n + 1))", `n=$(awk '{print $1}' a); echo $((n + 1))`, "set -- 1 2; echo $(($1 + $2))", `grep 'x$' a; echo $((n + 1))`, "for ((i=0; i<3; i++)); do echo $i; done",
		"f() { echo $(($1 + 1)); }; f 2", "while read -r n; do t=$((t + n)); done < a", `i=0; while [ $i -lt 3 ]; do i=$((i+1)); done`, `echo 'costs $5'; (( i++ ))`, `printf '%s\n' "$x"; test "$x" = y; (( i++ ))`, `echo '$(date)'; ls`, `git commit -m 'use $(pwd)'; test "$x" = y`,
	} {
		if got := policy(t, "mode allow; deny Bash(rm:*)").Explain("bash", false, bash(script)); got.Decision != allow {
			t.Errorf("%q: %v %s", script, got.Decision, reasons(got))
		}
	}
}

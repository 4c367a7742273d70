# Text.

# extension FILE prints what follows the last dot.
extension() {
	echo "${1##*.}"
}

# plural N WORD prints both, with an s unless N is 1.
plural() {
	if [ "$1" -eq 1 ]; then
		echo "$1 $2"
	else
		echo "$1 ${2}s"
	fi
}

# repeat WORD TIMES prints the word as often.
repeat() {
	out=
	n=0
	while [ "$n" -lt "$2" ]; do
		out="$out$1"
		n=$((n + 1))
	done
	echo "$out"
}

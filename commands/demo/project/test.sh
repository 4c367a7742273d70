#!/bin/sh
# The checks of a reasonix demo project. Each prints one line:
#   ok   FUNCTION ARGUMENTS
#   FAIL FUNCTION ARGUMENTS (FILE): expected WANTED, got WHAT CAME
cd "$(dirname "$0")" || exit 1
failed=0

# check FILE WANTED FUNCTION [ARGUMENT...] calls the function in a shell of its own.
check() {
	file=$1
	wanted=$2
	shift 2
	got=$(. "./$file" && "$@" 2>&1)
	if [ "$got" = "$wanted" ]; then
		echo "ok   $*"
	else
		echo "FAIL $* ($file): expected $wanted, got $got"
		failed=1
	fi
}

check lib/numbers.sh 7 larger 3 7
check lib/numbers.sh 9 larger 9 2
check lib/numbers.sh 1 clamp 0 1 10
check lib/numbers.sh 10 clamp 11 1 10
check lib/numbers.sh 5 clamp 5 1 10
check lib/numbers.sh 1 pages 1 5
check lib/numbers.sh 2 pages 10 5
check lib/numbers.sh 3 pages 11 5
check lib/text.sh gz extension logs.tar.gz
check lib/text.sh "1 file" plural 1 file
check lib/text.sh "3 files" plural 3 file
check lib/text.sh abab repeat ab 2

exit $failed

# Whole numbers.

# larger A B prints the larger of the two.
larger() {
	if [ "$1" -gt "$2" ]; then
		echo "$1"
	else
		echo "$2"
	fi
}

# clamp N LOW HIGH prints N, or the limit it is beyond.
clamp() {
	if [ "$1" -lt "$2" ]; then
		echo "$2"
	elif [ "$1" -gt "$3" ]; then
		echo "$3"
	else
		echo "$1"
	fi
}

# pages ITEMS SIZE prints how many pages of SIZE items hold ITEMS.
pages() {
	echo "$((($1 + $2 + 1) / $2))"
}

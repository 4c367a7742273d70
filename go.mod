module reasonix

go 1.26.0

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

func statStamp(st *syscall.Stat_t) stamp {
	return stamp{
		key: statKey(st), size: st.Size, mode: uint32(st.Mode), uid: st.Uid, gid: st.Gid,
		changed:  [2]int64{st.Ctimespec.Sec, st.Ctimespec.Nsec},
		modified: [2]int64{st.Mtimespec.Sec, st.Mtimespec.Nsec},
	}
}

// bornAt tells when the directory name was made.
func bornAt(_ *os.Root, _ string, info fs.FileInfo) birth {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return birth{}
	}
	return birth{st.Birthtimespec.Sec, st.Birthtimespec.Nsec}
}

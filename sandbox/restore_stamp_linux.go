package sandbox

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func statStamp(st *syscall.Stat_t) stamp {
	return stamp{
		key: statKey(st), size: st.Size, mode: st.Mode, uid: st.Uid, gid: st.Gid,
		changed:  [2]int64{int64(st.Ctim.Sec), int64(st.Ctim.Nsec)},
		modified: [2]int64{int64(st.Mtim.Sec), int64(st.Mtim.Nsec)},
	}
}

// bornAt tells when the directory name was made.
func bornAt(dir *os.Root, name string, _ fs.FileInfo) birth {
	f, err := dir.Open(name)
	if err != nil {
		return birth{}
	}
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return birth{}
	}
	var st unix.Statx_t
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.Statx(int(fd), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st)
	})
	if err != nil || failed != nil || st.Mask&unix.STATX_BTIME == 0 {
		return birth{}
	}
	return birth{st.Btime.Sec, int64(st.Btime.Nsec)}
}

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a command in a job object. The job ends every process in it when its
// last handle closes, so also when we are killed.
type group struct {
	job   windows.Handle
	state *os.ProcessState // valid once ended is closed
	ended chan struct{}
}

func startGroup(c Cmd, files *streams) (*group, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("command has no arguments")
	}
	path, err := exec.LookPath(c.Argv[0])
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	job, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("start %s: job object: %w", c.Argv[0], err)
	}
	proc, err := os.StartProcess(path, c.Argv, &os.ProcAttr{
		Dir:   c.Dir,
		Env:   append([]string{}, c.Env...),
		Files: files.child[:],
		Sys: &syscall.SysProcAttr{
			HideWindow:    true,
			CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
		},
	})
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	if err := release(proc.Pid, job); err != nil {
		_ = proc.Kill()
		_, _ = proc.Wait()
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("start %s: job object: %w", c.Argv[0], err)
	}
	g := &group{job: job, ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		g.state, _ = proc.Wait()
	}()
	return g, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// release puts a suspended process into the job and lets it run, so that nothing
// it starts can be outside.
func release(pid int, job windows.Handle) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return err
	}
	return resume(uint32(pid))
}

// resume starts the threads of a suspended process.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		if err != nil {
			return err
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil
	}
	return err
}

// end ends the job: what is left of it after the command, or all of it when the
// command is cut short. It names what was left.
func (g *group) end(cut bool) []string {
	left := 0
	if !cut {
		left = g.active()
	}
	_ = windows.TerminateJobObject(g.job, 1)
	_ = windows.CloseHandle(g.job)
	<-g.ended
	if left == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d processes", left)}
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	pageFaults, total, active, terminated                  uint32
}

// active counts the job's living processes.
func (g *group) active() int {
	var info accounting
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err != nil {
		return 0
	}
	return int(info.active)
}

func (g *group) exit() Exit {
	if g.state == nil {
		return Exit{Code: -1}
	}
	return Exit{Code: g.state.ExitCode()}
}

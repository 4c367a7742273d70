package agent

// What the loop tells the model in the host's name.
const (
	noteOutputLimit = "[host] Your reply reached the endpoint's output limit while a tool call was being written. " +
		"The call was not run. Write it again in smaller pieces, for example several smaller edits."

	noteNoProgress = "[host] The last 8 rounds repeated earlier calls and brought nothing new. " +
		"Say what blocks you, then try a different approach or finish with what you have."

	noteEmptyReply = "[host] Your reply held neither text nor a tool call. Give the answer as text, or go on with a call."

	notePlan = "[host] A plan for this, made by %s before you begin. Keep to it where it holds and " +
		"leave it where what you find says otherwise:\n\n%s"

	resultUnknownTool = "error: there is no tool named %q. Tools: %s"
	resultBadJSON     = "error: the arguments of %s are not a JSON object (%s). The call was not run. Send it again with valid JSON."
	resultPanic       = "error: internal error in tool %s. The call may be incomplete; check before you go on."
	resultNotRun      = "not run: the turn was stopped"
	resultStopped     = "interrupted: the turn was stopped while this was running"
	resultBlocked     = "blocked by the hook %s: %s"
	resultReplaced    = "[host] The hook %s gave this call other arguments; it was judged and run with these: %s"
	resultDenied      = "denied: %s\nDo not try to reach the same effect another way; go on without it or say what you need."
)

// maxHalved bounds how often in a row a call cut by the output limit is asked
// for again.
const maxHalved = 3

// maxEmpty is how many replies in a row may hold nothing.
const maxEmpty = 3

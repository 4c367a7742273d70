package demo

// What the model says. It never pretends to be more than it is.
const (
	sayHello = "I am the demo model of reasonix: a small fixed program that searches for a repair, not a language model. " +
		"First I look at what is in this directory."

	sayDecline = "This is not a reasonix demo project, so there is nothing I can do here: I am the demo model, a small fixed program, " +
		"not a language model. `reasonix demo` makes a project that I can repair, and `reasonix setup` connects a real model, " +
		"which can work on anything."

	sayNoTools = "I am the demo model of reasonix, a small fixed program, and I cannot work without these tools: %s. " +
		"`tools.enabled` in the configuration says which there are. `reasonix setup` connects a real model."

	sayLook = "%s may be the checks of a demo project. I read it before I run it."

	sayRun   = "These are the checks. I run them."
	sayRerun = "Did that help? I run the checks again."

	sayRead = "The run says: %s. `%s` should give %s and gives %s, and it is in %s, so I read that file."

	sayReread = "I do not know what became of my last change, so I read %s again."

	sayTryFirst   = "I try small changes of `%s` in %s, one at a time. Line %d first: `%s` becomes `%s`."
	sayTryNext    = "Next idea for `%s` in %s, line %d: `%s` becomes `%s`."
	sayTryPartial = "Nothing mends `%s` in %s alone, but one change came nearer, and I build on it. Line %d: `%s` becomes `%s`."

	sayTakeBack = "No: %s. I take that change back."

	sayDone = "All %d checks pass now. What I changed:\n%s\n%s" +
		"I found this by search, not by understanding: I am the demo model. `reasonix setup` connects a real one."

	sayTried = "I tried %d changes and took back those that did not help. "

	sayNothing = "All %d checks pass, so there is nothing to repair. I am the demo model and can do nothing else here; " +
		"`reasonix setup` connects a real one."

	sayUnreadable = "I ran %s and cannot read its output, which ended so:\n\n%s\n\n" +
		"I am the demo model: I only understand the checks of a demo project, in a POSIX shell. `reasonix setup` connects a real model."

	sayStuck     = "I cannot go on. The last call answered: %s\n\nI am the demo model and know no other way; `reasonix setup` connects a real one."
	sayExhausted = "I found no repair: %s. I tried %d small changes and took back those that did not help. " +
		"I am the demo model, which only searches; `reasonix setup` connects a real one."

	sayKept = "\n\nThese changes helped and stay:\n%s"
	sayLeft = "\n\nMy last change, in %s at line %d, may still be there."
)

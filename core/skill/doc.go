// Package skill finds skills, texts that say how a kind of task is done, and hands
// them out: one line each for the model to know of (Index), the whole when it is
// asked for (Run, Skill.Prompt). A skill is a directory with a SKILL.md, or one
// Markdown file, with keys in front (docs/skills.md). There are those of the
// project, of the user, and of configured directories, in this order of strength.
//
// A skill is text: nothing of it is run here, and it gives no call a permission. A
// project's skills come with its repository, so every read of one is bounded and
// no link leads out of the workspace. What cannot be taken as a skill is named and
// left alone. The composition root loads the skills of a session; core/tool/skill
// hands them to the model and commands/skill shows them.
package skill

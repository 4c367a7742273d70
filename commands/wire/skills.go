package wire

import (
	"reasonix/core/config"
	"reasonix/core/skill"
)

// SkillOptions say where the skills of a workspace are.
func SkillOptions(w World, cfg *config.Config, workspace string) skill.Options {
	return skill.Options{
		Workspace: workspace, Home: w.Home, UserHome: userHome(w.Environ),
		Paths: cfg.Skills.Paths, Excluded: cfg.Skills.ExcludedPaths, Disabled: cfg.Skills.DisabledSkills,
	}
}

package workspace

// The parts of <home>, by what tools may do with them. What is in none of the
// lists can be read and lies outside what can be written.
var (
	// homeHidden is neither read nor written: keys, grants, other sessions.
	homeHidden = []string{".env", ".env.bak", "grants.json", "grants.json.bak", "projects", "checkpoints", "logs"}
	// homeProtected can be read; a write changes what the agent may do or is told.
	homeProtected = []string{
		"config.toml", "settings.json", "memory", "archive", "skills", "commands", "hooks", "agents", "plugins",
		"REASONIX.md", "AGENTS.md", "CLAUDE.md", "REASONIX.local.md", "AGENTS.local.md", "CLAUDE.local.md",
	}
)

// protectedNames are run by git, an editor, a shell or this program, or are read to
// the model, when a person next works in the directory, wherever below a writable
// root they stand. The two last of git lead it to another configuration. Of .claude
// and .agents they are what this program reads, and what Claude Code runs by itself.
var protectedNames = []string{
	".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir",
	".reasonix", "reasonix.toml", ".mcp.json", ".vscode/tasks.json", ".envrc",
	".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude/skills", ".claude/commands", ".claude/agents",
	".agents/skills",
}

// startFiles of the user's home are run at a login, by a new shell or by git.
var startFiles = []string{
	".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login",
	".config/fish/config.fish", ".config/fish/conf.d", ".config/fish/functions",
	".config/powershell", "Documents/PowerShell", "Documents/WindowsPowerShell",
	".xprofile", ".xsession", ".xinitrc", ".pam_environment", ".config/autostart", ".config/systemd/user",
	".config/environment.d", "Library/LaunchAgents", ".gitconfig", ".config/git",
}

// secretFiles of the user's home hold keys, tokens and cookies.
var secretFiles = []string{
	".ssh", ".aws", ".gnupg", ".netrc", "_netrc", ".git-credentials", ".config/git/credentials",
	".azure", ".kube", ".docker/config.json", ".config/gh", ".config/glab-cli", ".config/gcloud", ".config/hub",
	".npmrc", ".pypirc", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml",
	".pgpass", ".my.cnf", ".vault-token", ".terraform.d/credentials.tfrc.json", ".password-store",
	".local/share/keyrings", "Library/Keychains", "AppData/Roaming/gcloud", "AppData/Roaming/GitHub CLI",
	// Browser profiles.
	".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
	".config/vivaldi", ".config/opera", "snap/firefox", "snap/chromium", ".var/app/org.mozilla.firefox",
	"Library/Safari", "Library/Cookies", "Library/Application Support/Firefox", "Library/Application Support/Google/Chrome",
	"Library/Application Support/Chromium", "Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge",
	"AppData/Roaming/Mozilla", "AppData/Local/Google/Chrome", "AppData/Local/Chromium", "AppData/Local/BraveSoftware", "AppData/Local/Microsoft/Edge",
}

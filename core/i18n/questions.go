package i18n

// questions are the words around what a user is asked: option labels by the
// option's id, in one word or two for a line of letters as well, titles by the
// question's kind.
func questions() []entry {
	return []entry{
		{"question.permission", "Allow this call?", "允许这次调用吗？"},
		{"question.question", "The agent asks", "智能体提问"},
		{"question.unconfined", "The sandbox stopped this command. What now?", "沙箱阻止了这条命令，怎么办？"},
		{"question.reason", "Reason: %[1]s", "理由：%[1]s"},
		{"question.why", "Asked because: %[1]s", "询问原因：%[1]s"},
		{"question.fresh", "No rule and no earlier answer covers this; it is asked every time.", "任何规则或先前的回答都不适用，每次都会询问。"},
		{"question.directory", "In %[1]s", "目录：%[1]s"},
		{"question.held", "Held by: %[1]s", "约束：%[1]s"},
		{"question.rule", "Rule: %[1]s", "规则：%[1]s"},
		{"question.parts", "Its parts:", "各部分："},
		{"question.example", "would also allow: %[1]s", "还会允许：%[1]s"},
		{"question.again", "Type one of the letters in front: %[1]s", "请输入前面的字母之一：%[1]s"},
		{"question.type_number", "Type a number, or an answer of your own: ", "请输入编号或自己的回答："},
		{"verdict.allow", "allowed", "允许"},
		{"verdict.ask", "asked", "询问"},
		{"verdict.deny", "denied", "拒绝"},
		{"option.allow_once", "Allow once", "允许这一次"},
		{"option.allow_session", "Allow for this session", "本会话内都允许"},
		{"option.allow_session_prefix", "Allow commands like it for this session", "本会话内允许同类命令"},
		{"option.allow_always", "Always allow", "始终允许"},
		{"option.allow_always_prefix", "Always allow commands like it", "始终允许同类命令"},
		{"option.unconfined_once", "Run it once without the sandbox", "这一次不用沙箱运行"},
		{"option.release_once", "Let it change this once", "允许它这一次修改"},
		{"option.allow_write", "Allow writing there for this session and run it again", "本会话内允许写入该目录并重新运行"},
		{"option.reject_once", "Deny", "拒绝"},
		{"letter.allow_once", "once", "这一次"},
		{"letter.allow_session", "session", "本会话"},
		{"letter.allow_session_prefix", "like it, session", "同类，本会话"},
		{"letter.allow_always", "always", "始终"},
		{"letter.allow_always_prefix", "like it, always", "同类，始终"},
		{"letter.unconfined_once", "without the sandbox, once", "不用沙箱，这一次"},
		{"letter.release_once", "once", "这一次"},
		{"letter.allow_write", "write there", "允许写入"},
		{"letter.reject_once", "deny [why]", "拒绝 [原因]"},
		{"answer.denied", "the user denied it", "用户已拒绝"},
	}
}

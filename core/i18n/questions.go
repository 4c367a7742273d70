package i18n

// questions are the words around what a user is asked: option labels by the
// option's id, titles by the question's kind.
func questions() []entry {
	return []entry{
		{"question.permission", "Allow this call?", "允许这次调用吗？"},
		{"question.question", "The agent asks", "智能体提问"},
		{"question.reason", "Reason: %[1]s", "理由：%[1]s"},
		{"question.directory", "In %[1]s", "目录：%[1]s"},
		{"question.rule", "Rule: %[1]s", "规则：%[1]s"},
		{"option.allow_once", "Allow once", "允许这一次"},
		{"option.allow_session", "Allow for this session", "本会话内都允许"},
		{"option.reject_once", "Deny", "拒绝"},
		{"answer.denied", "the user denied it", "用户已拒绝"},
	}
}

package i18n

// run are the sentences every front end says about a turn: outcomes by their
// word, phases by their name.
func run() []entry {
	return []entry{
		{"outcome.completed", "done", "已完成"},
		{"outcome.cut", "the reply was cut off", "回复被截断"},
		{"outcome.refused", "the model refused", "模型拒绝了请求"},
		{"outcome.cancelled", "cancelled", "已取消"},
		{"outcome.limit", "a limit was reached", "达到上限"},
		{"outcome.provider", "the provider failed", "模型服务出错"},
		{"outcome.stalled", "the provider stopped answering", "模型服务不再响应"},
		{"outcome.denied", "a call was denied", "有调用被拒绝"},
		{"outcome.internal", "internal error", "内部错误"},
		{"phase.idle", "ready", "就绪"},
		{"phase.starting", "starting", "正在启动"},
		{"phase.model", "waiting for the model", "等待模型"},
		{"phase.tool", "running %[1]s", "正在运行 %[1]s"},
		{"phase.waiting_permission", "waiting for a permission", "等待授权"},
		{"phase.waiting_input", "waiting for an answer", "等待回答"},
		{"phase.retrying", "trying again in %[1]s", "%[1]s 后重试"},
	}
}

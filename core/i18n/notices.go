package i18n

// notices are the sentences of Notice events, keyed by "notice." and the code.
func notices() []entry {
	return []entry{
		{"notice.param_dropped", "%[1]s does not take %[2]s; it is left out from now on", "%[1]s 不接受 %[2]s，之后不再发送"},
		{"notice.param_renamed", "%[1]s wants %[3]s instead of %[2]s; it gets that from now on", "%[1]s 要求用 %[3]s 代替 %[2]s，之后照此发送"},
		{"notice.reasoning_not_taken", "%[1]s does not take %[2]s; it is left out from now on", "%[1]s 不接受 %[2]s，之后不再发送"},
		{"notice.cost_estimated", "%[1]s reports no token counts; the cost limit uses an estimate", "%[1]s 不报告 token 用量，费用上限按估算计"},
		{"notice.context_filling", "%[1]s of the context window is used; older tool results and work will be folded when it fills up", "上下文窗口已使用 %[1]s；占满时会压缩较早的工具结果和工作内容"},
		{"notice.compact_off", "compaction is off, because no context_window is configured for %[1]s", "压缩已关闭：未为 %[1]s 配置 context_window"},
		{"notice.compact_nothing", "nothing to compact: what could be folded is too little", "无需压缩：可压缩的内容太少"},
		{"notice.compact_cancelled", "the compaction was cancelled; the conversation is as it was", "压缩已取消，对话保持原样"},
		{"notice.compact_failed", "the compaction failed: %[1]s", "压缩失败：%[1]s"},
		{"notice.planner_failed", "no plan could be had from %[1]s, so the work goes on without one: %[2]s", "未能从 %[1]s 得到计划，将不带计划继续：%[2]s"},
		{"notice.journal_damaged", "%[1]s damaged records of this session were skipped; the first: %[2]s", "已跳过本会话中 %[1]s 条损坏的记录，第一条：%[2]s"},
		{"notice.yolo_resumed", "this session runs with the stored posture yolo: ordinary calls are not asked for", "本会话沿用保存的 yolo 模式：普通调用不再询问"},
		{"notice.project_endpoint", "this project's configuration chose %[1]s at %[2]s: the conversation goes there", "此项目的配置选择了 %[2]s 的 %[1]s：对话会发送到那里"},
		{"notice.not_sandboxed", "commands run without a sandbox", "命令在没有沙箱的情况下运行"},
		{"notice.grant_not_stored", "allowed for this session only, because the rule could not be stored: %[1]s", "规则无法保存，仅在本会话内允许：%[1]s"},
		{"notice.sandbox_unavailable", "commands are refused, because no sandbox works here: %[1]s", "此处没有可用的沙箱，命令将被拒绝：%[1]s"},
		{"notice.near_miss", "%[1]s is not read; the names are REASONIX.md, AGENTS.md and CLAUDE.md", "不会读取 %[1]s；可用的文件名是 REASONIX.md、AGENTS.md 和 CLAUDE.md"},
		{"notice.import_missing", "the import %[1]s is not followed: there is no such file", "未跟随导入 %[1]s：没有这个文件"},
		{"notice.import_outside", "the import %[1]s is not followed: it leaves its directory", "未跟随导入 %[1]s：它超出所属目录"},
	}
}

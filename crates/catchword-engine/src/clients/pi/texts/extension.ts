// Written by `catchword init --agent pi`; `catchword remove --agent pi` deletes it. It calls catchword as other clients
// call their hooks, and puts what catchword says into every request: nothing of it is kept in the session.
ASK_THE_PROGRAM

function parsed(printed: string): any {
  try {
    return JSON.parse(printed) ?? {}
  } catch {
    return {}
  }
}

export default function (pi: any) {
  let notice = ""
  // Of the latest compaction; undefined until it was asked for in this process.
  let brief: string | undefined
  let delivered = false
  // What belongs to a call's result, by the call's id.
  const beside = new Map<string, string>()
  const isBrief = (text: string) => text.startsWith("<catchword-record")

  const answer = async (name: string, ctx: any, more: object = {}): Promise<any> => {
    try {
      const session = ctx.sessionManager
      const payload = {
        session_id: session.getSessionId(), transcript_path: session.getSessionFile(), cwd: ctx.cwd,
        hook_event_name: name, delivered, model: ctx.model?.id, context_window: ctx.model?.contextWindow, ...more,
      }
      delivered = false
      return parsed(await ask(payload))
    } catch {
      return {}
    }
  }
  const event = async (name: string, ctx: any, more: object = {}): Promise<string> =>
    (await answer(name, ctx, more)).hookSpecificOutput?.additionalContext ?? ""

  // A note takes no turn.
  pi.on("input", async (e: any, ctx: any) => {
    if (!e.text?.startsWith("catchword:note")) return
    const { decision, reason } = await answer("UserPromptSubmit", ctx, { prompt: e.text })
    if (decision !== "block") return
    try { ctx.ui.notify(reason, "info") } catch {}
    return { action: "handled" }
  })

  pi.on("session_start", async (e: any, ctx: any) => {
    brief = undefined
    // The client says `startup` also where it goes on with a session or a copy of one.
    const hasWork = ctx.sessionManager.getEntries().some((entry: any) => entry.type === "message")
    notice = await event("SessionStart", ctx, { source: hasWork ? "resume" : e.reason })
  })
  pi.on("before_agent_start", async (e: any, ctx: any) => {
    const text = await event("UserPromptSubmit", ctx, { prompt: e.prompt })
    if (text) brief = isBrief(text) || !brief ? text : `${brief}\n${text}`
  })
  pi.on("tool_result", async (e: any, ctx: any) => {
    const text = await event("PostToolUse", ctx, { tool_name: e.toolName, tool_use_id: e.toolCallId })
    if (isBrief(text)) brief = text
    else if (text) beside.set(e.toolCallId, text)
  })
  pi.on("session_before_compact", async (e: any, ctx: any) => {
    await event("PreCompact", ctx, { trigger: e.reason === "manual" ? "manual" : "auto" })
  })
  pi.on("session_compact", async () => { brief = undefined })
  pi.on("agent_end", async (_: any, ctx: any) => { await event("Stop", ctx) })
  pi.on("session_shutdown", async (e: any, ctx: any) => { if (e.reason !== "reload") await event("SessionEnd", ctx) })

  // The same text at the same place in every request, so that the provider's cache holds.
  pi.on("context", async (e: any, ctx: any) => {
    const messages = e.messages.map((message: any) => {
      const text = message.role === "toolResult" ? beside.get(message.toolCallId) : undefined
      return text ? { ...message, content: [...message.content, { type: "text", text }] } : message
    })
    const at = messages.findLastIndex((message: any) => message.role === "compactionSummary")
    if (at >= 0 && brief === undefined) brief = await event("SessionStart", ctx, { source: "compact" })
    const text = [notice, at >= 0 ? brief : ""].filter((part) => part).join("\n")
    if (!text) return { messages }
    delivered = at >= 0 && !!brief
    const message = { role: "user", content: [{ type: "text", text }], timestamp: messages[0]?.timestamp ?? 0 }
    return { messages: [...messages.slice(0, at + 1), message, ...messages.slice(at + 1)] }
  })
}

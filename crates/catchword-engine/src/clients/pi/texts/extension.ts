// Written by `catchword init --agent pi`; `catchword remove --agent pi` deletes it. It calls catchword as other clients
// call their hooks, and puts what catchword says into every request: nothing of it is kept in the session.
import { spawn } from "node:child_process"

const COMMAND = PROGRAM_AND_ARGUMENTS
const LONGEST_MS = 10_000

// What the program prints; nothing if it fails or takes too long. Never throws: the client's own turn goes on.
function ask(payload: object): Promise<string> {
  return new Promise((done) => {
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
      let printed = ""
      const late = setTimeout(() => { child.kill(); done("") }, LONGEST_MS)
      child.stdout.on("data", (data: Buffer) => { printed += data })
      child.on("error", () => { clearTimeout(late); done("") })
      child.on("close", () => { clearTimeout(late); done(printed) })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done("")
    }
  })
}

function forModel(printed: string): string {
  try {
    return JSON.parse(printed).hookSpecificOutput?.additionalContext ?? ""
  } catch {
    return ""
  }
}

export default function (pi: any) {
  let notice = ""
  // Of the latest compaction; undefined until it was asked for in this process.
  let brief: string | undefined
  let delivered = false

  const event = async (name: string, ctx: any, more: object = {}): Promise<string> => {
    try {
      const session = ctx.sessionManager
      const payload = {
        session_id: session.getSessionId(), transcript_path: session.getSessionFile(), cwd: ctx.cwd,
        hook_event_name: name, delivered, model: ctx.model?.id, context_window: ctx.model?.contextWindow, ...more,
      }
      delivered = false
      return forModel(await ask(payload))
    } catch {
      return ""
    }
  }

  pi.on("session_start", async (e: any, ctx: any) => {
    brief = undefined
    notice = await event("SessionStart", ctx, { source: e.reason })
  })
  pi.on("before_agent_start", async (e: any, ctx: any) => {
    brief = (await event("UserPromptSubmit", ctx, { prompt: e.prompt })) || brief
  })
  pi.on("tool_result", async (e: any, ctx: any) => {
    brief = (await event("PostToolUse", ctx, { tool_name: e.toolName, tool_use_id: e.toolCallId })) || brief
  })
  pi.on("session_before_compact", async (e: any, ctx: any) => {
    await event("PreCompact", ctx, { trigger: e.reason === "manual" ? "manual" : "auto" })
  })
  pi.on("session_compact", async () => { brief = undefined })
  pi.on("agent_end", async (_: any, ctx: any) => { await event("Stop", ctx) })

  // The same text at the same place in every request, so that the provider's cache holds.
  pi.on("context", async (e: any, ctx: any) => {
    const at = e.messages.findLastIndex((message: any) => message.role === "compactionSummary")
    if (at >= 0 && brief === undefined) brief = await event("SessionStart", ctx, { source: "compact" })
    const text = [notice, at >= 0 ? brief : ""].filter((part) => part).join("\n")
    if (!text) return
    delivered = at >= 0 && !!brief
    const message = { role: "user", content: [{ type: "text", text }], timestamp: e.messages[0]?.timestamp ?? 0 }
    return { messages: [...e.messages.slice(0, at + 1), message, ...e.messages.slice(at + 1)] }
  })
}

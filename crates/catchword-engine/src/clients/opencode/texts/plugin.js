// Written by `catchword init --agent CLIENT_NAME`; `catchword remove --agent CLIENT_NAME` deletes it. It calls catchword as
// other clients call their hooks, and puts what catchword says into every request: nothing of it is kept in the session.
import { homedir } from "node:os"
import { join, resolve } from "node:path"
ASK_THE_PROGRAM

function said(printed) {
  try {
    const answer = JSON.parse(printed)
    return { model: answer.hookSpecificOutput?.additionalContext ?? "", person: answer.systemMessage ?? "" }
  } catch {
    return { model: "", person: "" }
  }
}

export const Catchword = async ({ directory, client }) => {
  const data = join(process.env.XDG_DATA_HOME || join(homedir(), ".local/share"), "CLIENT_FOLDER")
  const database = resolve(data, process.env.CLIENT_DATABASE_VARIABLE || "CLIENT_DATABASE")
  const sessions = new Map()

  const isBrief = (text) => text.startsWith("<catchword-record")

  // `brief` belongs to the summary `of`; until that is asked for in this process, it is undefined. `beside` has what belongs
  // to a call's result, by the call's id.
  const known = (id) => {
    const unknown = { notice: "", brief: undefined, of: "", delivered: false, isNew: false, beside: new Map() }
    if (!sessions.has(id)) sessions.set(id, unknown)
    return sessions.get(id)
  }

  // The session whose agent started this one; undefined for a person's.
  const parentOf = (id) => {
    const session = known(id)
    session.parent ??= client.session.get({ path: { id } }).then((got) => (got.data ?? got)?.parentID, () => undefined)
    return session.parent
  }

  // A fork is a new session with the messages of another one.
  const hasWork = async (id) => {
    const got = await client.session.messages({ path: { id } })
    return (got.data ?? got ?? []).some(({ info }) => info.role === "assistant")
  }

  const event = async (id, name, more = {}) => {
    try {
      const session = known(id)
      const payload = {
        session_id: id, transcript_path: join(database, id), cwd: directory,
        hook_event_name: name, delivered: session.delivered, ...session.window, ...more,
      }
      session.delivered = false
      const { model, person } = said(await ask(payload))
      if (person) await client.tui.showToast({ body: { message: person, variant: "info", duration: 15_000 } })
      return model
    } catch {
      return ""
    }
  }

  // A hook of this plugin: never in the way of the client's turn, and not for the sessions of subagents.
  const hook = (act) => async (input, output) => {
    try {
      if (!(await parentOf(input.sessionID))) await act(input.sessionID, input, output)
    } catch {}
  }

  return {
    // The client does not wait for these.
    event: async ({ event: { type, properties } }) => {
      try {
        if (type === "session.created") {
          known(properties.info.id).isNew = true
          known(properties.info.id).parent = Promise.resolve(properties.info.parentID)
        } else if (type === "message.part.updated" && properties.part.type === "compaction") {
          known(properties.part.sessionID).isManual = properties.part.auto === false
        } else if (type === "session.idle") {
          const id = properties.sessionID
          const parent = await parentOf(id)
          if (!parent) await event(id, "Stop")
          else await event(parent, "SubagentStop", { agent_id: id, agent_transcript_path: join(database, id) })
        }
      } catch {}
    },

    // The text of a command looks like a prompt: it is marked, so that nobody takes it for the person's words.
    "command.execute.before": async (input, output) => {
      for (const part of output.parts ?? []) {
        if (part.type !== "text") continue
        const command = { name: input.command, arguments: input.arguments ?? "" }
        part.metadata = { ...part.metadata, catchword_command: command }
      }
    },

    // Requests for titles and summaries go to other agents, perhaps with another model.
    "chat.params": hook(async (id, { agent, message, model }) => {
      if (agent !== message.agent) return
      known(id).window = { model: model.id, context_window: model.limit.context }
    }),

    "chat.message": hook(async (id, input, output) => {
      const session = known(id)
      if (!session.isBegun) {
        session.isBegun = true
        const isNew = session.isNew && !(await hasWork(id))
        session.notice = await event(id, "SessionStart", { source: isNew ? "startup" : "resume" })
      }
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic && !part.metadata?.catchword_command)
      const prompt = typed.map((part) => part.text).join("\n")
      const text = await event(id, "UserPromptSubmit", { prompt })
      if (text) session.brief = isBrief(text) || !session.brief ? text : `${session.brief}\n${text}`
    }),

    "tool.execute.after": hook(async (id, input) => {
      const session = known(id)
      const more = { tool_name: input.tool, tool_use_id: input.callID }
      const text = await event(id, "PostToolUse", more)
      if (isBrief(text)) session.brief = text
      else if (text) session.beside.set(input.callID, text)
    }),

    "experimental.session.compacting": hook(async (id, input, output) => {
      const session = known(id)
      session.isSummarising = true
      const guide = await event(id, "PreCompact", { trigger: session.isManual ? "manual" : "auto" })
      if (guide) output.context.push(guide)
    }),

    // The same text at the same place in every request, so that the provider's cache holds.
    "experimental.chat.messages.transform": async (_, output) => {
      try {
        const messages = output.messages
        const id = messages.at(-1)?.info.sessionID
        if (!id || (await parentOf(id))) return
        const session = known(id)
        // The messages for the summariser come right after a compaction was announced.
        if (session.isSummarising) {
          session.isSummarising = false
          return
        }
        for (const part of messages.flatMap(({ parts }) => parts)) {
          const text = part.type === "tool" && part.state.status === "completed" && session.beside.get(part.callID)
          if (text && !part.state.output.endsWith(text)) part.state = { ...part.state, output: `${part.state.output}\n\n${text}` }
        }
        const at = messages.findLastIndex(({ info }) => info.role === "assistant" && info.summary === true && info.finish)
        if (at >= 0 && session.of !== messages[at].info.id) {
          session.of = messages[at].info.id
          session.brief = await event(id, "SessionStart", { source: "compact" })
        }
        const user = messages.slice(at + 1).find(({ info }) => info.role === "user")
        const text = [session.notice, at >= 0 ? session.brief : ""].filter((part) => part).join("\n")
        if (!text || !user) return
        session.delivered = at >= 0 && !!session.brief
        user.parts.push({
          id: "prt_catchword", sessionID: id, messageID: user.info.id, type: "text", text, synthetic: true,
        })
      } catch {}
    },
  }
}

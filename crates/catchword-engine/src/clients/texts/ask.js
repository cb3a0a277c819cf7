import { spawn } from "node:child_process"

const COMMAND = PROGRAM_AND_ARGUMENTS
const LONGEST_MS = 10_000

// What the program prints; nothing if it fails or takes too long. Never throws: the client's own turn goes on.
function ask(payload) {
  return new Promise((done) => {
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
      let printed = ""
      const late = setTimeout(() => { child.kill(); done("") }, LONGEST_MS)
      child.stdout.on("data", (data) => { printed += data })
      child.on("error", () => { clearTimeout(late); done("") })
      child.on("close", () => { clearTimeout(late); done(printed) })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done("")
    }
  })
}

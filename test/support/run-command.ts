import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { run } from '../../src/commands/run.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export type CommandProcess = ChildProcessByStdio<null, Readable, Readable>

export interface CommandOptions {
  /** Beside PATH; nothing else is passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface Ended {
  /** Null: a signal ended it. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A command of the built program, as an operator runs it: for those that are killed, or work side by side. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): CommandProcess {
  const { env = {}, cwd = tmpdir() } = options
  return spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Its output and exit code, when it has ended. */
export async function ended(command: CommandProcess): Promise<Ended> {
  const [out, err, [code]] = await Promise.all([text(command.stdout), text(command.stderr), once(command, 'exit')])
  return { code: code as number | null, out, err }
}

/** A command in this process: one of its own takes a second to start. */
export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const { env = {}, cwd = tmpdir() } = options
  let [out, err] = ['', '']
  const code = await run(args, {
    env: { PATH: process.env.PATH, ...env },
    cwd,
    terminal: false,
    stdin: Readable.from([]),
    print(line) {
      out += `${line}\n`
    },
    complain(line) {
      err += `${line}\n`
    },
  })
  return { code, out, err }
}

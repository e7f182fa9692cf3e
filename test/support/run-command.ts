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

/** A command in this process, with what it is given to read: one of its own takes a second to start. */
export async function runCommand(
  args: readonly string[],
  { env = {}, cwd = tmpdir(), input = '' }: CommandOptions & { readonly input?: string } = {},
): Promise<Ended> {
  const out: string[] = []
  const err: string[] = []
  const code = await run(args, {
    env: { PATH: process.env.PATH, ...env },
    cwd,
    terminal: false,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    print: (line) => out.push(line),
    complain: (line) => err.push(line),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

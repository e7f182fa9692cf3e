import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export type CommandProcess = ChildProcessByStdio<null, Readable, Readable>

export interface CommandOptions {
  /** Beside PATH; nothing else is passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A shell line in front, such as a ulimit. */
  readonly wrap?: string
}

export interface Ended {
  /** Null: a signal ended it. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A command of the built program, as an operator runs it. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): CommandProcess {
  const { env = {}, cwd = tmpdir(), wrap } = options
  const line = wrap === undefined ? [] : ['sh', '-c', `${wrap}; exec "$0" "$@"`]
  const [program = '', ...rest] = [...line, process.execPath, main, ...args]
  return spawn(program, rest, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Its output and exit code, when it has ended. */
export async function ended(command: CommandProcess): Promise<Ended> {
  const [out, err, [code]] = await Promise.all([text(command.stdout), text(command.stderr), once(command, 'exit')])
  return { code: code as number | null, out, err }
}

export function runCommand(args: readonly string[], options?: CommandOptions): Promise<Ended> {
  return ended(startCommand(args, options))
}

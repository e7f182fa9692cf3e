import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { EffectiveValue } from '../../config/load.js'
import type { Finding } from '../../core/administration/finding.js'
import type { OperationArguments, OperationName, OperationResult } from '../../core/administration/operations.js'
import { Refusal } from '../../core/values/refusal.js'
import { OperatorError } from '../../lib/operator-error.js'

/** Client of the control socket. `undefined` means that no service runs; a refusal is rethrown as the same Refusal. */
export async function askService<Name extends OperationName>(
  socketPath: string,
  operation: Name,
  given: OperationArguments<Name>,
  timeout = usualTimeout,
): Promise<{ readonly result: OperationResult<Name> } | undefined> {
  const reply = await send(socketPath, 'POST', operation, JSON.stringify(given), timeout)
  if (reply === 'not running') return undefined
  if (reply === 'silent') throw new OperatorError('The running service does not answer. Check its log.')
  if (reply.refusal) throw new Refusal(reply.refusal.code, reply.refusal.message, reply.refusal.details)
  if (!('result' in reply)) throw new OperatorError('The running service failed to run the command. Check its log.')
  // Both sides are the same program: the result is what the operation returned.
  return { result: reply.result as OperationResult<Name> }
}

/** Hashing a password on a busy machine takes a second or two; a service that needs longer has a problem. */
const usualTimeout = 30_000
/** For operations that read or rewrite the whole click log. */
export const longTimeout = 3_600_000

/** The process behind the socket and its configuration; undefined when no service runs. */
export async function askProcess(socketPath: string): Promise<RunningProcess | undefined> {
  const reply = await send(socketPath, 'GET', '', '', 2000)
  if (reply === 'not running') return undefined
  return reply === 'silent' ? { pid: undefined } : { pid: reply.pid, ...(reply.values && { values: reply.values }) }
}

/** What `doctor` finds in the running service; undefined when no service runs. */
export async function askFindings(socketPath: string): Promise<readonly Finding[] | undefined> {
  const reply = await send(socketPath, 'GET', 'doctor', '', examinationTimeout)
  if (reply === 'not running') return undefined
  if (reply === 'silent') throw new OperatorError('The running service does not answer. Check its log.')
  if (!reply.findings) throw new OperatorError('The running service is of an earlier version. Restart it first.')
  return reply.findings
}

/** A command that works beside the service and failed: its log has it too. Says nothing when no service runs. */
export async function tellFailure(socketPath: string, failed: FailedCommand): Promise<void> {
  await send(socketPath, 'POST', failedOperation, JSON.stringify(failed), 2000).catch(() => undefined)
}

export const failedOperation = 'failed-command'

export interface FailedCommand {
  readonly command: string
  readonly reason: string
}

/** Names that do not answer take seconds each, and a service may have thousands of domains. */
const examinationTimeout = 600_000

export interface RunningProcess {
  /** Undefined when it does not answer. */
  readonly pid: number | undefined
  /** Its configuration. */
  readonly values?: readonly EffectiveValue[]
}

interface Reply {
  readonly pid?: number
  readonly values?: readonly EffectiveValue[]
  readonly findings?: readonly Finding[]
  readonly result?: unknown
  readonly refusal?: Pick<Refusal, 'code' | 'message' | 'details'>
}

type Outcome = Reply | 'not running' | 'silent'

async function send(socketPath: string, method: string, path: string, body: string, timeout: number): Promise<Outcome> {
  try {
    await requireOwnFolder(socketPath)
    return await exchange(socketPath, method, path, body, timeout)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return 'not running'
    if (code === 'EACCES' || code === 'EPERM') {
      throw new OperatorError(`No permission to use ${socketPath}. Run this as the user of the service.`)
    }
    // The service closed the connection: it may have run the operation, so do not retry.
    if (code === 'ECONNRESET' || code === 'EPIPE') return 'silent'
    throw error
  }
}

function exchange(socketPath: string, method: string, path: string, body: string, timeout: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path: `/${path}`, timeout, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      // Both sides are the same program, so the reply has this shape.
      response.on('end', () => resolve(JSON.parse(text) as Reply))
    })
    sent.on('error', reject)
    sent.on('timeout', () => {
      resolve('silent')
      sent.destroy()
    })
    sent.end(body)
  })
}

/**
 * Path of the control socket of a data directory. The kernel limits socket paths to about 107 bytes (103 on macOS): for
 * a longer path, service and command use the same folder, named by a hash, in the system's temporary directory.
 */
export function controlSocketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'control.sock')
  if (Buffer.byteLength(path) <= 100) return path
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `shortlink-${name}`, 'control.sock')
}

/** In a temporary directory another user may have created the folder first, to capture passwords: it must be ours. */
export async function requireOwnFolder(socketPath: string): Promise<void> {
  const folder = dirname(socketPath)
  if (dirname(folder) !== tmpdir()) return
  const { uid } = await lstat(folder)
  if (uid !== process.getuid?.()) {
    throw new OperatorError(`${folder} belongs to another user. Run this as that user or choose another --data-dir.`)
  }
}

import { statSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { dirname } from 'node:path'
import type { EffectiveValue } from '../../config/load.js'
import { operator } from '../../core/accounts/actor.js'
import type { Finding } from '../../core/administration/finding.js'
import { type AdministrationDeps, operate } from '../../core/administration/operations.js'
import { invalid, isOutage, Refusal } from '../../core/values/refusal.js'
import type { Closable } from '../../lib/closing.js'
import type { Logger } from '../../lib/logger.js'
import { OperatorError } from '../../lib/operator-error.js'
import { askProcess, type FailedCommand, failedOperation, requireOwnFolder } from './client.js'

/**
 * The control socket, for commands to reach the running service: HTTP over a Unix socket, `POST /<operation>` with a
 * JSON object; `GET` returns the process id and the configuration, `GET /doctor` also the findings of `doctor`. The file mode (0600) is the authentication: only the
 * operator can open it. It only translates; core defines the operations.
 */
export async function startControl(
  socketPath: string,
  deps: AdministrationDeps,
  log: Logger,
  service: ServiceFacts = {},
): Promise<Closable> {
  await mkdir(dirname(socketPath), { recursive: true, mode: 0o700 })
  await requireOwnFolder(socketPath)
  const server = createServer((request, response) => {
    const answered = request.method === 'GET' ? describe(request.url, service) : answer(request, deps, log)
    answered.then(
      ({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
        response.end(JSON.stringify(body))
      },
      (error: unknown) => {
        log.error({ err: error }, 'cannot answer a command')
        response.writeHead(500, { 'content-type': 'application/json', connection: 'close' }).end('{}')
      },
    )
  })
  await listenOrReplace(server, socketPath)
  await chmod(socketPath, 0o600)
  return { close: () => closeWithin(server, 1000) }
}

/** What commands may ask of the running service. */
interface ServiceFacts {
  readonly values?: readonly EffectiveValue[]
  examine?(): Promise<readonly Finding[]>
}

/**
 * Throws when a service answers at the socket. Checked before any store is opened, because those would only report a
 * lock.
 */
export async function requireAlone(socketPath: string): Promise<void> {
  if (isDirectory(socketPath)) {
    throw new OperatorError(`${socketPath} is a directory, but the service needs that name for a socket. Remove it.`)
  }
  const running = await askProcess(socketPath)
  if (!running) return
  const other = running.pid === undefined ? 'that does not answer' : `(process ${running.pid})`
  const folder = dirname(socketPath)
  throw new OperatorError(
    `Another shortlink service ${other} is already running on ${folder}. Stop it or choose another --data-dir.`,
  )
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    const folder = dirname(path)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES') {
      throw new OperatorError(
        `No permission to use ${folder}. Give it to the user of the service (chown), or choose another --data-dir.`,
      )
    }
    if (code === 'ENOTDIR') throw new OperatorError(`${folder} is not a directory. Choose another --data-dir.`)
    throw error
  }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

async function describe(url: string | undefined, { values, examine }: ServiceFacts): Promise<Answer> {
  const findings = url === '/doctor' && (await examine?.())
  return { status: 200, body: { pid: process.pid, values, ...(findings && { findings }) } }
}

async function answer(request: IncomingMessage, deps: AdministrationDeps, log: Logger): Promise<Answer> {
  const operation = (request.url ?? '/').slice(1)
  if (operation === failedOperation) {
    const { command, reason } = (await readJson(request)) as FailedCommand
    log.error({ command, reason }, 'a command failed')
    return { status: 200, body: { result: null } }
  }
  try {
    const result = await operate(deps, operator, operation, await readJson(request))
    // Commands ask for progress several times a second.
    log[operation.endsWith('Progress') ? 'debug' : 'info']({ operation }, 'command completed')
    return { status: 200, body: { result } }
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, message, details } = error
      if (isOutage(error)) log.warn({ operation, reason: message }, 'a command was refused')
      return { status: 422, body: { refusal: { code, message, details } } }
    }
    log.error({ err: error, operation }, 'command failed')
    return { status: 500, body: {} }
  }
}

const bodyLimit = 64 * 1024

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= bodyLimit) chunks.push(chunk)
  }
  if (length > bodyLimit) throw invalid('arguments', `The arguments are longer than ${bodyLimit} bytes.`, 'users')
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw invalid('arguments', 'The arguments are not JSON.', 'users')
  }
}

/**
 * Replaces the socket file of a crashed process. Two services that start at the same instant could both replace it; the
 * locks of the stores still protect the data.
 */
async function listenOrReplace(server: Server, socketPath: string): Promise<void> {
  try {
    await listen(server, socketPath)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    await requireAlone(socketPath)
    await rm(socketPath)
    await listen(server, socketPath)
  }
}

/** Running commands may finish; an incomplete request must not block the shutdown. */
function closeWithin(server: Server, timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const force = setTimeout(() => server.closeAllConnections(), timeout)
    server.close((error) => {
      clearTimeout(force)
      if (error) reject(error)
      else resolve()
    })
    server.closeIdleConnections()
  })
}

function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

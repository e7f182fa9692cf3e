import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import type { ServiceProcess } from './start-process.js'

/** The process ids of the processes for redirects beside the main one. */
export function redirectProcesses({ child }: ServiceProcess): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    return parent === child.pid && line.includes('redirect-process.js') ? [pid ?? 0] : []
  })
}

/** Waits until all processes run. */
export async function allRun(service: ServiceProcess): Promise<void> {
  await expect.poll(async () => (await readiness(service)).troubles, { timeout: 60_000 }).toEqual([])
}

export async function readiness({ url }: ServiceProcess): Promise<{
  readonly status: string
  readonly troubles: readonly string[]
  readonly journal: { readonly recorded: number; readonly backlogRows: number }
}> {
  const answer = await fetch(`${url}/readyz`)
  return (await answer.json()) as Awaited<ReturnType<typeof readiness>>
}

/** The value of a figure with these labels. */
export async function figure({ url }: ServiceProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  if (line === undefined) throw new Error(`no ${name} in\n${text}`)
  return Number(line.split(' ').at(-1))
}

/** While the main process is frozen, the others accept all connections. */
export async function frozen<T>({ child }: ServiceProcess, work: () => Promise<T>): Promise<T> {
  child.kill('SIGSTOP')
  try {
    return await work()
  } finally {
    child.kill('SIGCONT')
  }
}

/** A connection that keeps what it received. */
export class Connection {
  readonly socket: Socket
  received = ''
  readonly #port: number
  readonly closed: Promise<unknown>

  static async open({ url }: ServiceProcess): Promise<Connection> {
    const port = Number(new URL(url).port)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return new Connection(socket, port)
  }

  private constructor(socket: Socket, port: number) {
    this.socket = socket
    this.#port = port
    this.closed = new Promise((resolve) => socket.on('close', resolve).on('end', resolve))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1')
    })
  }

  /** The text of a request. */
  request(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = ''): string {
    const all = {
      host: `localhost:${this.#port}`,
      ...(body === '' ? {} : { 'content-length': String(body.length) }),
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  }

  /** Sends it, and waits until this many more statuses arrived. */
  async ask(text: string, answers = 1): Promise<void> {
    const before = this.statuses.length
    this.socket.write(text)
    await this.answered(before + answers)
  }

  async answered(answers: number): Promise<void> {
    await expect.poll(() => this.statuses.length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(answers)
  }

  get statuses(): readonly number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  }

  get locations(): readonly string[] {
    return [...this.received.matchAll(/^location: (.*)\r$/gim)].map(([, location = '']) => location)
  }
}

/** The real nsqd and nsqlookupd as processes of their own, on free loopback ports, with folders that go with them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.js'

export interface RealDaemon {
  /** `localhost:port` */
  readonly tcp: string
  readonly http: string
  /** As a crash does: nothing is written any more. */
  kill(): Promise<void>
  /** As an operator does: what it holds is on disk. */
  halt(): Promise<void>
  /** While frozen it takes connections and answers nothing. */
  freeze(frozen: boolean): void
  /** At the same ports, with the same folder. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface RealNsqdOptions {
  readonly lookupd?: RealDaemon
  readonly flags?: readonly string[]
  readonly ports?: Ports
}

export interface Ports {
  readonly tcp: number
  readonly http: number
}

export async function freePorts(): Promise<Ports> {
  return { tcp: await freePort(), http: await freePort() }
}

export async function startNsqlookupd(binary: string): Promise<RealDaemon> {
  const { tcp, http } = await freePorts()
  return start(binary, tcp, http, [], [])
}

export async function startRealNsqd(
  binary: string,
  { lookupd, flags = [], ports }: RealNsqdOptions = {},
): Promise<RealDaemon> {
  const { tcp, http } = ports ?? (await freePorts())
  const https = await freePort()
  const lookup = lookupd ? [`--lookupd-tcp-address=${lookupd.tcp}`] : []
  // Everything on disk at once: the way to lose nothing that docs/stream-nsqd.md describes.
  const durable = ['--mem-queue-size=0', '--sync-every=1']
  const own = [`--https-address=127.0.0.1:${https}`, ...durable, ...lookup, ...flags]
  return start(binary, tcp, http, own, ['--data-path'])
}

async function start(
  binary: string,
  tcp: number,
  http: number,
  flags: readonly string[],
  folders: readonly string[],
): Promise<RealDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-nsq-'))
  const args = [
    `--tcp-address=127.0.0.1:${tcp}`,
    `--http-address=127.0.0.1:${http}`,
    '--broadcast-address=localhost',
    ...folders.map((name) => `${name}=${folder}`),
    ...flags,
  ]
  const origin = `http://127.0.0.1:${http}`
  let child = await launch(binary, args, origin)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return {
    tcp: `localhost:${tcp}`,
    http: origin,
    kill: () => end('SIGKILL'),
    halt: () => end('SIGTERM'),
    freeze: (frozen) => void child.kill(frozen ? 'SIGSTOP' : 'SIGCONT'),
    async restart() {
      child = await launch(binary, args, origin)
    },
    async stop() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true })
    },
  }
}

async function launch(binary: string, args: readonly string[], origin: string): Promise<ChildProcess> {
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output = (output + chunk).slice(-4000)
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${binary} ended with ${child.exitCode}:\n${output}`)
    const answer = await fetch(`${origin}/ping`).catch(() => undefined)
    if (answer?.ok) return child
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

export async function post(daemon: RealDaemon, path: string): Promise<void> {
  const answer = await fetch(daemon.http + path, { method: 'POST' })
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status} ${await answer.text()}`)
}

/** Reads a topic with nsqjs, unmodified, and lets a test wait for what it wants to see. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import nsqjs, { type NsqjsMessage } from 'nsqjs'

interface StreamPlace {
  /** `host:port` */
  readonly nsqdTCPAddresses?: readonly string[]
  readonly lookupdHTTPAddresses?: readonly string[]
}

export interface Reading {
  /** Every message that was finished, in order of arrival, duplicates too. */
  readonly clicks: readonly StreamedClick[]
  /** Resolves when the condition holds; it is looked at after every message and event. */
  until(condition: (reading: Reading) => boolean): Promise<void>
  /** Those that have subscribed. */
  readonly connections: number
  readonly closed: number
  readonly errors: readonly string[]
  close(): void
}

export type StreamedClick = Readonly<Record<string, unknown>> & { readonly event_id: string; readonly u: string }

export interface ReadingInput {
  readonly topic: string
  readonly channel?: string
  readonly token: string
  readonly dataDir: string
  readonly place: StreamPlace
  readonly options?: object
  readonly answer?: (message: NsqjsMessage) => void
}

export function read({ topic, channel = 'test', token, dataDir, place, options, answer }: ReadingInput): Reading {
  const clicks: StreamedClick[] = []
  const errors: string[] = []
  const looking = new Set<() => void>()
  const look = () => {
    for (const each of looking) each()
  }
  const reader = new nsqjs.Reader(topic, channel, {
    ...place,
    lookupdPollInterval: 1,
    tls: true,
    tlsVerification: true,
    ca: readFileSync(join(dataDir, 'stream-ca.pem')),
    authSecret: token,
    maxInFlight: 1000,
    ...options,
  })
  const reading = {
    clicks,
    errors,
    connections: 0,
    closed: 0,
    until: (condition: (reading: Reading) => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!condition(reading)) return
          looking.delete(check)
          resolve()
        }
        looking.add(check)
        check()
      }),
    close: () => reader.close(),
  }
  reader.on('message', (message) => {
    clicks.push(message.json() as StreamedClick)
    if (answer) answer(message)
    else message.finish()
    look()
  })
  reader.on('error', (error) => {
    errors.push(error.message)
    look()
  })
  // Not nsqd_connected, which is before it has subscribed: a channel gets what is published after that.
  reader.on('ready', () => {
    reading.connections++
    look()
  })
  reader.on('nsqd_closed', () => {
    reading.closed++
    look()
  })
  reader.connect()
  return reading
}

export function different(clicks: readonly StreamedClick[]): number {
  return new Set(clicks.map((click) => click.event_id)).size
}

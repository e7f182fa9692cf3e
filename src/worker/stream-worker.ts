/**
 * The stream thread: the NSQ endpoint, which readers of the stream are connected to. It has a thread of its own, so that
 * neither redirects nor reports wait for them, nor they for those. It reaches the others by messages only; who may read is
 * for the main thread to say.
 */
import { existsSync, renameSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Authorization, any, type Grant } from '../engines/nsqd/authorization.js'
import { type Nsqd, startNsqd } from '../engines/nsqd/server.js'
import type { LogReport } from './log-report.js'
import { lowerPriority } from './lower-priority.js'
import {
  type FeedAnswer,
  type FeedCall,
  type FromStream,
  type StreamReaderAnswer,
  type StreamThreadData,
  type StreamView,
  type ToStream,
  unpackBatch,
} from './stream-messages.js'

async function runThread(port: MessagePort, { file, durability, host, ...options }: StreamThreadData): Promise<void> {
  const tell = (report: FromStream) => port.postMessage(report)
  const questions = new Questions(tell)
  await lowerPriority()
  const authorize = (secret: string) => questions.ask(secret)
  const start = () => startNsqd({ file, durability, host, ...options, authorize, log: logTo(tell) })
  let nsqd: Nsqd
  let trouble: string | undefined
  try {
    nsqd = await start().catch((error: unknown) => {
      if (!isDamage(error)) throw error
      trouble = setAside(file, error)
      tell({ type: 'log', level: 'error', fields: {}, message: trouble })
      return start()
    })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    tell({ type: 'broken', message, code })
    return
  }
  const feeds = new Set<MessagePort>()
  port.on('message', (order: ToStream) => {
    switch (order.type) {
      case 'feed':
        feeds.add(order.port)
        order.port.on('close', () => feeds.delete(order.port))
        return serve(nsqd, order.port)
      case 'look':
        return tell({ type: 'seen', id: order.id, view: viewOf(nsqd, trouble) })
      case 'authorized':
        return questions.answer(order.id, authorizationFor(order.reader))
      case 'failed':
        return questions.fail(order.id)
      case 'close':
        // A way in that is left open would keep the thread alive.
        for (const feed of feeds) feed.close()
        return void nsqd.close().then(() => port.close())
    }
  })
  tell({ type: 'ready', port: nsqd.port })
}

/** What was set aside is told until the next start: nobody else says what became of unread messages. */
function viewOf(nsqd: Nsqd, trouble: string | undefined): StreamView {
  const stats = nsqd.stats()
  return { stats: trouble === undefined ? stats : { ...stats, health: trouble }, counters: nsqd.counters() }
}

function isDamage(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(String((error as { code?: unknown }).code))
}

/** Readers go on with what the journal still has and what comes; the file is kept for whoever can read it. */
function setAside(file: string, error: unknown): string {
  const kept = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) renameSync(file + end, kept + end)
  const reason = error instanceof Error ? error.message : String(error)
  return `the stream's file was damaged (${reason}): it was set aside as ${kept} with what was unread, and a new one begun`
}

/** Calls are carried out at once, so their answers are in their order. */
function serve(nsqd: Nsqd, feed: MessagePort): void {
  feed.on('message', (call: FeedCall) => feed.postMessage(answerTo(nsqd, call)))
}

function answerTo(nsqd: Nsqd, call: FeedCall): FeedAnswer {
  try {
    if (call.type === 'position') return { type: 'done', value: nsqd.sourcePosition(call.journalId) }
    if (call.type === 'send') {
      for (const [topic, messages] of call.batches.map(unpackBatch)) nsqd.publish(topic, messages)
      return { type: 'done', value: 0 }
    }
    nsqd.publishOnce(call.journalId, call.row, call.batches.map(unpackBatch))
    return { type: 'done', value: call.row }
  } catch (error) {
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Who a secret belongs to, asked of the main thread. */
class Questions {
  readonly #tell: (report: FromStream) => void
  readonly #open = new Map<number, { resolve: (answer: Authorization) => void; reject: (error: Error) => void }>()
  #lastId = 0

  constructor(tell: (report: FromStream) => void) {
    this.#tell = tell
  }

  ask(secret: string): Promise<Authorization> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.#tell({ type: 'authorize', id, secret })
    })
  }

  answer(id: number, answer: Authorization): void {
    this.#open.get(id)?.resolve(answer)
    this.#open.delete(id)
  }

  fail(id: number): void {
    this.#open.get(id)?.reject(new Error('nobody could say who this is'))
    this.#open.delete(id)
  }
}

function authorizationFor(reader: StreamReaderAnswer | undefined): Authorization {
  if (!reader) return { identity: '', identityUrl: '', ttl: 1, grants: [] }
  const grants = reader.topics.map((topic): Grant => ({ topic, channels: any, permissions: ['subscribe'] }))
  return { identity: reader.login, identityUrl: '', ttl: reader.ttl, grants }
}

function logTo(tell: (report: FromStream) => void): Parameters<typeof startNsqd>[0]['log'] & object {
  const at =
    (level: LogReport['level']) =>
    (fields: unknown, message?: string): void => {
      const named = typeof fields === 'object' && fields !== null ? plain(fields) : {}
      tell({ type: 'log', level, fields: named, message: message ?? String(fields) })
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Errors do not keep what they are on the way to another thread; what they say does. */
function plain(fields: object): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) =>
    value instanceof Error ? ['reason', value.message] : [name, value],
  )
  return Object.fromEntries(entries)
}

// Last, because a class and the constants above exist only once their lines have run.
if (!parentPort) throw new Error('stream-worker.js is started by stream-thread.js, not by itself')
await runThread(parentPort, workerData as StreamThreadData)

/**
 * The stream thread: the NSQ endpoint that readers connect to. Its own thread, so that redirects and reports do not
 * wait for readers, and readers not for them. It talks to other threads only by messages; the main thread authorizes
 * readers.
 */

import { existsSync, renameSync } from 'node:fs'
import type { MessagePort } from 'node:worker_threads'
import { type Authorization, any, type Grant } from '../../engines/nsqd/authorization.js'
import { type Nsqd, startNsqd } from '../../engines/nsqd/server.js'
import type { LogLevel } from '../../lib/logger.js'
import { messageOf } from '../../lib/message-of.js'
import {
  type FeedMethods,
  type StreamReaderAnswer,
  type StreamThreadData,
  type StreamThreadMethods,
  type StreamThreadOwner,
  type StreamView,
  unpackBatch,
} from './stream-messages.js'
import { ThreadCalls } from './thread-calls.js'

export async function serve(
  options: StreamThreadData,
  owner: ThreadCalls<StreamThreadOwner>,
): Promise<StreamThreadMethods> {
  const { file, durability, outside, localPort } = options
  const feeds = new Set<MessagePort>()
  let trouble: string | undefined
  const authorize = async (secret: string) => authorizationFor(await owner.methods.authorize(secret))
  const listeners = outside ? { ...outside, localPort } : { host: '127.0.0.1', port: localPort }
  const start = () => startNsqd({ file, durability, ...listeners, authorize, log: logTo(owner) })
  const nsqd = await start().catch((error: unknown) => {
    if (!isDamage(error)) throw error
    trouble = setAside(file, error)
    owner.tell('log', ['error', {}, trouble])
    return start()
  })
  return {
    ports: () => (outside ? { port: nsqd.port, localPort: nsqd.localPort } : { port: 0, localPort: nsqd.port }),
    feed(feed) {
      feeds.add(feed)
      feed.on('close', () => feeds.delete(feed))
      new ThreadCalls(feed, feedMethods(nsqd))
    },
    look: () => viewOf(nsqd, trouble),
    close() {
      // An open port would keep the thread alive.
      for (const feed of feeds) feed.close()
      return nsqd.close()
    },
  }
}

/** Reports a file that was set aside until the next start, because unread messages were lost with it. */
function viewOf(nsqd: Nsqd, trouble: string | undefined): StreamView {
  const stats = nsqd.stats()
  return { stats: trouble === undefined ? stats : { ...stats, health: trouble }, counters: nsqd.counters() }
}

function isDamage(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(String((error as { code?: unknown }).code))
}

/** Readers continue with new messages and those still in the journal; the damaged file is kept for analysis. */
function setAside(file: string, error: unknown): string {
  const kept = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) renameSync(file + end, kept + end)
  const reason = messageOf(error)
  return `the stream file was damaged (${reason}); it was set aside as ${kept} with its unread messages, and a new one was created`
}

function feedMethods(nsqd: Nsqd): FeedMethods {
  return {
    position: (journalId) => nsqd.sourcePosition(journalId),
    publish: (journalId, row, batches) => nsqd.publishOnce(journalId, row, batches.map(unpackBatch)),
    send(batches) {
      for (const [topic, messages] of batches.map(unpackBatch)) nsqd.publish(topic, messages)
    },
  }
}

function authorizationFor(reader: StreamReaderAnswer | undefined): Authorization {
  if (!reader) return { identity: '', identityUrl: '', ttl: 1, grants: [] }
  const grants = reader.topics.map((topic): Grant => ({ topic, channels: any, permissions: ['subscribe'] }))
  return { identity: reader.login, identityUrl: '', ttl: reader.ttl, grants }
}

function logTo(owner: ThreadCalls<StreamThreadOwner>): Parameters<typeof startNsqd>[0]['log'] & object {
  const at =
    (level: LogLevel) =>
    (fields: unknown, message?: string): void => {
      const named = typeof fields === 'object' && fields !== null ? plain(fields) : {}
      owner.tell('log', [level, named, message ?? String(fields)])
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Errors cannot be sent to another thread unchanged, so send their messages. */
function plain(fields: object): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) =>
    value instanceof Error ? ['reason', value.message] : [name, value],
  )
  return Object.fromEntries(entries)
}

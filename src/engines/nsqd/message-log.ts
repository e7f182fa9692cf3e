/**
 * Messages on disk: an append-only log in SQLite, plus the position of each channel. Every method is one transaction
 * and returns when it is durable. It does not know about consumers.
 */
import Database from 'libsql'
import { requireWritableIndex, settleIndex } from '../../lib/sqlite-index.js'
import { Block, BlockCache, type BlockFacts, packed, splitIntoBlocks } from './block.js'

export interface TopicRow {
  readonly id: number
  readonly name: string
  /** Position of the newest message. */
  readonly head: number
  /** Position where the first channel will begin. */
  readonly start: number
}

export interface ChannelRow extends ChannelState {
  readonly id: number
  readonly topic: number
  readonly name: string
}

export interface ChannelState {
  /** The first message that was never delivered. */
  readonly next: number
  /** Unfinished messages, packed by deliveries.ts. */
  readonly outstanding: Buffer
  readonly lost: number
  readonly paused: boolean
}

export interface Batch {
  readonly topic: number
  readonly head: number
  readonly messages: readonly Buffer[]
  /** 0 means deliver now. */
  readonly deferredUntil: number
}

export interface Appended {
  readonly topic: number
  readonly blocks: readonly Block[]
}

export interface Saving {
  readonly channels: readonly { readonly id: number; readonly state: ChannelState }[]
  readonly topics: readonly { readonly id: number; readonly head: number; readonly start: number }[]
}

/** Bytes loaded in one query when a reader moves to the next block. */
const readAhead = 1024 * 1024
/** Blocks dropped per transaction: freeing pages takes time, and publishing waits for it. */
const dropBatch = 256

export class MessageLog {
  readonly #file: string
  readonly #database: Database.Database
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #cache: BlockCache
  #bytes: number

  constructor(file: string, durability: 'normal' | 'full', cacheSize: number) {
    this.#file = file
    this.#database = new Database(file)
    this.#database.exec('PRAGMA busy_timeout = 5000')
    // Four times the default: a block spans many pages, and each page costs the same.
    this.#database.exec('PRAGMA page_size = 16384')
    this.#database.exec('PRAGMA journal_mode = WAL')
    this.#database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    this.#database.exec(tables)
    this.#statements = prepareAll(this.#database)
    this.#cache = new BlockCache(cacheSize)
    const [sum] = this.#statements.totalBytes.all() as { bytes: number }[]
    this.#bytes = sum?.bytes ?? 0
  }

  /** Bytes of all stored message bodies. */
  get bytes(): number {
    return this.#bytes
  }

  topics(): readonly TopicRow[] {
    return this.#statements.topics.all() as TopicRow[]
  }

  channels(): readonly ChannelRow[] {
    const rows = this.#statements.channels.all() as (Omit<ChannelRow, 'outstanding' | 'paused'> & {
      outstanding: ArrayBuffer
      paused: number
    })[]
    return rows.map((row) => ({ ...row, outstanding: Buffer.from(row.outstanding), paused: row.paused === 1 }))
  }

  createTopic(name: string): TopicRow {
    const { lastInsertRowid } = this.#transact(() => this.#statements.insertTopic.run(name))
    return { id: Number(lastInsertRowid), name, head: 0, start: 1 }
  }

  deleteTopic(id: number): void {
    this.#transact(() => {
      const dropped = this.#statements.deleteBlocksOf.all(id) as { bytes: number }[]
      this.#statements.deleteChannelsOf.run(id)
      this.#statements.deleteTopic.run(id)
      return dropped
    }).forEach(this.#forgetBytes)
    this.#cache.forget(id, Number.POSITIVE_INFINITY)
  }

  createChannel(topic: number, name: string, { next, outstanding, lost, paused }: ChannelState): number {
    const { lastInsertRowid } = this.#transact(() =>
      this.#statements.insertChannel.run(topic, name, next, outstanding, lost, Number(paused)),
    )
    return Number(lastInsertRowid)
  }

  deleteChannel(id: number, topic: number, start: number): void {
    this.#transact(() => {
      this.#statements.deleteChannel.run(id)
      this.#statements.setStart.run(start, topic)
    })
  }

  /** Atomic: all batches or none. */
  append(batches: readonly Batch[]): readonly Appended[] {
    return this.#remember(this.#transact(() => this.#insert(batches)))
  }

  /**
   * Atomic: all batches and the position, or nothing. Returns undefined when the source is already at or past the
   * position.
   */
  appendOnce(source: string, position: number, batches: readonly Batch[]): readonly Appended[] | undefined {
    const appended = this.#transact(() => {
      if (position <= this.sourcePosition(source)) return undefined
      this.#statements.setSource.run(source, position)
      return this.#insert(batches)
    })
    return appended && this.#remember(appended)
  }

  /** 0 for an unknown source. */
  sourcePosition(source: string): number {
    const [row] = this.#statements.source.all(source) as { position: number }[]
    return row?.position ?? 0
  }

  sources(): ReadonlyMap<string, number> {
    const rows = this.#statements.sources.all() as { name: string; position: number }[]
    return new Map(rows.map(({ name, position }) => [name, position]))
  }

  /** The block with this position, or the next block after it. */
  blockFrom(topic: number, position: number): Block | undefined {
    const cached = this.#cache.get(topic, position)
    if (cached) return cached
    const sizes = this.#statements.sizesFrom.all(topic, topic, position) as {
      first: number
      end: number
      bytes: number
    }[]
    const ahead = sizes.filter(({ end }) => end > position)
    const [first] = ahead
    let last = first
    let bytes = 0
    for (const block of ahead) {
      bytes += block.bytes
      if (bytes > readAhead) break
      last = block
    }
    return first && last && this.#load(topic, first.first, last.first)
  }

  /** The block with this position only, without read-ahead: used for redelivery. */
  blockOf(topic: number, position: number): Block | undefined {
    const [place] = this.#statements.place.all(topic, position) as { first: number; end: number }[]
    if (!place || place.end <= position) return undefined
    return this.#cache.get(topic, place.first) ?? this.#load(topic, place.first, place.first)
  }

  save(saving: Saving): void {
    this.#transact(() => this.#save(saving))
  }

  /** Drops blocks that every channel has finished, and saves the channels in the same transaction. */
  dropFinished(topic: number, before: number, saving: Saving): number {
    const dropped = this.#transact(() => {
      this.#save(saving)
      return this.#statements.deleteBefore.all(topic, before, dropBatch) as { bytes: number }[]
    })
    dropped.forEach(this.#forgetBytes)
    this.#cache.forget(topic, before)
    return dropped.length
  }

  /**
   * Drops the oldest blocks while they are too old or the log is too large. Returns the first remaining position per
   * topic.
   */
  dropExpired(
    olderThan: number,
    size: number,
    headOf: (topic: number) => number,
  ): readonly { topic: number; before: number }[] {
    const oldest = this.#statements.oldest.all(dropBatch) as (Pick<BlockFacts, 'at' | 'count' | 'first'> & {
      row: number
      topic: number
      bytes: number
    })[]
    let bytes = this.#bytes
    const expired = oldest.filter((block) => {
      if (block.at >= olderThan && bytes <= size) return false
      bytes -= block.bytes
      return true
    })
    if (expired.length === 0) return []
    const before = new Map(expired.map((block) => [block.topic, block.first + block.count]))
    this.#transact(() => {
      for (const block of expired) this.#statements.deleteBlock.run(block.row)
      for (const topic of before.keys()) this.#statements.setHead.run(headOf(topic), topic)
    })
    expired.forEach(this.#forgetBytes)
    for (const [topic, position] of before) this.#cache.forget(topic, position)
    return [...before].map(([topic, before]) => ({ topic, before }))
  }

  close(): void {
    this.#database.close()
  }

  readonly #forgetBytes = ({ bytes }: { bytes: number }): void => {
    this.#bytes -= bytes
  }

  /** Returns the first block. */
  #load(topic: number, from: number, to: number): Block | undefined {
    const rows = this.#statements.blocks.all(topic, from, to) as (BlockFacts & { body: ArrayBuffer })[]
    const blocks = rows.map((row) => new Block(row, Buffer.from(row.body)))
    for (const block of blocks) this.#cache.add(topic, block)
    return blocks[0]
  }

  #save({ channels, topics }: Saving): void {
    for (const { id, state } of channels)
      this.#statements.saveChannel.run(state.next, state.outstanding, state.lost, Number(state.paused), id)
    for (const { id, head, start } of topics) this.#statements.saveTopic.run(head, start, id)
  }

  #insert(batches: readonly Batch[]): readonly Appended[] {
    const at = Date.now()
    const heads = new Map<number, number>()
    return batches.map(({ topic, head, messages, deferredUntil }) => {
      let last = heads.get(topic) ?? head
      const blocks = [...splitIntoBlocks(messages)].map((messages) => {
        const bytes = packed(messages)
        const facts = { first: last + 1, count: messages.length, at, deferredUntil }
        this.#statements.insertBlock.run(topic, facts.first, facts.count, at, deferredUntil, bytes.length, bytes)
        last += messages.length
        return new Block(facts, bytes)
      })
      heads.set(topic, last)
      return { topic, blocks }
    })
  }

  /** Call only after the commit: a rolled-back batch must not be served from memory. */
  #remember(appended: readonly Appended[]): readonly Appended[] {
    for (const { topic, blocks } of appended)
      for (const block of blocks) {
        this.#bytes += block.bytes.length
        this.#cache.add(topic, block)
      }
    return appended
  }

  #transact<T>(work: () => T): T {
    requireWritableIndex(this.#file)
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.exec('COMMIT')
      settleIndex(() => this.sourcePosition(''))
      return result
    } catch (error) {
      // A full disk has already rolled back; a second ROLLBACK would fail and hide the real error.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }
}

const tables = `
  CREATE TABLE IF NOT EXISTS topics (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, head INTEGER NOT NULL DEFAULT 0, start INTEGER NOT NULL DEFAULT 1
  );
  CREATE TABLE IF NOT EXISTS channels (
    id INTEGER PRIMARY KEY, topic INTEGER NOT NULL, name TEXT NOT NULL, next INTEGER NOT NULL, outstanding BLOB NOT NULL,
    lost INTEGER NOT NULL, paused INTEGER NOT NULL, UNIQUE (topic, name)
  );
  CREATE TABLE IF NOT EXISTS blocks (
    row INTEGER PRIMARY KEY, topic INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, at INTEGER NOT NULL,
    deferred_until INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL, UNIQUE (topic, first)
  );
  CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
`

function prepareAll(database: Database.Database) {
  const prepare = (sql: string): Database.Statement => database.prepare(sql)
  return {
    // Positions are never reused: the newest block has the last one, or the topic row when its blocks are gone.
    topics: prepare(`
      SELECT id, name, start, max(head, coalesce((SELECT first + count - 1 FROM blocks WHERE topic = topics.id
        ORDER BY first DESC LIMIT 1), 0)) AS head FROM topics`),
    channels: prepare('SELECT id, topic, name, next, outstanding, lost, paused FROM channels'),
    totalBytes: prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM blocks'),
    insertTopic: prepare('INSERT INTO topics (name) VALUES (?)'),
    deleteTopic: prepare('DELETE FROM topics WHERE id = ?'),
    saveTopic: prepare('UPDATE topics SET head = ?, start = ? WHERE id = ?'),
    setHead: prepare('UPDATE topics SET head = ? WHERE id = ?'),
    setStart: prepare('UPDATE topics SET start = ? WHERE id = ?'),
    insertChannel: prepare(
      'INSERT INTO channels (topic, name, next, outstanding, lost, paused) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    saveChannel: prepare('UPDATE channels SET next = ?, outstanding = ?, lost = ?, paused = ? WHERE id = ?'),
    deleteChannel: prepare('DELETE FROM channels WHERE id = ?'),
    deleteChannelsOf: prepare('DELETE FROM channels WHERE topic = ?'),
    insertBlock: prepare(
      'INSERT INTO blocks (topic, first, count, at, deferred_until, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    // Starts with the block that contains the position.
    sizesFrom: prepare(`
      SELECT first, first + count AS end, bytes FROM blocks WHERE topic = ? AND first >= coalesce(
        (SELECT first FROM blocks WHERE topic = ? AND first <= ? ORDER BY first DESC LIMIT 1), 0)
      ORDER BY first LIMIT 256`),
    place: prepare(
      'SELECT first, first + count AS end FROM blocks WHERE topic = ? AND first <= ? ORDER BY first DESC LIMIT 1',
    ),
    blocks: prepare(`
      SELECT first, count, at, deferred_until AS deferredUntil, body FROM blocks
      WHERE topic = ? AND first BETWEEN ? AND ? ORDER BY first`),
    oldest: prepare('SELECT row, topic, first, count, at, bytes FROM blocks ORDER BY row LIMIT ?'),
    deleteBlock: prepare('DELETE FROM blocks WHERE row = ?'),
    deleteBlocksOf: prepare('DELETE FROM blocks WHERE topic = ? RETURNING bytes'),
    deleteBefore: prepare(`
      DELETE FROM blocks WHERE row IN (SELECT row FROM blocks WHERE topic = ?1 AND first < ?2 AND first + count <= ?2
      ORDER BY first LIMIT ?3) RETURNING bytes`),
    source: prepare('SELECT position FROM sources WHERE name = ?'),
    sources: prepare('SELECT name, position FROM sources'),
    setSource: prepare(
      'INSERT INTO sources (name, position) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET position = excluded.position',
    ),
  }
}

/** Takes channels out of the file of a daemon that does not run, with the messages that they have not finished. */
import { unpack } from './deliveries.js'
import { MessageLog } from './message-log.js'

export interface TakenChannel {
  readonly topic: string
  readonly channel: string
  readonly messages: readonly Buffer[]
}

/**
 * The channels are deleted when `take` has resolved; it also gets the positions of publishers. It is not called if there
 * are no such channels.
 */
export async function takeChannels(
  file: string,
  prefix: string,
  take: (channels: readonly TakenChannel[], sources: ReadonlyMap<string, number>) => Promise<void>,
): Promise<void> {
  const log = new MessageLog(file, 'normal', 0)
  try {
    const topics = new Map(log.topics().map((topic) => [topic.id, topic]))
    const found = log.channels().filter(({ name }) => name.startsWith(prefix))
    if (found.length === 0) return
    const taken = found.map(({ topic: id, name, next, outstanding }) => {
      const { head = 0, name: topic = '' } = topics.get(id) ?? {}
      const unfinished = unpack(outstanding)
      const ahead = new Set([...unfinished.ahead, ...unfinished.outstanding.map(({ position }) => position)])
      const positions = unfinished.outstanding.map(({ position }) => position)
      for (let position = next; position <= head; position++) if (!ahead.has(position)) positions.push(position)
      const messages = positions
        .sort((one, other) => one - other)
        .flatMap((position) => messageAt(log, id, position) ?? [])
      return { topic, channel: name, messages }
    })
    await take(taken, log.sources())
    for (const { id, topic } of found) log.deleteChannel(id, topic, (topics.get(topic)?.head ?? 0) + 1)
  } finally {
    log.close()
  }
}

function messageAt(log: MessageLog, topic: number, position: number): Buffer | undefined {
  const block = log.blockOf(topic, position)
  if (!block) return undefined
  const { start, end } = block.range(position)
  return Buffer.from(block.bytes.subarray(start, end))
}

/**
 * Moves events for webhooks that a former version left in channels of the stream to their queues, once: of the embedded
 * stream before clicks are read, of external daemons in the background. Those that had failed are in the queue already: the
 * migration took them from the records.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../core/values/time.js'
import type { WebhookStore } from '../../core/webhooks/webhook-store.js'
import { takeChannels } from '../../engines/nsqd/take-channels.js'
import type { Closable } from '../../lib/closing.js'
import type { Warn } from '../../lib/logger.js'
import { copyBeforeUpgrade } from '../../storage/copies/before-upgrade.js'
import type { NsqdCluster } from '../../storage/nsqd/cluster.js'
import { TopicReader } from '../../storage/nsqd/topic-reader.js'

type Store = Pick<WebhookStore, 'enqueue'>

/** One for each webhook, on each of its topics. */
const channelPrefix = 'webhook.'
const lookEvery = 5_000

export async function moveEmbeddedChannels(dataDir: string, store: Store): Promise<void> {
  const file = join(dataDir, 'stream.sqlite')
  if (!existsSync(file)) return
  await takeChannels(file, channelPrefix, async (channels, sources) => {
    copyBeforeUpgrade(dataDir, 'stream.sqlite', 'webhook-queue')
    // Webhooks go on where the stream was.
    for (const [name, position] of sources) await store.enqueue([], { name, position })
    for (const { channel, messages } of channels) await move(store, channel, messages)
  })
}

/** Until the channels are empty and deleted. Several processes may do it. */
export function moveExternalChannels(stream: NsqdCluster, store: Store, warn: Warn): Closable {
  const readers = new Map<string, TopicReader>()
  const read = (topic: string, channel: string) => {
    const reader = new TopicReader(
      { topic, channel, maxInFlight: 100 },
      {
        daemons: () => stream.daemons(),
        onMessage: (message) =>
          void move(store, channel, [message.body]).then(
            () => message.finish(),
            () => message.requeue(lookEvery),
          ),
        onFailure: (daemon, { message: reason }) =>
          warn({ daemon, topic, reason }, 'cannot read events of a former version for a webhook; trying again'),
      },
    )
    void reader.start()
    return reader
  }
  const look = async () => {
    const { daemons } = await stream.stats()
    const channels = daemons.flatMap(({ topics }) =>
      topics.flatMap(({ topic_name: topic, channels }) => channels.map((each) => ({ topic, ...each }))),
    )
    const former = channels.filter(({ channel_name: name }) => name.startsWith(channelPrefix))
    // Deferred messages had failed.
    const full = former.filter(({ depth, in_flight_count }) => depth + in_flight_count > 0)
    for (const { topic, channel_name: channel } of former) {
      const key = `${topic} ${channel}`
      const reader = readers.get(key)
      if (!reader) readers.set(key, read(topic, channel))
      else if (!full.some((each) => each.topic === topic && each.channel_name === channel)) {
        await reader.close()
        await stream.deleteChannel(topic, channel)
      }
    }
    if (former.length === 0 && daemons.every(({ health }) => health === 'OK')) clearInterval(timer)
  }
  const timer = setInterval(() => void look().catch(() => {}), lookEvery).unref()
  return {
    async close() {
      clearInterval(timer)
      for (const reader of readers.values()) await reader.close()
    },
  }
}

/** The ids are those of the migration: an event that is in the queue is not added again. */
async function move(store: Store, channel: string, messages: readonly Buffer[]): Promise<void> {
  const webhookGuid = channel.slice(channelPrefix.length)
  const first = systemClock.now() - messages.length
  const events = messages.map((message, index) => {
    const json = message.toString()
    const { event_id } = JSON.parse(json) as { event_id?: string }
    return { id: `${webhookGuid}/${event_id}`, webhookGuid, dueAt: first + index, tries: 0, events: [json] }
  })
  await store.enqueue(events)
}

/** The live thread: reads the clicks of organizations with live readers from the stream, and prepares their events. */
import { randomBytes } from 'node:crypto'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { Feeds, type FeedsDeps } from '../core/live/feeds.js'
import { organizationClicks } from '../core/stream/access.js'
import { systemClock } from '../core/values/time.js'
import { TopicReader } from '../storage/nsqd/topic-reader.js'
import type { LiveThreadMethods, LiveThreadOwner } from './live-thread.js'
import { lowerPriority } from './lower-priority.js'
import { ThreadCalls } from './thread-calls.js'

/** Unfinished messages; they are finished as soon as they arrive, so this bounds what is on the way. */
const maxInFlight = 1_000

async function runThread(port: MessagePort): Promise<void> {
  // Each process reads everything, so each has its own channel. It is gone when the process is.
  const channel = `live-${randomBytes(6).toString('hex')}#ephemeral`
  const follow: FeedsDeps['follow'] = async (organizationGuid, { onMessage, onGap }) => {
    const topic = organizationClicks(organizationGuid)
    const reader = new TopicReader(
      { topic, channel, maxInFlight },
      {
        daemons: () => owner.call('daemons', []),
        onMessage: (message) => {
          message.finish()
          onMessage(message.body)
        },
        onReconnect: onGap,
        onFailure: (daemon, error) =>
          owner.tell('log', ['warn', { daemon, reason: error.message }, 'live updates cannot read the stream']),
      },
    )
    try {
      await reader.start()
      await owner.call('hold', [topic])
    } catch (error) {
      await reader.close()
      throw error
    }
    return {
      close: async () => {
        owner.tell('release', [topic])
        await reader.close()
      },
    }
  }
  const feeds = new Feeds({ follow, send: (updates) => owner.tell('events', [updates]), clock: systemClock })
  const methods: LiveThreadMethods = {
    join: (subject, lastEventId) => feeds.join(subject, lastEventId),
    leave: (subject) => feeds.leave(subject),
    close: () => void feeds.close().then(() => port.close()),
  }
  const owner = new ThreadCalls<LiveThreadOwner>(port, methods)
  owner.tell('ready', [undefined])
  await lowerPriority()
}

if (!parentPort) throw new Error('live-worker.js must be started by live-thread.js')
await runThread(parentPort)

/** Stream metrics for Prometheus. Readers can create channels, so the number of channel labels is limited. */

import type { Counter, Registry } from 'prom-client'
import type { LinkFollowerStatus, PipelineStatus } from '../../core/clicks/deliver.js'
import { type JournalStatus, rowsWaiting } from '../../core/clicks/journal.js'
import type { ChannelStats, NsqStats, Stream } from '../../core/stream/stream.js'
import { messageOf } from '../../lib/message-of.js'
import { newFigures } from './new-figures.js'

/** Channels with the largest backlog get their own label; all others are summed as "other". */
const maxChannels = 100

/** Problems of the stream and of the queues of webhooks; empty when they are healthy or off. */
export async function streamTroubles(
  stream: Pick<Stream, 'stats'>,
  pipeline: PipelineStatus | undefined,
): Promise<readonly string[]> {
  const waiting = Object.entries(pipeline?.others ?? {}).flatMap(([name, { lastFailure }]) =>
    lastFailure === undefined ? [] : [`${name}: clicks are waiting in the journal (${lastFailure})`],
  )
  const troubles = [...waiting, ...linkTroubles(pipeline?.links)]
  try {
    const { daemons } = await stream.stats()
    const unwell = daemons.filter(({ health }) => health !== 'OK' && health !== '')
    return [...troubles, ...unwell.map(({ address, health }) => `stream: ${address}: ${health}`)]
  } catch (error) {
    return [...troubles, `stream: ${messageOf(error)}`]
  }
}

function linkTroubles({ lastFailure, tooLongOpenMs }: Partial<LinkFollowerStatus> = {}): readonly string[] {
  const minutes = Math.floor((tooLongOpenMs ?? 0) / 60_000)
  return [
    ...(lastFailure === undefined ? [] : [`stream: new links are waiting in the database (${lastFailure})`]),
    ...(tooLongOpenMs === undefined
      ? []
      : [
          `stream: a database transaction has been open for ${minutes} minutes; its new links are not published. End it.`,
        ]),
  ]
}

export function streamFigures(registry: Registry, stream: Stream) {
  const { counter, gauge } = newFigures(registry, 'shortlink_stream_')
  const perChannel = (name: string, help: string) => gauge(name, help, 'topic', 'channel')

  const channels = {
    depth: perChannel('depth', 'Messages waiting in a channel; without a channel, in the topic'),
    in_flight_count: perChannel('in_flight', 'Messages sent and not answered yet'),
    deferred_count: perChannel('deferred', 'Messages deferred'),
    message_count: perChannel('messages', 'Messages ever added to a channel'),
    requeue_count: perChannel('requeues', 'Messages requeued by readers'),
    timeout_count: perChannel('timeouts', 'Messages that timed out'),
    lost_count: perChannel('lost', 'Messages dropped unread because they were too old or too many'),
  }
  const up = gauge('up', '1 while every daemon of the stream is healthy')
  const lag = gauge('lag_seconds', 'Age of the oldest unpublished click')
  const backlog = gauge('backlog_rows', 'Unpublished journal rows')
  const failures = counter('publish_failures_total', 'Batches that failed and were retried')
  const linksBehind = gauge('links_lag_seconds', 'Seconds since new links were last published')
  const linkFailures = counter('links_failures_total', 'Failed attempts to publish new links')
  const connections = gauge('connections', 'Connected readers')
  const bytes = gauge('log_bytes', 'Bytes of stored messages')
  const restarts = counter('restarts_total', 'Restarts of the stream thread')
  const events = counter('events_total', 'Events of messages and connections', 'event')
  const errors = counter('errors_total', 'Refused commands of readers by code', 'code')

  /** All values stay 0 for a service without a stream. */
  return async function copy(journal: JournalStatus, pipeline: PipelineStatus): Promise<void> {
    for (const each of Object.values(channels)) each.reset()
    const fed = pipeline.others.stream
    if (!fed) return
    lag.set(fed.lagMs / 1000)
    backlog.set(rowsWaiting(journal, fed))
    set(failures, fed.failures)
    linksBehind.set((pipeline.links?.behindMs ?? 0) / 1000)
    set(linkFailures, pipeline.links?.failures ?? 0)
    const stats = await answerOf(() => stream.stats())
    up.set(stats?.daemons.every(({ health }) => health === 'OK') ? 1 : 0)
    for (const { topic, channel, stats: found } of bounded(stats)) {
      for (const [name, figure] of Object.entries(channels)) {
        figure.inc({ topic, channel }, found[name as keyof typeof channels] ?? 0)
      }
    }
    const figures = await answerOf(async () => stream.figures?.())
    if (!figures) return
    const { openConnections, logBytes, restarts: restarted, errors: refused, ...happened } = figures
    connections.set(openConnections)
    bytes.set(logBytes)
    set(restarts, restarted)
    setEach(events, 'event', {
      published: happened.published,
      delivered: happened.delivered,
      finished: happened.finished,
      requeued: happened.requeued,
      timed_out: happened.timedOut,
      lost: happened.lost,
      connected: happened.connections,
      turned_away: happened.connectionsRefused,
    })
    setEach(errors, 'code', refused)
  }
}

type Labelled = { readonly topic: string; readonly channel: string; readonly stats: Partial<ChannelStats> }

function bounded(stats: NsqStats | undefined): readonly Labelled[] {
  const topics = stats?.daemons.flatMap((daemon) => daemon.topics) ?? []
  const all = topics.flatMap(({ topic_name: topic, depth, channels }): readonly Labelled[] =>
    channels.length === 0
      ? [{ topic, channel: '', stats: { depth } }]
      : channels.map((channel) => ({ topic, channel: channel.channel_name, stats: channel })),
  )
  const [named, others] = [all.length > maxChannels ? byDepth(all) : all, { topic: 'other', channel: 'other' }]
  return named.map((each, index) => (index < maxChannels ? each : { ...each, ...others }))
}

function byDepth(channels: readonly Labelled[]): readonly Labelled[] {
  return [...channels].sort((one, other) => (other.stats.depth ?? 0) - (one.stats.depth ?? 0))
}

/** A stream that does not answer must not hide the other metrics; `up` shows it. */
async function answerOf<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch {
    return undefined
  }
}

/** Each area keeps its own figures; a scrape copies them into Prometheus counters, which can only grow. */
export function set(counter: Counter, value: number): void {
  counter.reset()
  counter.inc(value)
}

export function setEach(counter: Counter, label: string, values: Readonly<Record<string, number>>): void {
  counter.reset()
  for (const [name, value] of Object.entries(values)) counter.inc({ [label]: name }, value)
}

/** The stream in Prometheus' words. Whoever reads it may make channels, so the number of their labels is bounded. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { JournalStatus } from '../../core/clicks/journal.js'
import type { LinkFollowerStatus, PipelineStatus } from '../../core/clicks/pipeline-status.js'
import type { ChannelStats, NsqStats, Stream } from '../../core/stream/stream.js'
import { set, setEach } from './counters.js'

/** Our choice: those with the largest backlog by name, all others together as "other". */
const mostChannels = 100

/** Why the stream is in trouble; empty where it is well, or off. */
export async function streamTroubles(stream: Stream, pipeline: PipelineStatus | undefined): Promise<readonly string[]> {
  const fed = pipeline?.others.stream?.lastFailure
  const troubles = [
    ...(fed === undefined ? [] : [`stream: clicks wait in the journal (${fed})`]),
    ...linkTroubles(pipeline?.links),
  ]
  try {
    const { daemons } = await stream.stats()
    const unwell = daemons.filter(({ health }) => health !== 'OK' && health !== '')
    return [...troubles, ...unwell.map(({ address, health }) => `stream: ${address}: ${health}`)]
  } catch (error) {
    return [...troubles, `stream: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function linkTroubles({ lastFailure, tooLongOpenMs }: Partial<LinkFollowerStatus> = {}): readonly string[] {
  const minutes = Math.floor((tooLongOpenMs ?? 0) / 60_000)
  return [
    ...(lastFailure === undefined ? [] : [`stream: new links wait in the records (${lastFailure})`]),
    ...(tooLongOpenMs === undefined
      ? []
      : [`stream: a change of the records is open for ${minutes} minutes: links it makes are not told of. End it.`]),
  ]
}

export function streamFigures(registry: Registry, stream: Stream) {
  const registers = [registry]
  const perChannel = (name: string, help: string) =>
    new Gauge({ name: `shortlink_stream_${name}`, help, labelNames: ['topic', 'channel'], registers })
  const gauge = (name: string, help: string) => new Gauge({ name: `shortlink_stream_${name}`, help, registers })
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `shortlink_stream_${name}`, help, labelNames, registers })

  const channels = {
    depth: perChannel('depth', 'Messages that wait in a channel; with no channel, in the topic itself'),
    in_flight_count: perChannel('in_flight', 'Messages that were sent and not answered'),
    deferred_count: perChannel('deferred', 'Messages that were put back for later'),
    message_count: perChannel('messages', 'Messages that ever came into a channel'),
    requeue_count: perChannel('requeues', 'Messages that readers have put back'),
    timeout_count: perChannel('timeouts', 'Messages that readers have not answered in time'),
    lost_count: perChannel(
      'lost',
      'Messages that were dropped before they were read, because they were too old or many',
    ),
  }
  const up = gauge('up', '1 while every daemon of the stream answers and is well')
  const lag = gauge('lag_seconds', 'Age of the oldest click that is not published yet')
  const backlog = gauge('backlog_rows', 'Journal rows that are not yet published')
  const failures = counter('publish_failures_total', 'Batches that had to be tried again')
  const linksBehind = gauge('links_lag_seconds', 'How long ago new links were last looked for and told of')
  const linkFailures = counter('links_failures_total', 'Looks for new links that failed and had to be tried again')
  const connections = gauge('connections', 'Readers that are connected')
  const bytes = gauge('log_bytes', 'Bytes of messages that are kept')
  const restarts = counter('restarts_total', 'Times the thread had to be started again')
  const events = counter('events_total', 'What has happened to messages and connections', 'event')
  const errors = counter('errors_total', 'Commands of readers that were refused, by code', 'code')

  /** All of it stays at nothing for a service without a stream. */
  return async function copy(journal: JournalStatus, pipeline: PipelineStatus): Promise<void> {
    for (const each of Object.values(channels)) each.reset()
    const fed = pipeline.others.stream
    if (!fed) return
    lag.set(fed.lagMs / 1000)
    backlog.set(journal.lastRow - fed.row)
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
  const [named, others] = [all.length > mostChannels ? byDepth(all) : all, { topic: 'other', channel: 'other' }]
  return named.map((each, index) => (index < mostChannels ? each : { ...each, ...others }))
}

function byDepth(channels: readonly Labelled[]): readonly Labelled[] {
  return [...channels].sort((one, other) => (other.stats.depth ?? 0) - (one.stats.depth ?? 0))
}

/** A stream that is away must not hide the other figures; `up` says that it is. */
async function answerOf<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch {
    return undefined
  }
}

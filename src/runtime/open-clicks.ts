/** Opens what counts clicks: journal, click thread and stream. A part of the composition root. */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { TokenCheck } from '../core/accounts/authenticate.js'
import type { ClickArchive } from '../core/clicks/click-archive.js'
import type { ClickCopier } from '../core/clicks/click-copy.js'
import type { ClickEraser } from '../core/clicks/click-eraser.js'
import type { PipelineStatus } from '../core/clicks/deliver.js'
import { rowsWaiting } from '../core/clicks/journal.js'
import { JournalReports, missingText } from '../core/clicks/journal-reports.js'
import { SharedSalts } from '../core/clicks/shared-salts.js'
import type { Stream } from '../core/stream/stream.js'
import { Refusal } from '../core/values/refusal.js'
import type { Clock } from '../core/values/time.js'
import type { Closing } from '../lib/closing.js'
import type { Warn } from '../lib/logger.js'
import { journalFolder } from '../storage/journal/folders.js'
import type { FileJournal } from '../storage/journal/journal.js'
import { journalIdIn } from '../storage/journal/segments.js'
import { nsqdCluster } from '../storage/nsqd/cluster.js'
import { usesRealNsqd } from '../storage/nsqd/open-publisher.js'
import type { Records } from '../storage/records/records.js'
import type { Journals } from './journals.js'
import type { ClickStreamOptions } from './threads/click-stream.js'
import { type ClickThread, startClickThread } from './threads/click-thread.js'
import { newSalt } from './threads/daily-salts.js'
import { openEmbeddedStream } from './threads/embedded-stream.js'
import { moveEmbeddedChannels, moveExternalChannels } from './threads/former-channels.js'
import type { StreamThread } from './threads/stream-thread.js'

export interface PipelineDeps extends Pick<Records, 'streamStore' | 'webhookStore' | 'groups' | 'clickStore'> {
  readonly tokens: TokenCheck
  readonly clock: Clock
  readonly onReport: (milliseconds: number) => void
}

export interface OpenedPipeline {
  readonly stream: Stream
  readonly pipeline: ClickThread
}

/** The click thread and the stream. The stream closes after the click thread, which still publishes to it. */
export async function openPipeline(
  config: Config,
  log: Logger,
  deps: PipelineDeps,
  closing: Closing,
): Promise<OpenedPipeline> {
  const streaming = log.child({ room: 'stream' })
  // The click thread delivers the journals that exist when it starts.
  for (let number = 2; number <= config.processes; number++) journalIdIn(journalFolder(config.dataDir, number))
  // Processes with a shared database must hash visitors with the same salts.
  const onFailure = (err: unknown) => log.warn({ err }, 'cannot refresh the visitor salts; using the last known ones')
  const salts =
    config.databaseUrl === undefined
      ? undefined
      : closing.add(await SharedSalts.open({ ...deps, draw: newSalt, onFailure }))
  const { databaseUrl, dataDir, secretsKey } = config
  const records = { databaseUrl, dataDir, secretsKey }
  let publishing: ClickThread | undefined
  // May fail while the click thread restarts. It reads the stream access itself, at the latest some seconds later.
  const late = (err: unknown) => streaming.warn({ err }, 'a change of stream access takes effect some seconds later')
  const refresh = async (watched: readonly string[]) => publishing?.refreshStream(watched).catch(late)
  const { onReport } = deps
  const startPipeline = async (clickStream?: ClickStreamOptions, stream?: StreamThread) => {
    const webhooks = (await deps.webhookStore.wanted()).length > 0 ? records : undefined
    const options = { ...config, stream: clickStream, webhooks }
    publishing = await startClickThread(options, log.child({ room: 'pipeline' }), { stream, salts, onReport })
    return closing.add(publishing)
  }

  if (usesRealNsqd(config)) {
    const { nsqdTcpAddresses, nsqdHttpAddresses, nsqlookupdHttpAddresses, nsqdAuthSecret, nsqdBacklog } = config
    const addresses = { nsqdTcpAddresses, nsqdHttpAddresses, nsqlookupdHttpAddresses, nsqdAuthSecret }
    const pipeline = await startPipeline({ records, daemons: { dataDir, ...addresses, nsqdBacklog } })
    const onFailure = (address: string, reason: string) =>
      streaming.warn({ address, reason }, 'an nsqd daemon does not answer')
    const warn: Warn = (fields, message) => streaming.warn(fields, message)
    const stream = { ...nsqdCluster(addresses, { onFailure }), accessChanged: async () => refresh([]) }
    closing.add(moveExternalChannels(stream, deps.webhookStore, warn))
    return { pipeline, stream }
  }

  await moveEmbeddedChannels(dataDir, deps.webhookStore).catch((err) =>
    streaming.error({ err }, 'cannot read events for webhooks that a former version left in the stream'),
  )
  const stream = closing.add(await openEmbeddedStream(config, { ...deps, log: streaming, refresh }))
  const published = { records, daemons: undefined }
  const thread = config.nsqdPort === undefined ? undefined : await stream.start()
  const pipeline = thread ? await startPipeline(published, thread) : await startPipeline()
  // May fail while the click thread restarts; the next one publishes from the start.
  stream.onLateStart((late) =>
    pipeline
      .openStream(published, late)
      .catch((err) => streaming.warn({ err }, 'the stream gets clicks when the click thread is running again')),
  )
  return { pipeline, stream }
}

/** Undefined with SQLite: nobody shares its records. */
export function openJournalReports(
  config: Config,
  log: Logger,
  deps: Pick<PipelineDeps, 'clickStore' | 'clock'> & {
    readonly journal: () => FileJournal
    readonly journals: () => Journals
    readonly pipeline: () => ClickThread
  },
): JournalReports | undefined {
  if (config.databaseUrl === undefined) return undefined
  const place = `${hostname()}:${resolve(config.dataDir)}`
  const own = async () => {
    const { journalId } = deps.journal()
    const [journals, pipeline] = await Promise.all([deps.journals().refresh(), deps.pipeline().status()])
    const { lagMs } = pipeline
    const waitingRows = rowsWaiting(journals, pipeline)
    return { journalId, place, waitingRows, waitingSince: waitingRows > 0 ? deps.clock.now() - lagMs : undefined }
  }
  return new JournalReports({
    ...deps,
    missingAfter: config.missingAfter * 1000,
    own,
    onMissing: (report) =>
      log.error(
        { ...report, reason: missingText(report) },
        'a process did not come back; its clicks were not delivered',
      ),
    onFailure: (err) => log.warn({ err }, 'cannot report what waits in the journal; trying again in some seconds'),
  })
}

export interface ClickArchives {
  readonly clickArchive: ClickArchive
  readonly clickCopier: ClickCopier
  readonly clickEraser: ClickEraser
}

/** Less than a command waits for an answer. */
const maxCounting = 20_000
/** A busy service lets clicks wait for up to a minute, and counts them more slowly than they come. A backup can wait. */
const maxCountingForBackup = 600_000

/** What commands do with clicks. Those that were answered before are counted first. */
export function archiveOf(pipeline: ClickThread, journals: Journals): ClickArchives {
  const counted = countedBy(pipeline, journals)
  return {
    clickArchive: {
      partitions: async (which) => counted().then(() => pipeline.log.partitions(which)),
      writeClicks: pipeline.log.writeClicks,
    },
    clickCopier: {
      async copyClicks(folder, known) {
        await counted(maxCountingForBackup)
        const copy = await pipeline.copyClicks(folder, known)
        return { ...copy, unpublished: await unpublished(pipeline) }
      },
    },
    clickEraser: {
      async forgetClicks(which, options) {
        await counted()
        // Otherwise the file with the visits of these clicks would stay until it is large or old.
        if (!options.dryRun) journals.rotate()
        return pipeline.log.forgetClicks(which, options)
      },
    },
  }
}

/** Messages of clicks are published within milliseconds, unless an external daemon is away. */
const maxPublishing = 10_000

/** The number of journal rows that are counted but not published; waits for the stream, which is copied next. */
async function unpublished(pipeline: ClickThread): Promise<number> {
  const counted = await pipeline.status()
  const until = performance.now() + maxPublishing
  for (;;) {
    const { others } = await pipeline.status()
    const missing = Math.max(0, ...Object.values(others).map((sink) => rowsWaiting(positionsIn(counted), sink)))
    if (missing === 0 || performance.now() > until) return missing
    await wait(50)
  }
}

/** As if the journals ended where the click log is. */
function positionsIn({ row, otherRows = {} }: PipelineStatus): Parameters<typeof rowsWaiting>[0] {
  const others = Object.entries(otherRows).map(([id, lastRow]) => [id, { lastRow, skipped: [] }] as const)
  return { lastRow: row, skipped: [], others: Object.fromEntries(others) }
}

/** Resolves when the clicks that are in the journals now are in the click log. */
function countedBy(pipeline: ClickThread, journals: Journals): (timeLimit?: number) => Promise<void> {
  return async (timeLimit = maxCounting) => {
    const timeout = new AbortController()
    const late = wait(timeLimit, 'late', { signal: timeout.signal }).catch(() => undefined)
    const { lastRow, others = {} } = await journals.refresh()
    const otherRows = Object.fromEntries(Object.entries(others).map(([id, rows]) => [id, rows.lastRow]))
    const counted = await Promise.race([pipeline.drained(lastRow, otherRows), late])
    timeout.abort()
    if (counted !== 'late') return
    const message = 'The service is still counting clicks of the journal. Try again when /readyz shows no backlog.'
    throw new Refusal('TEMPORARILY_UNAVAILABLE', message)
  }
}

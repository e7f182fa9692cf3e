/** Delivers the journals of a machine that is gone: through the running service, or directly when no service runs. */
import { rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config/config.js'
import type { JournalDeliveries, JournalProgress } from '../core/clicks/journal-delivery.js'
import { systemClock } from '../core/values/time.js'
import { askProcess, askService, controlSocketPath } from '../edges/control/client.js'
import { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { journalFolders } from '../storage/journal/folders.js'
import { lastRowIn, segmentsIn } from '../storage/journal/segments.js'
import { openExistingRecords, recordOptions, requireCurrentSchema } from './administration.js'
import type { Command } from './command.js'
import { ProgressBar } from './progress-bar.js'

export const journalDeliver: Command = {
  name: 'journal deliver',
  summary: 'Count the clicks in the journals of a machine that is gone; running it again counts nothing twice',
  words: [{ name: 'DIR', description: 'Its data directory, or one of its journals (docs/scaling.md#a-dead-machine).' }],
  flags: [
    { name: 'delete', description: 'Delete the files of the journals when all of their clicks are delivered.' },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: [
    ...recordOptions,
    ...(['secretsKey', 'clickhouseUrl', 'clickhouseCluster', 'clickhouseInsertQuorum'] as const),
    ...(['missingAfter', 'trustProxy', 'geography'] as const),
  ],
  async run({ config, word, switched, print, draw }) {
    const folders = journalsAt(resolve(word('DIR')))
    const running = await Promise.all([...new Set(folders.flatMap((folder) => [folder, dirname(folder)]))].map(usedBy))
    const user = running.find((service) => service !== undefined)
    if (user !== undefined) throw new OperatorError(user)
    const closing = new Closing()
    try {
      const deliveries = await deliveriesFor(config, closing)
      const ended: (JournalProgress & { readonly deleted: boolean })[] = []
      for (const folder of folders) {
        const progress = await deliver(deliveries, folder, draw)
        const deleted = switched('delete') ? deleteDelivered(progress) : undefined
        ended.push({ ...progress, deleted: deleted === true })
        if (!switched('json')) for (const line of summary(progress, deleted)) print(line)
      }
      if (switched('json')) print(JSON.stringify(ended))
    } finally {
      await closing.close()
    }
  },
}

/** That of the main process last: the others no longer wait for a journal when it is delivered. */
function journalsAt(dir: string): readonly string[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw new OperatorError(`There is no folder ${dir}.`)
  const [first = '', ...others] = journalFolders(dir)
  const found = [...others, first, dir].filter((folder) => segmentsIn(folder).length > 0)
  if (found.length > 0) return found
  throw new OperatorError(`${dir} is no journal, and has none. Name a data directory, or its folder "journal".`)
}

async function usedBy(dataDir: string): Promise<string | undefined> {
  const service = await askProcess(controlSocketPath(dataDir))
  return (
    service && `A service (process ${service.pid ?? 'unknown'}) runs on ${dataDir}, and delivers its clicks itself.`
  )
}

async function deliveriesFor(config: Config, closing: Closing): Promise<JournalDeliveries> {
  const socket = controlSocketPath(config.dataDir)
  if (!(await askProcess(socket))) return ownDeliveries(config, closing)
  const answered = <Result>(asked: { readonly result: Result } | undefined): Result => {
    if (asked) return asked.result
    throw new OperatorError('The service was stopped. Run the command again: it continues where it stopped.')
  }
  return {
    start: async (folder) => answered(await askService(socket, 'startDelivery', { folder })),
    progress: async (folder) => answered(await askService(socket, 'deliveryProgress', { folder })),
  }
}

async function ownDeliveries(config: Config, closing: Closing): Promise<JournalDeliveries> {
  // Loaded lazily: not needed when a running service does it.
  const { startClickThread } = await import('../runtime/threads/click-thread.js')
  const { SharedSalts } = await import('../core/clicks/shared-salts.js')
  const { newSalt } = await import('../runtime/threads/daily-salts.js')
  const { createLogger } = await import('../lib/logger.js')
  const { holdClickLog } = await import('../runtime/stores/click-log-home.js')
  const records = closing.add(await openExistingRecords(config))
  await requireCurrentSchema(records)
  const lease = await holdClickLog(config, records)
  if (lease) closing.add(lease)
  const salting = { ...records, clock: systemClock, draw: newSalt, onFailure: () => {} }
  const salts = config.databaseUrl === undefined ? undefined : closing.add(await SharedSalts.open(salting))
  const { databaseUrl, dataDir, secretsKey } = config
  const webhooks = (await records.webhookStore.wanted()).length > 0 ? { databaseUrl, dataDir, secretsKey } : undefined
  const log = createLogger({ ...config, logLevel: 'silent' })
  const thread = await startClickThread({ ...config, keepsJournal: true, webhooks }, log, { salts })
  return closing.add(thread).deliveriesOf(config, config.missingAfter)
}

/** Milliseconds between two updates of the progress bar. */
const pollInterval = 200

async function deliver(
  deliveries: JournalDeliveries,
  folder: string,
  draw: (line: string) => void,
): Promise<JournalProgress> {
  const bar = new ProgressBar('clicks')
  try {
    for (let progress = await deliveries.start(folder); ; progress = await deliveries.progress(folder)) {
      const { state, row, from, to, clicks, problem } = progress
      if (progress.folder !== folder)
        throw new OperatorError(`${progress.folder} is being delivered. Wait until it is.`)
      if (state === 'failed') throw new OperatorError(problem ?? `Cannot deliver ${folder}.`)
      if (state === 'done') return progress
      draw(bar.line({ done: row - from, of: to - from, items: clicks }, performance.now()))
      await wait(pollInterval)
    }
  } finally {
    draw('')
  }
}

/** Not those with damaged rows, which somebody may want to repair. */
function deleteDelivered({ folder, row, damagedRows }: JournalProgress): boolean {
  const segments = segmentsIn(folder)
  const last = segments.at(-1)
  if (damagedRows > 0 || (last && lastRowIn(last) > row)) return false
  for (const { file } of segments) rmSync(file)
  return true
}

function summary(progress: JournalProgress, deleted: boolean | undefined): readonly string[] {
  const { folder, clicks, damagedRows, damagedFiles } = progress
  return [
    `${folder}: delivered ${clicks} clicks${clicks === 0 ? '; all were counted before' : ''}.`,
    ...(damagedRows > 0
      ? [`Damaged or missing rows: ${damagedRows}. Their clicks are lost: ${damagedFiles.join(', ')}`]
      : []),
    ...(deleted === true ? ['Its files are deleted.'] : []),
    ...(deleted === false && damagedRows > 0 ? ['Its files stay: somebody may be able to repair them.'] : []),
    ...(deleted === false && damagedRows === 0 ? ['Its files stay: somebody still writes to them.'] : []),
  ]
}

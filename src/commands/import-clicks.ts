/** Imports clicks into the click log: through the running service, or directly when no service runs. */
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config/config.js'
import type { ImportCounts } from '../core/clicks/import.js'
import type { ImportProgress, Imports } from '../core/clicks/imports.js'
import { askService, controlSocketPath } from '../edges/control/client.js'
import { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { openExistingRecords, recordOptions, requireCurrentSchema } from './administration.js'
import type { Command } from './command.js'
import { megabytes, ProgressBar } from './progress-bar.js'

export const importClicksCommand: Command = {
  name: 'import clicks',
  summary: 'Import clicks from a file; running it again resumes and counts nothing twice',
  words: [{ name: 'FILE', description: 'One JSON object per line: link, at, and more (docs/import.md).' }],
  flags: [{ name: 'json', description: 'Print JSON instead of text.' }],
  options: [...recordOptions, 'clickhouseUrl', 'clickhouseCluster', 'geography'],
  async run(context) {
    const importer = new ClickImporter(context.config, context.draw)
    const ended = await importer.import(resolve(context.word('FILE'))).finally(() => importer.close())
    if (context.switched('json')) return context.print(JSON.stringify({ ...ended.counts, rejects: ended.rejects }))
    for (const line of summary(ended)) context.print(line)
  },
}

/** Milliseconds between two updates of the progress bar. */
const pollInterval = 200

/** Imports click files in the running service, or in this process when none runs. */
export class ClickImporter {
  readonly #config: Config
  readonly #draw: (line: string) => void
  readonly #closing = new Closing()
  #own: Imports | undefined

  /** `draw` shows the progress. */
  constructor(config: Config, draw: (line: string) => void) {
    this.#config = config
    this.#draw = draw
  }

  async import(file: string): Promise<ImportProgress> {
    const inService = this.#own ? undefined : await this.#inService(file)
    const ended = inService ?? (await this.#byItself(file))
    if (ended.state === 'failed') throw new OperatorError(ended.problem ?? `Cannot import ${file}.`)
    return ended
  }

  close(): Promise<void> {
    return this.#closing.close()
  }

  async #inService(file: string): Promise<ImportProgress | undefined> {
    const socket = controlSocketPath(this.#config.dataDir)
    const started = await askService(socket, 'startImport', { file })
    if (!started) return undefined
    return this.#follow(async () => {
      const asked = await askService(socket, 'importProgress', {})
      if (asked) return asked.result
      throw new OperatorError('The service was stopped. Run the command again: the import resumes where it stopped.')
    })
  }

  async #byItself(file: string): Promise<ImportProgress> {
    this.#own ??= await this.#open()
    const imports = this.#own
    imports.start(file)
    return this.#follow(async () => imports.progress())
  }

  async #open(): Promise<Imports> {
    const config = this.#config
    const closing = this.#closing
    // Loaded lazily: not needed when a running service does the import.
    const { startClickThread } = await import('../runtime/threads/click-thread.js')
    const { Imports } = await import('../core/clicks/imports.js')
    const { createLogger } = await import('../lib/logger.js')
    const { holdClickLog } = await import('../runtime/stores/click-log-home.js')
    const records = closing.add(await openExistingRecords(config))
    await requireCurrentSchema(records)
    const lease = await holdClickLog(config, records)
    if (lease) closing.add(lease)
    const thread = closing.add(await startClickThread({ ...config, keepsJournal: true }, createLogger(quiet(config))))
    return new Imports((path, tell) => thread.importClicks(path, config, tell))
  }

  async #follow(look: () => Promise<ImportProgress>): Promise<ImportProgress> {
    const bar = new ProgressBar('lines')
    try {
      for (;;) {
        const progress = await look()
        if (progress.state === 'done' || progress.state === 'failed') return progress
        this.#draw(lineFor(progress, bar))
        await wait(pollInterval)
      }
    } finally {
      this.#draw('')
    }
  }
}

/** Standard output is for the result only. */
function quiet(config: Config): Config {
  return { ...config, logLevel: 'silent' }
}

function lineFor({ state, size, counts }: ImportProgress, bar: ProgressBar): string {
  if (state === 'checking') return 'Reading the file once to fingerprint it ...'
  const amount = `${megabytes(counts.bytes)} of ${megabytes(size)} MB`
  const items = Math.max(0, counts.lines - counts.before)
  return bar.line({ done: counts.bytes, of: size, items, amount }, performance.now())
}

function summary({ file, counts, rejects }: ImportProgress): readonly string[] {
  const { before, imported, rejected, examples } = counts
  const again = before > 0 ? `${before} lines had been imported before and were not counted again.` : undefined
  if (again && imported === 0 && rejected === 0) return [`${file}: ${again}`]
  return [
    `Imported ${imported} clicks from ${file}.`,
    ...(again ? [again] : []),
    ...(rejected > 0 ? [`${rejected} lines were rejected and written to ${rejects}:`] : []),
    ...examples.map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(rejected > examples.length ? ['  ...'] : []),
    ...unknownLinks(counts),
  ]
}

function unknownLinks({ unknownLinks, unknownExamples }: ImportCounts): readonly string[] {
  if (unknownLinks === 0) return []
  const more = unknownLinks > unknownExamples.length ? ', ...' : ''
  return [
    `${unknownLinks} links are unknown: ${unknownExamples.join(', ')}${more}`,
    'Create them and run the same command again: it imports the rejected lines that are valid by then, and counts nothing twice.',
  ]
}

/** Brings clicks from elsewhere into the click log: through the running service, or by itself when none runs. */
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config/config.js'
import type { ImportCounts } from '../core/clicks/import.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import { askService } from '../edges/control/client.js'
import { controlSocketPath } from '../edges/control/socket-path.js'
import { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { recordOptions, requireCurrentSchema, withRecords } from './administration.js'
import type { Command, CommandContext } from './command.js'
import { ProgressBar } from './progress-bar.js'

export const importClicksCommand: Command = {
  name: 'import clicks',
  summary: 'Import clicks from a file; running it again goes on, and counts nothing twice',
  words: [{ name: 'FILE', description: 'One JSON object a line: link, at, and more (docs/import.md).' }],
  flags: [{ name: 'json', description: 'Print JSON for a program instead of text for people.' }],
  options: [...recordOptions, 'clickhouseUrl', 'clickhouseCluster', 'geography'],
  async run(context) {
    const file = resolve(context.word('FILE'))
    const ended = (await inService(context, file)) ?? (await byItself(context, file))
    if (ended.state === 'failed') throw new OperatorError(ended.problem ?? `${file} could not be imported.`)
    if (context.switched('json')) return context.print(JSON.stringify({ ...ended.counts, rejects: ended.rejects }))
    for (const line of summary(ended)) context.print(line)
  },
}

/** Our choice: often enough for a bar that moves. */
const lookEvery = 200

async function inService(context: CommandContext, file: string): Promise<ImportProgress | undefined> {
  const socket = controlSocketPath(context.config.dataDir)
  const started = await askService(socket, 'startImport', { file })
  if (!started) return undefined
  return follow(context, async () => {
    const asked = await askService(socket, 'importProgress', {})
    if (asked) return asked.result
    throw new OperatorError('The service was stopped. Run the command again: the import goes on where it stopped.')
  })
}

async function byItself(context: CommandContext, file: string): Promise<ImportProgress> {
  const { config } = context
  // Loaded here: through a running service none of it is needed.
  const { startClickThread } = await import('../worker/click-thread.js')
  const { Imports } = await import('../core/clicks/imports.js')
  const { createLogger } = await import('../lib/logger.js')
  const { holdClickLog } = await import('../click-log-home.js')
  return withRecords(config, async (records) => {
    await requireCurrentSchema(records)
    const closing = new Closing()
    try {
      const lease = await holdClickLog(config, records)
      if (lease) closing.add(lease)
      const thread = closing.add(await startClickThread(config, createLogger(quiet(config))))
      const imports = new Imports((path, tell) => thread.importClicks(path, config, tell))
      imports.start(file)
      return await follow(context, async () => imports.progress())
    } finally {
      await closing.close()
    }
  })
}

/** Standard output belongs to the result. */
function quiet(config: Config): Config {
  return { ...config, logLevel: 'silent' }
}

async function follow(context: CommandContext, look: () => Promise<ImportProgress>): Promise<ImportProgress> {
  const bar = new ProgressBar()
  try {
    for (;;) {
      const progress = await look()
      if (progress.state === 'done' || progress.state === 'failed') return progress
      context.draw(lineFor(progress, bar))
      await wait(lookEvery)
    }
  } finally {
    context.draw('')
  }
}

function lineFor({ state, size, counts }: ImportProgress, bar: ProgressBar): string {
  if (state === 'checking') return 'Reading the file once, to know it again ...'
  return bar.line({ done: counts.bytes, of: size, lines: Math.max(0, counts.lines - counts.before) }, performance.now())
}

function summary({ file, counts, rejects }: ImportProgress): readonly string[] {
  const { before, imported, rejected, examples } = counts
  const again = before > 0 ? `${before} lines were imported before. Nothing was counted again.` : undefined
  if (again && imported === 0 && rejected === 0) return [`${file}: ${again}`]
  return [
    `${imported} clicks were imported from ${file}.`,
    ...(again ? [again] : []),
    ...(rejected > 0 ? [`${rejected} lines were rejected, and are in ${rejects}:`] : []),
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
    'Make them and run the same command again: it counts the rejected lines that are good by then, and nothing twice.',
  ]
}

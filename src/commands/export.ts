/** Writes an archive. The command reads the records itself; clicks are read by the running service, which holds their file. */
import { resolve } from 'node:path'
import type { Config } from '../config/config.js'
import type { ClickArchive } from '../core/clicks/click-archive.js'
import { bytesOf } from '../core/copies/copy.js'
import type { ClickFormat } from '../core/copies/export.js'
import type { ArchiveManifest } from '../core/copies/manifest.js'
import { counted } from '../lib/counted.js'
import { OperatorError } from '../lib/operator-error.js'
import { version } from '../lib/version.js'
import type { Records } from '../storage/records/records.js'
import { recordOptions, requireCurrentSchema, requireSameStores, withRecords } from './administration.js'
import type { Command, CommandContext } from './command.js'
import { linksAndUsers } from './contents.js'
import { megabytes, progressLine } from './progress-bar.js'

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write everything as files: links, accounts, images, and clicks as Parquet and NDJSON',
  words: [{ name: 'DIR', description: 'An empty or missing folder, or a file NAME.tar (docs/archives.md).' }],
  flags: [
    {
      name: 'organization',
      value: 'GUID',
      description: 'Only what belongs to this organization. Default: everything.',
    },
    {
      name: 'clicks',
      value: 'FORMATS',
      description: 'parquet, ndjson, both separated by a comma, or none. Default: parquet,ndjson.',
    },
    { name: 'with-secrets', description: 'Also hashes of passwords and tokens, second factors and signing secrets.' },
    { name: 'json', description: 'Print the manifest as JSON instead of text.' },
  ],
  options: [...recordOptions, 'secretsKey', 'clickhouseUrl', 'clickhouseCluster', 's3Url'],
  async run(context) {
    const { config } = context
    const directory = resolve(context.word('DIR'))
    const clicks = formatsOf(context.flag('clicks') ?? 'parquet,ndjson')
    await requireSameStores(context)
    const manifest = await withRecords(config, async (records) => {
      await requireCurrentSchema(records)
      return withClickArchive(config, records, clicks, (clickArchive) =>
        exportTo(directory, context, { records, clickArchive, clicks }),
      )
    })
    if (context.switched('json')) return context.print(JSON.stringify(manifest))
    for (const line of summary(directory, manifest)) context.print(line)
  },
}

interface ExportParts {
  readonly records: Records
  readonly clickArchive: ClickArchive
  readonly clicks: readonly ClickFormat[]
}

async function exportTo(directory: string, context: CommandContext, parts: ExportParts): Promise<ArchiveManifest> {
  const { records, clickArchive, clicks } = parts
  // Loaded lazily: --help needs none of it.
  const { newCopy } = await import('../storage/copies/new-copy.js')
  const { archiveFormat } = await import('../storage/copies/manifest.js')
  const { exportArchive } = await import('../core/copies/export.js')
  const migrations = await import('../storage/sql/migrations/index.js')
  const { openBlobs } = await import('../runtime/stores/open-blobs.js')
  const { systemClock } = await import('../core/values/time.js')
  const archive = await newCopy(directory, archiveFormat)
  const stop = () => void archive.discard().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  try {
    return await exportArchive(
      { tables: records.tables, blobs: openBlobs(context.config), clickArchive, archive, clock: systemClock },
      {
        organizationGuid: context.flag('organization'),
        secrets: context.switched('with-secrets'),
        clicks,
        program: version(),
        schema: Object.keys(migrations).at(-1) ?? '',
      },
      (progress) => context.draw(progressLine('Exporting', progress)),
    )
  } finally {
    context.draw('')
    process.off('SIGINT', stop)
    await archive.discard()
  }
}

function formatsOf(text: string): readonly ClickFormat[] {
  if (text === 'none') return []
  const formats = text.split(',').map((format) => format.trim())
  const known = (['parquet', 'ndjson'] as const).filter((format) => formats.includes(format))
  if (known.length === formats.length) return known
  throw new OperatorError(`--clicks must be parquet, ndjson, parquet,ndjson or none, not "${text}".`, 2)
}

async function withClickArchive<T>(
  config: Config,
  records: Records,
  formats: readonly ClickFormat[],
  work: (clicks: ClickArchive) => Promise<T>,
): Promise<T> {
  if (formats.length === 0) return work({ partitions: async () => [], writeClicks: async () => 0 })
  const { withClicks } = await import('./own-click-log.js')
  return withClicks(config, records, work)
}

function summary(directory: string, { counts, files, secrets }: ArchiveManifest): readonly string[] {
  return [
    `Exported ${linksAndUsers(counts)} and ${counted(counts.clicks ?? 0, 'click')} to ${directory}`,
    `(${counted(files.length, 'file')}, ${megabytes(bytesOf({ files }))} MB). README.md there explains each column.`,
    ...(secrets ? ['The archive contains secrets: keep it like a key.'] : []),
  ]
}

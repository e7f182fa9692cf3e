/** Reads an archive of "export" into a new installation. */
import { resolve } from 'node:path'
import type { ArchiveManifest } from '../core/copies/manifest.js'
import { controlSocketPath } from '../edges/control/client.js'
import { counted } from '../lib/counted.js'
import { OperatorError } from '../lib/operator-error.js'
import { recordOptions } from './administration.js'
import type { Command, CommandContext } from './command.js'
import { linksAndUsers } from './contents.js'
import { progressLine } from './progress-bar.js'

export const importArchiveCommand: Command = {
  name: 'import',
  summary: 'Read the files of "export" into a new, empty installation',
  words: [{ name: 'DIR', description: 'What "export" wrote (docs/archives.md).' }],
  flags: [
    {
      name: 'from',
      value: 'PRODUCT',
      description: 'shortlink, the default. For links of other products: "import links".',
    },
  ],
  options: [...recordOptions, 'secretsKey', 'clickhouseUrl', 'clickhouseCluster', 's3Url'],
  async run(context) {
    if ((context.flag('from') ?? 'shortlink') !== 'shortlink') {
      throw new OperatorError('"import" reads archives of shortlink. For others: "shortlink import links FILE".', 2)
    }
    await importFrom(context, resolve(context.word('DIR')))
  },
}

async function importFrom(context: CommandContext, folder: string): Promise<void> {
  const { config } = context
  const { requireAlone } = await import('../edges/control/server.js')
  const { openCopy, readLines } = await import('../storage/copies/open-copy.js')
  const { archiveFormat } = await import('../storage/copies/manifest.js')
  const { readClicks } = await import('../storage/duckdb/read-clicks.js')
  const { importArchive } = await import('../core/copies/import.js')
  const { openRecords } = await import('../runtime/stores/open-records.js')
  const { openBlobs } = await import('../runtime/stores/open-blobs.js')
  const { withClickLog } = await import('./own-click-log.js')
  await requireAlone(controlSocketPath(config.dataDir))
  const archive = await openCopy(folder, archiveFormat)
  const records = await openRecords(config, { createsKey: true })
  try {
    await records.migrate()
    await withClickLog(config, records, (clickLog) =>
      importArchive(
        { tables: records.tables, blobs: openBlobs(config), clickLog, archive, readClicks, readLines },
        (progress) => context.draw(progressLine('Importing', progress)),
      ),
    )
  } finally {
    context.draw('')
    await records.close()
  }
  for (const line of summary(archive.manifest)) context.print(line)
}

function summary({ counts, secrets }: ArchiveManifest): readonly string[] {
  return [
    `Imported ${linksAndUsers(counts)} and ${counted(counts.clicks ?? 0, 'click')}.`,
    ...(secrets
      ? []
      : [
          'The archive has no secrets. Set passwords with "shortlink user password LOGIN", create tokens with "shortlink token create",',
          'and give applications ("shortlink app secret") and receivers of webhooks their new secrets.',
        ]),
  ]
}

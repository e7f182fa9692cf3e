/** Reads an archive of "export" into a new installation. */
import { resolve } from 'node:path'
import type { Manifest } from '../core/archives/archive-files.js'
import type { ImportArchiveProgress } from '../core/archives/import.js'
import { controlSocketPath } from '../edges/control/client.js'
import { counted } from '../lib/counted.js'
import { OperatorError } from '../lib/operator-error.js'
import { recordOptions } from './administration.js'
import type { Command, CommandContext } from './command.js'
import { linksAndUsers } from './contents.js'

export const importArchiveCommand: Command = {
  name: 'import',
  summary: 'Read the files of "export" into a new, empty installation',
  words: [{ name: 'DIR', description: 'The folder that "export" wrote (docs/archives.md).' }],
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
  const { openArchive } = await import('../storage/archives/open-archive.js')
  const { readClicks } = await import('../storage/archives/read-clicks.js')
  const { importArchive } = await import('../core/archives/import.js')
  const { openRecords } = await import('../open/open-records.js')
  const { openBlobs } = await import('../open/open-blobs.js')
  const { withClickLog } = await import('./own-click-log.js')
  await requireAlone(controlSocketPath(config.dataDir))
  const archive = await openArchive(folder)
  const records = await openRecords(config, { createsKey: true })
  try {
    await records.migrate()
    await withClickLog(config, records, (clickLog) =>
      importArchive(
        { archives: records.archives, blobs: openBlobs(config), clickLog, archive, readClicks },
        (progress) => context.draw(lineFor(progress)),
      ),
    )
  } finally {
    context.draw('')
    await records.close()
  }
  for (const line of summary(archive.manifest)) context.print(line)
}

const doing = {
  checking: 'Checking files',
  clicks: 'Importing clicks',
  images: 'Importing images',
  records: 'Importing records',
}

function lineFor({ what, done, of }: ImportArchiveProgress): string {
  return `${doing[what]}: ${done} of ${of} (${Math.floor((100 * done) / Math.max(1, of))} %)`
}

function summary({ counts, secrets }: Manifest): readonly string[] {
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

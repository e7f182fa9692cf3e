/** Makes, checks and lists backups. The running service copies the clicks, whose file it holds; the command does the rest. */

import { resolve } from 'node:path'
import type { Config, OptionName } from '../config/config.js'
import type { ClickCopier } from '../core/clicks/click-copy.js'
import { bytesOf } from '../core/copies/copy.js'
import type { BackupManifest } from '../core/copies/manifest.js'
import { requireNotMoved } from '../core/copies/moved-records.js'
import { controlSocketPath, tellFailure } from '../edges/control/client.js'
import { counted } from '../lib/counted.js'
import { messageOf } from '../lib/message-of.js'
import { version } from '../lib/version.js'
import { minute, recordOptions, requireCurrentSchema, requireSameStores, table, withRecords } from './administration.js'
import type { Command, CommandContext } from './command.js'
import { linksAndUsers } from './contents.js'
import { megabytes, progressLine } from './progress-bar.js'

/** Those that decide what is copied, and where to. */
export const backupOptions: readonly OptionName[] = [
  ...recordOptions,
  'clickhouseUrl',
  'clickhouseCluster',
  's3Url',
  'backupTo',
  'backupPassphrase',
]

export const backup: Command = {
  name: 'backup',
  summary: 'Copy everything, while the service runs or is stopped, so that "restore" continues from there',
  words: [
    {
      name: 'TARGET',
      description: 'The new folder of this backup, a file NAME.tar, or s3:NAME in backupTo (docs/backup.md).',
    },
  ],
  flags: [{ name: 'json', description: 'Print the manifest as JSON instead of text.' }],
  options: backupOptions,
  async run(context) {
    const { config } = context
    const directory = context.word('TARGET')
    await requireSameStores(context)
    context.lowerPriority()
    const manifest = await withClickCopier(config, (clickCopier) => backUpTo(directory, context, clickCopier)).catch(
      async (error: unknown) => {
        const reason = messageOf(error)
        await tellFailure(controlSocketPath(config.dataDir), { command: `backup ${directory}`, reason })
        throw error
      },
    )
    if (manifest.secrets === 'left out') context.note(withoutSecrets(manifest))
    if (manifest.unpublished > 0) context.note(behind)
    for (const key of manifest.missing_images) context.note(`The bytes of an image are missing: ${key}.`)
    if (context.switched('json')) return context.print(JSON.stringify(manifest))
    context.print(`Backed up ${described(manifest)} to ${directory}.`)
  },
}

function withoutSecrets({ engines }: BackupManifest): string {
  // PostgreSQL has no secrets.key.
  const advice = engines.records === 'sqlite' ? ': keep a copy of secrets.key elsewhere' : ''
  return `No passphrase is set (backupPassphrase), so secrets of the data directory are left out${advice} (docs/backup.md#secrets).`
}

const behind =
  'The stream does not accept clicks at the moment: those that wait for it are in the statistics of this backup, but not in its stream.'

async function backUpTo(
  directory: string,
  { config, draw }: CommandContext,
  clickCopier: ClickCopier,
): Promise<BackupManifest> {
  // Loaded lazily: --help needs none of it.
  const { backUp } = await import('../runtime/stores/open-backups.js')
  try {
    return await backUp(config, directory, clickCopier, {
      program: version(),
      tell: (progress) => draw(progressLine('Backing up', progress)),
    })
  } finally {
    draw('')
  }
}

async function withClickCopier<T>(config: Config, work: (clicks: ClickCopier) => Promise<T>): Promise<T> {
  const { withClicks } = await import('./own-click-log.js')
  return withRecords(config, async (records) => {
    await requireCurrentSchema(records)
    await requireNotMoved(records)
    return withClicks(config, records, work)
  })
}

export const backupVerify: Command = {
  name: 'backup verify',
  summary: 'Compare every file of a backup with its checksum',
  words: [{ name: 'TARGET', description: 'The backup.' }],
  options: ['backupTo'],
  async run(context) {
    const { openBackupAt } = await import('../runtime/stores/open-backups.js')
    const { verifyCopy } = await import('../core/copies/copy.js')
    const target = context.word('TARGET')
    const found = await openBackupAt(context.config, target)
    try {
      await verifyCopy(found, (progress) => context.draw(progressLine('Verifying', progress)))
    } finally {
      context.draw('')
    }
    context.print(`${target} is complete: ${described(found.manifest)}, made ${made(found.manifest)}.`)
  },
}

export const backupList: Command = {
  name: 'backup list',
  summary: 'List the backups in a folder',
  words: [{ name: 'FOLDER', description: 'The folder that contains backups, or s3: for the store of backupTo.' }],
  flags: [{ name: 'json', description: 'Print JSON instead of text.' }],
  options: ['backupTo'],
  async run(context) {
    const { listBackupsAt } = await import('../runtime/stores/open-backups.js')
    const folder = context.word('FOLDER')
    const found = await listBackupsAt(context.config, folder)
    if (context.switched('json')) {
      const backups = found.map(({ name, path, manifest, problem }) => {
        return manifest
          ? { name, path, ...manifest, bytes: bytesOf(manifest), files: undefined }
          : { name, path, problem }
      })
      return context.print(JSON.stringify(backups))
    }
    const [only] = found
    if (only?.path === resolve(folder)) context.note(`${folder} is itself a backup; its parent is the folder to list.`)
    const heading = ['NAME', 'MADE (UTC)', 'LINKS', 'CLICKS', 'SIZE', 'SECRETS', 'VERSION']
    const rows = found.map(({ name, manifest, problem = '' }) =>
      manifest
        ? [
            ...[name, made(manifest), String(manifest.counts.links), String(manifest.counts.clicks)],
            ...[`${megabytes(bytesOf(manifest))} MB`, manifest.secrets, manifest.program],
          ]
        : [name, problem],
    )
    for (const line of table(heading, rows, 'There are no backups.')) context.print(line)
  },
}

function made({ finished_at }: BackupManifest): string {
  return minute(Date.parse(finished_at))
}

export function described({ counts, files }: BackupManifest): string {
  const { clicks, images } = counts
  const size = `${counted(files.length, 'file')}, ${megabytes(bytesOf({ files }))} MB`
  return `${linksAndUsers(counts)}, ${counted(clicks, 'click')} and ${counted(images, 'image')} (${size})`
}

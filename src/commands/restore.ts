/** Restores a backup into an empty installation. */
import type { Config } from '../config/config.js'
import { lostText } from '../core/copies/encrypted-records.js'
import { controlSocketPath } from '../edges/control/client.js'
import { backupOptions, described } from './backup.js'
import type { Command } from './command.js'
import { progressLine } from './progress-bar.js'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty data directory and empty databases',
  words: [{ name: 'TARGET', description: 'The backup (docs/backup.md#restore).' }],
  flags: [
    { name: 'without-secrets', description: 'Leave out the encrypted secrets, for which no passphrase is needed.' },
  ],
  options: backupOptions,
  async run(context) {
    const { config, draw } = context
    const { scratchIn } = await import('../storage/copies/empty-place.js')
    const { requireAlone } = await import('../edges/control/server.js')
    const { openBackupAt, restore } = await import('../runtime/stores/open-backups.js')
    await requireAlone(controlSocketPath(config.dataDir))
    const backup = await openBackupAt(config, context.word('TARGET'), scratchIn(config.dataDir))
    const withSecrets = !context.switched('without-secrets')
    try {
      await restore(config, backup, { withSecrets, tell: (progress) => draw(progressLine('Restoring', progress)) })
    } finally {
      draw('')
    }
    context.print(`Restored ${described(backup.manifest)} to ${config.dataDir}.`)
    if (backup.manifest.secrets === 'left out' || !withSecrets) {
      for (const line of await withoutSecrets(config)) context.print(line)
    }
    context.print('Start the service with the same options as before (domains, baseUrl).')
  },
}

/** PostgreSQL has no secrets.key. */
async function withoutSecrets(config: Config): Promise<readonly string[]> {
  const { dataDir, databaseUrl } = config
  if (databaseUrl !== undefined) {
    return [
      'Secrets of the data directory were not restored: the stream creates new certificates (docs/backup.md#secrets).',
    ]
  }
  const { undecryptable } = await import('../runtime/stores/open-records.js')
  const lost = config.secretsKey === undefined ? await undecryptable(config) : []
  if (lost.length === 0) return ['Secrets were not restored: new ones are created (docs/backup.md#secrets).']
  return [
    `Secrets were not restored: copy your secrets.key to ${dataDir}. The service does not start without it, since it`,
    `encrypted ${lostText(lost)}. If it is lost, run "shortlink secrets new-key" (docs/backup.md#secrets).`,
  ]
}

import { join } from 'node:path'
import { operator } from '../core/accounts/actor.js'
import { addAuditEntry } from '../core/accounts/audit.js'
import { explainLost, secretKinds } from '../core/copies/encrypted-records.js'
import { systemClock } from '../core/values/time.js'
import { controlSocketPath } from '../edges/control/client.js'
import { OperatorError } from '../lib/operator-error.js'
import type { Records } from '../storage/records/records.js'
import { recordOptions, requireCurrentSchema, requireSameStores, withRecords } from './administration.js'
import type { Command } from './command.js'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Migrate the database to this version and list the migrations',
  flags: [
    { name: 'dry-run', description: 'Only list the pending migrations.' },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: recordOptions,
  async run({ config, switched, print }) {
    const dry = switched('dry-run')
    const { migrateRecords } = await import('../runtime/stores/open-records.js')
    const work = async (records: Records) =>
      dry ? { migrations: await records.pendingMigrations(), copy: undefined } : migrateRecords(config, records)
    const { migrations: names, copy } = await withRecords(config, work, { mayCreate: true })
    if (switched('json')) return print(JSON.stringify({ [dry ? 'pending' : 'migrated']: names, copy }))
    if (names.length === 0) return print('The database is up to date.')
    for (const name of names) print(`${dry ? 'pending' : 'done'}  ${name}`)
    if (copy !== undefined)
      print(`The records before are in ${copy}; "shortlink upgrade undo" puts them back (docs/operating.md#upgrade).`)
  },
}

export const upgradeUndo: Command = {
  name: 'upgrade undo',
  summary: 'Put back the records and clicks from before the last upgrade, for the version before it',
  options: ['dataDir'],
  async run({ config: { dataDir }, print }) {
    const { requireAlone } = await import('../edges/control/server.js')
    const { undoUpgrade } = await import('../storage/copies/before-upgrade.js')
    await requireAlone(controlSocketPath(dataDir))
    const { files, clicks, replaced } = undoUpgrade(dataDir)
    print(`Put back ${files.join(', ')}: links and other changes since the upgrade are not in them.`)
    if (clicks)
      print('Clicks since the upgrade are counted again as far as the journal still has them; the others are lost.')
    print('Start the version that you used before the upgrade.')
    print(`What was there before is kept in ${replaced}; delete it when you no longer need it.`)
  },
}

export const repairClicks: Command = {
  name: 'repair clicks',
  summary: 'Repair a damaged click log; also works while the service runs without it',
  options: ['dataDir', 'clickhouseUrl'],
  async run(context) {
    const { config, print } = context
    await requireSameStores(context, ['clickhouseUrl'])
    if (config.clickhouseUrl !== undefined) {
      throw new OperatorError('The clicks are in ClickHouse (clickhouseUrl); repair them with its own tools.')
    }
    const file = join(config.dataDir, 'clicks.duckdb')
    const { repairDuckdbClickLog } = await import('../storage/duckdb/repair.js')
    const repaired = await repairDuckdbClickLog(file, new Date())
    if (repaired.outcome === 'intact') return print(`${file} is not damaged.`)
    if (repaired.outcome === 'repaired') {
      print(`${file} is repaired: the last ${repaired.lost} bytes could not be read.`)
    } else {
      print(`Nothing in ${file} could be recovered (${repaired.reason}). The service creates a new file.`)
    }
    print(`The damaged file is kept as ${repaired.kept}.`)
    print('Clicks still in the journal are counted when the service opens the click log again: within some seconds, or')
    print('at its next start.')
  },
}

export const journalForget: Command = {
  name: 'journal forget',
  summary: 'Accept that the clicks of a lost data directory are lost',
  words: [{ name: 'ID', description: 'The journal, as /readyz and "doctor" show it.' }],
  options: recordOptions,
  async run({ config, word, print }) {
    const id = word('ID')
    const isRemoved = await withRecords(config, async (records) => {
      await requireCurrentSchema(records)
      const isKnown = await records.clickStore.removeJournal(id)
      const entry = { action: 'journal_forgotten', login: operator.login, subject: id } as const
      if (isKnown) await addAuditEntry({ ...records, clock: systemClock }, entry)
      return isKnown
    })
    if (!isRemoved) throw new OperatorError(`There is no journal ${id}.`)
    print(`The journal ${id} is no longer waited for.`)
  },
}

export const secretsNewKey: Command = {
  name: 'secrets new-key',
  summary: 'Create a new secrets.key after the former one was lost, and say what it cannot decrypt',
  options: recordOptions,
  async run({ config, print }) {
    const { requireAlone } = await import('../edges/control/server.js')
    const { createSecretsKey, secretsKeyIn } = await import('../storage/sql/database/encryption.js')
    if (config.databaseUrl !== undefined) {
      throw new OperatorError('With PostgreSQL there is no secrets.key: set another secretsKey.')
    }
    await requireAlone(controlSocketPath(config.dataDir))
    if (secretsKeyIn(config.dataDir) !== undefined) {
      throw new OperatorError(`${config.dataDir} has a secrets.key, which stays. Move it away if it is the wrong one.`)
    }
    const lost = await withRecords(config, (records) => records.tables.undecryptable(secretKinds))
    createSecretsKey(config.dataDir)
    print(`Created secrets.key in ${config.dataDir}.`)
    if (lost.length === 0) return
    const { message, remedy } = explainLost(lost)
    for (const line of [message, remedy]) print(line)
  },
}

export const clickLogMove: Command = {
  name: 'click-log move',
  summary: 'Make this data directory the click log of a shared database',
  options: recordOptions,
  async run({ config, print }) {
    if (config.databaseUrl === undefined) {
      throw new OperatorError(
        'Only a shared database (--database-url) records where its click log is. Otherwise it is in the data directory.',
      )
    }
    const { requireAlone } = await import('../edges/control/server.js')
    await requireAlone(controlSocketPath(config.dataDir))
    const { moveClickLogHere } = await import('../runtime/stores/click-log-home.js')
    const before = await withRecords(config, async (records) => {
      await requireCurrentSchema(records)
      return moveClickLogHere(config, records)
    })
    print(`Clicks of this database are now counted in ${config.dataDir}.`)
    if (before !== undefined) print(`They were counted in ${before} before; those clicks stay there.`)
  },
}

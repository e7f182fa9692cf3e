import type { Records } from '../storage/sql/records.js'
import { recordOptions, withRecords } from './administration.js'
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
    const work = (records: Records) => (dry ? records.pendingMigrations() : records.migrate())
    const names = await withRecords(config, work, { mayMakeThem: true })
    if (switched('json')) return print(JSON.stringify({ [dry ? 'pending' : 'migrated']: names }))
    if (names.length === 0) return print('The database is up to date.')
    for (const name of names) print(`${dry ? 'pending' : 'done'}  ${name}`)
  },
}

import type { Records } from '../storage/sql/records.js'
import { recordOptions, withRecords } from './administration.js'
import type { Command } from './command.js'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring the database up to this version and list what was done',
  flags: [
    { name: 'dry-run', description: 'Only list what would be done.' },
    { name: 'json', description: 'Print JSON for a program instead of text for people.' },
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

import { controlSocketPath } from '../edges/control/socket-path.js'
import { OperatorError } from '../lib/operator-error.js'
import { recordOptions, requireCurrentSchema, withRecords } from './administration.js'
import type { Command } from './command.js'

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
    const { moveClickLogHere } = await import('../click-log-home.js')
    const before = await withRecords(config, async (records) => {
      await requireCurrentSchema(records)
      return moveClickLogHere(config, records)
    })
    print(`Clicks of this database are now counted in ${config.dataDir}.`)
    if (before !== undefined) print(`They were counted in ${before} before; those clicks stay there.`)
  },
}

import { controlSocketPath } from '../edges/control/socket-path.js'
import { OperatorError } from '../lib/operator-error.js'
import { recordOptions, requireCurrentSchema, withRecords } from './administration.js'
import type { Command } from './command.js'

export const clickLogMove: Command = {
  name: 'click-log move',
  summary: 'Count the clicks of a shared database in this data directory from now on',
  options: recordOptions,
  async run({ config, print }) {
    if (config.databaseUrl === undefined) {
      throw new OperatorError(
        'Only a database that processes share (--database-url) says where its clicks are counted. Otherwise they are in the data directory.',
      )
    }
    const { requireAlone } = await import('../edges/control/server.js')
    await requireAlone(controlSocketPath(config.dataDir))
    const { moveClickLogHere } = await import('../click-log-home.js')
    const before = await withRecords(config, async (records) => {
      await requireCurrentSchema(records)
      return moveClickLogHere(config, records)
    })
    print(`The clicks of this database are counted in ${config.dataDir} from now on.`)
    if (before !== undefined) print(`Until now they were counted in ${before}: those stay there.`)
  },
}

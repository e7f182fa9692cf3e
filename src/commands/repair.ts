import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.js'
import type { Command } from './command.js'

export const repairClicks: Command = {
  name: 'repair clicks',
  summary: 'Repair a damaged click log; also works while the service runs without it',
  options: ['dataDir', 'clickhouseUrl'],
  async run({ config, print }) {
    if (config.clickhouseUrl !== undefined) {
      throw new OperatorError('The clicks are in ClickHouse (clickhouseUrl); repair them with its own tools.')
    }
    const file = join(config.dataDir, 'clicks.duckdb')
    const { repairDuckdbClickLog } = await import('../storage/duckdb/repair.js')
    const repaired = await repairDuckdbClickLog(file, new Date())
    if (repaired.outcome === 'sound') return print(`${file} is not damaged.`)
    if (repaired.outcome === 'mended') {
      print(`${file} is repaired: the last ${repaired.lost} bytes could not be read.`)
    } else {
      print(`Nothing in ${file} could be recovered (${repaired.reason}). A new file was created.`)
    }
    print(`The damaged file is kept as ${repaired.kept}.`)
    print('Clicks still in the journal are counted when the service opens the click log again, within half a minute.')
  },
}

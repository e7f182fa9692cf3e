import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.js'
import type { Command } from './command.js'

export const repairClicks: Command = {
  name: 'repair clicks',
  summary: 'Save what can be saved of a damaged click log; also while the service runs without it',
  options: ['dataDir', 'clickhouseUrl'],
  async run({ config, print }) {
    if (config.clickhouseUrl !== undefined) {
      throw new OperatorError('The clicks are on ClickHouse (clickhouseUrl), which has its own ways to be repaired.')
    }
    const file = join(config.dataDir, 'clicks.duckdb')
    const { repairDuckdbClickLog } = await import('../storage/duckdb/repair.js')
    const repaired = await repairDuckdbClickLog(file, new Date())
    if (repaired.outcome === 'sound') return print(`Nothing is wrong with ${file}.`)
    if (repaired.outcome === 'mended') {
      print(`${file} is mended: ${repaired.lost} bytes that were written last could not be read.`)
    } else {
      print(`Nothing of ${file} could be saved (${repaired.reason}). A new one is begun.`)
    }
    print(`As it was it is kept in ${repaired.kept}.`)
    print(
      'Clicks that the journal still has are counted when the service has the click log again, half a minute from now at most.',
    )
  },
}

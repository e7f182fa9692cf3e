import type { Finding } from '../core/administration/finding.js'
import { systemClock } from '../core/values/time.js'
import { askFindings, controlSocketPath } from '../edges/control/client.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { openExistingRecords } from './administration.js'
import type { Command, CommandContext } from './command.js'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the service and its surroundings, and say what to do',
  flags: [{ name: 'json', description: 'Print JSON instead of text.' }],
  options: 'all',
  async run({ config, switched, print }) {
    const findings = (await askFindings(controlSocketPath(config.dataDir))) ?? (await examineHere(config))
    if (switched('json')) print(JSON.stringify({ worst: worstOf(findings), findings }, null, 2))
    else for (const line of lines(findings)) print(line)
    const wrongs = findings.filter(({ state }) => state === 'wrong').length
    if (wrongs > 0) throw new OperatorError(`Wrong: ${wrongs} of ${findings.length} checks.`)
  },
}

async function examineHere(config: CommandContext['config']): Promise<readonly Finding[]> {
  const { examineStopped } = await import('./doctor/examine.js')
  const { openDomains } = await import('../runtime/stores/open-domains.js')
  return examineStopped(
    config,
    () => openExistingRecords(config),
    (records) => openDomains(config, { ...records, clock: systemClock, onFailure: () => {} }),
  )
}

function worstOf(findings: readonly Finding[]): Finding['state'] {
  return (['wrong', 'warning'] as const).find((state) => findings.some((finding) => finding.state === state)) ?? 'ok'
}

function lines(findings: readonly Finding[]): string[] {
  const rows = findings.flatMap(({ state, area, message, remedy }) => [
    [state, area, message],
    ...(remedy === undefined ? [] : [['', '', `-> ${remedy}`]]),
  ])
  return columns(rows)
}

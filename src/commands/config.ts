import type { EndpointLimit } from '../config/config.js'
import { configurationPage } from '../config/help.js'
import type { Settings } from '../config/load.js'
import { optionNames, shown } from '../config/options.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import type { Command } from './command.js'

export const config: Command = {
  name: 'config',
  summary: 'Show or check the configuration',
  flags: [
    { name: 'print', description: 'Show each value and where it came from, secrets masked.' },
    { name: 'check', description: 'Only check: says nothing about single values.' },
    { name: 'reference', description: 'Print docs/configuration.md.' },
    { name: 'json', description: 'With --print: JSON for a program instead of text for people.' },
  ],
  options: 'all',
  async run({ settings, switched, print }) {
    // Wherever this line is reached, the configuration was read without problems.
    if (switched('check')) return print('The configuration is fine.')
    if (switched('reference')) return print(configurationPage().trimEnd())
    if (!switched('print')) throw new OperatorError('Say what to do: config --print, --check or --reference.', 2)
    const rows = effective(settings)
    if (switched('json')) {
      return print(JSON.stringify(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])), null, 2))
    }
    const lines = rows.map(({ name, value, source, from }) => [name, value ?? '-', from ? `${source} ${from}` : source])
    print(columns([['OPTION', 'VALUE', 'SOURCE'], ...lines]).join('\n'))
  },
}

interface EffectiveRow {
  readonly name: string
  readonly value: string | undefined
  readonly source: string
  readonly from: string
}

function effective({ config: values, sources }: Settings): EffectiveRow[] {
  return optionNames.map((name) => {
    const value = values[name]
    const text = Array.isArray(value) ? value.map(written).join(',') || undefined : value?.toString()
    const { from: source, name: from } = sources[name]
    return { name, value: text === undefined ? undefined : shown(name, text), source, from }
  })
}

/** An entry of a list as a flag would carry it. */
function written(entry: string | EndpointLimit): string {
  return typeof entry === 'string' ? entry : `${entry.endpoint}=${entry.perHour}`
}

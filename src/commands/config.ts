import { type EffectiveValue, effectiveValues } from '../config/effective.js'
import { configurationPage } from '../config/help.js'
import { ConfigProblems } from '../config/load.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import type { Command, CommandContext } from './command.js'
import { runningService } from './running-service.js'

export const config: Command = {
  name: 'config',
  summary: 'Show or check the configuration',
  flags: [
    {
      name: 'print',
      description: 'Show what the running service works with, or would at a start, and where each value came from.',
    },
    { name: 'here', description: 'With --print: the configuration of this shell, also while a service runs.' },
    { name: 'check', description: 'Check the values, and open the files that they name; nothing is changed.' },
    { name: 'reference', description: 'Print docs/configuration.md.' },
    { name: 'json', description: 'With --print: JSON for a program instead of text for people.' },
  ],
  options: 'all',
  async run(context) {
    const { switched, print } = context
    if (switched('check')) return check(context)
    if (switched('reference')) return print(configurationPage().trimEnd())
    if (!switched('print')) throw new OperatorError('Say what to do: config --print, --check or --reference.', 2)
    const rows = await valuesToPrint(context)
    if (switched('json')) {
      return print(JSON.stringify(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])), null, 2))
    }
    const lines = rows.map(({ name, value, source, from }) => [name, value ?? '-', from ? `${source} ${from}` : source])
    print(columns([['OPTION', 'VALUE', 'SOURCE'], ...lines]).join('\n'))
  },
}

/** Wherever this is reached, the values themselves were read without problems. */
async function check({ config, print }: CommandContext): Promise<void> {
  // Loaded here: opening the files needs parts of the service that printing does not.
  const { fileProblems } = await import('./check-files.js')
  const problems = fileProblems(config)
  if (problems.length > 0) throw new ConfigProblems(problems)
  print('The configuration is fine.')
}

async function valuesToPrint(context: CommandContext): Promise<readonly EffectiveValue[]> {
  const { config, settings, switched, note } = context
  const here = effectiveValues(settings)
  const running = switched('here') ? undefined : await runningService(config)
  if (running) {
    const changed = here.filter(({ name, value }) => value !== running.get(name)).map(({ name }) => name)
    note(`This is what the running service (process ${running.pid}) works with.`)
    if (changed.length > 0) note(`The configuration of this shell differs in ${changed.join(', ')}: see --here.`)
    return running.values
  }
  if (!switched('here')) note(`No service runs on ${config.dataDir}: this is what a start from this shell would use.`)
  return here
}

import type { Config } from '../config/config.js'
import { configurationPage } from '../config/help.js'
import { ConfigProblems, type EffectiveValue, effectiveValues } from '../config/load.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { runningService } from './administration.js'
import type { Command, CommandContext } from './command.js'

export const config: Command = {
  name: 'config',
  summary: 'Show or check the configuration',
  flags: [
    {
      name: 'print',
      description: 'Show the configuration of the running service, or of the next start, and the source of each value.',
    },
    { name: 'here', description: 'With --print: the configuration of this shell, also while a service runs.' },
    {
      name: 'check',
      description: 'Check the values, open the files and connect to the servers that they name; changes nothing.',
    },
    { name: 'reference', description: 'Print docs/configuration.md.' },
    { name: 'json', description: 'With --print: JSON for a program instead of text for people.' },
  ],
  options: 'all',
  async run(context) {
    const { switched, print } = context
    if (switched('check')) return check(context)
    if (switched('reference')) return print(configurationPage().trimEnd())
    if (!switched('print')) throw new OperatorError('Choose one: config --print, --check or --reference.', 2)
    const rows = await valuesToPrint(context)
    if (switched('json')) {
      return print(JSON.stringify(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])), null, 2))
    }
    const lines = rows.map(({ name, value, source, from }) => [name, value ?? '-', from ? `${source} ${from}` : source])
    print(columns([['OPTION', 'VALUE', 'SOURCE'], ...lines]).join('\n'))
  },
}

/** The values have already been parsed without problems when this runs. */
async function check({ config, print }: CommandContext): Promise<void> {
  // Loaded lazily: opening the files needs parts of the service that printing does not.
  const { fileProblems } = await import('./check-files.js')
  const { connectEngines, engineProblems } = await import('./doctor/engines.js')
  const { askProviders, providerProblems } = await import('./doctor/identity-providers.js')
  const files = fileProblems(config)
  const providers = files.length === 0 ? await askProviders(config) : []
  const problems = [
    ...portProblems(config),
    ...files,
    ...engineProblems(await connectEngines(config)),
    ...providerProblems(providers),
  ]
  if (problems.length > 0) throw new ConfigProblems(problems)
  for (const { name, callback, scim } of providers) {
    print(`Register this callback URL with ${name}: ${callback}`)
    if (scim !== undefined) print(`SCIM base URL of ${name}: ${scim}`)
  }
  print('The configuration is valid.')
}

/** Two servers of the service cannot listen on one port of one IP address. */
function portProblems({ host, port, opsHost, opsPort, nsqdHost, nsqdPort }: Config): string[] {
  const servers = [
    { name: 'port', host, port },
    { name: 'opsPort', host: opsHost, port: opsPort },
    { name: 'nsqdPort', host: nsqdHost, port: nsqdPort },
  ].filter((server) => server.port !== undefined && server.port !== 0)
  return servers.flatMap((server, index) => {
    const other = servers.slice(0, index).find((each) => each.port === server.port && isOverlapping(each, server))
    return other ? [`${server.name}: ${server.port} is also ${other.name}. Choose another.`] : []
  })
}

function isOverlapping(one: { readonly host: string }, other: { readonly host: string }): boolean {
  return one.host === other.host || [one.host, other.host].some((host) => host === '0.0.0.0' || host === '::')
}

async function valuesToPrint(context: CommandContext): Promise<readonly EffectiveValue[]> {
  const { config, settings, switched, note } = context
  const here = effectiveValues(settings)
  const running = switched('here') ? undefined : await runningService(config)
  if (running) {
    const changed = here.filter(({ name, value }) => value !== running.get(name)).map(({ name }) => name)
    note(`This is the configuration of the running service (process ${running.pid}).`)
    if (changed.length > 0) note(`The configuration of this shell differs in ${changed.join(', ')}: see --here.`)
    return running.values
  }
  if (!switched('here'))
    note(`No service runs on ${config.dataDir}: this is the configuration for a start from this shell.`)
  return here
}

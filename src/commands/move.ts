/** Moves an installation to other engines: SQLite and DuckDB, PostgreSQL and ClickHouse, and back. */

import type { Config } from '../config/config.js'
import { clickhouseUrl, postgresUrl } from '../config/kinds.js'
import { shown } from '../config/options.js'
import { controlSocketPath } from '../edges/control/client.js'
import { counted } from '../lib/counted.js'
import { OperatorError } from '../lib/operator-error.js'
import type { Moved } from '../runtime/move.js'
import type { Command, CommandContext } from './command.js'
import { linksAndUsers } from './contents.js'

export const moveCommand: Command = {
  name: 'move',
  summary: 'Move records and clicks to PostgreSQL and ClickHouse, or back; redirects go on',
  flags: [
    {
      name: 'to',
      value: 'PLACE',
      repeatable: true,
      description:
        'Records: sqlite or postgres://... Clicks: duckdb or http://... (ClickHouse). Repeat it to move both (docs/operating.md).',
    },
    { name: 'cancel', description: 'Go on with the stores of these options, which a move has left.' },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: 'all',
  async run(context) {
    const { config } = context
    const { requireAlone } = await import('../edges/control/server.js')
    const { requirePorts } = await import('../runtime/service.js')
    const places = context.values('to') ?? []
    if (context.switched('cancel') === places.length > 0) {
      throw new OperatorError('"move" needs either --to PLACE or --cancel.', 2)
    }
    const target = targetOf(config, places)
    await requireAlone(controlSocketPath(config.dataDir))
    if (context.switched('cancel')) return cancel(context)
    await requirePorts(config)
    const moved = await moveTo(context, target)
    if (context.switched('json')) return context.print(JSON.stringify(asJson(moved)))
    for (const line of summary(moved, config, target)) context.print(line)
  },
}

async function moveTo(context: CommandContext, target: Config): Promise<Moved> {
  const { move } = await import('../runtime/move.js')
  try {
    return await move(context.config, target, {
      onRecords: (rows) => context.draw(`Moving records: ${rows} rows`),
      onClicks: ({ what, done, of }) =>
        context.draw(`${what === 'copying' ? 'Moving' : 'Comparing'} clicks: ${done} of ${of}`),
      onTrouble: (message) => context.note(message),
    })
  } finally {
    context.draw('')
  }
}

async function cancel({ config, print }: CommandContext): Promise<void> {
  const { cancelMove } = await import('../runtime/move.js')
  await cancelMove(config)
  print('These stores can be used again. What the new ones got since the move is not here.')
}

/** The configuration with the new stores. */
function targetOf(config: Config, places: readonly string[]): Config {
  const changes = places.map(changeOf)
  for (const [what, name] of [['records', 'databaseUrl'] as const, ['clicks', 'clickhouseUrl'] as const]) {
    const [change, ...others] = changes.filter((each) => name in each)
    if (others.length > 0) throw new OperatorError(`Give --to only once for ${what}.`, 2)
    if (change && change[name] === config[name]) throw new OperatorError(`The ${what} are there already.`, 2)
  }
  return Object.assign({}, config, ...changes)
}

type Change = Partial<Pick<Config, 'databaseUrl' | 'clickhouseUrl'>>

function changeOf(place: string): Change {
  if (place === 'sqlite') return { databaseUrl: undefined }
  if (place === 'duckdb') return { clickhouseUrl: undefined }
  if (postgresUrl.read(place, '') !== undefined) return { databaseUrl: place }
  if (clickhouseUrl.read(place, '') !== undefined) return { clickhouseUrl: place }
  // Not repeated: it may contain a password.
  throw new OperatorError(
    `--to must be sqlite, duckdb, ${postgresUrl.allowed}, or ${clickhouseUrl.allowed} (ClickHouse).`,
    2,
  )
}

function asJson({ records, clicks }: Moved) {
  const rows = records && Object.fromEntries(Object.entries(records).map(([name, table]) => [name, table.rows]))
  return { records: rows ?? null, clicks: clicks ?? null }
}

function summary({ records, clicks }: Moved, from: Config, to: Config): readonly string[] {
  const rowsOf = (table: string) => records?.[table]?.rows ?? 0
  const all = Object.values(records ?? {}).reduce((sum, { rows }) => sum + rows, 0)
  const what = [
    ...(records
      ? [`${linksAndUsers({ links: rowsOf('links'), users: rowsOf('users') })} (${counted(all, 'row')} in all)`]
      : []),
    ...(clicks === undefined ? [] : [counted(clicks, 'click')]),
  ]
  const unencrypted = records && to.databaseUrl !== undefined && to.secretsKey === undefined
  return [
    `Moved ${what.join(' and ')}; the copy was compared with the original.`,
    'Start the service with these options from now on; clicks of the meantime are counted then:',
    ...(records ? [`  ${optionLine('databaseUrl', to)}`] : []),
    ...(clicks === undefined ? [] : [`  ${optionLine('clickhouseUrl', to)}`]),
    ...(unencrypted ? ['Second factors and secrets of webhooks are not encrypted there, without secretsKey.'] : []),
    `The former stores are kept and refuse to start: ${formerStores(records !== undefined, clicks !== undefined, from)}.`,
  ]
}

function optionLine(name: 'databaseUrl' | 'clickhouseUrl', to: Config): string {
  const value = to[name]
  return value === undefined ? `${name}: not set (data directory ${to.dataDir})` : `${name}: ${shown(name, value)}`
}

function formerStores(records: boolean, clicks: boolean, { databaseUrl, clickhouseUrl, dataDir }: Config): string {
  const stores = [
    ...(records ? [databaseUrl === undefined ? `${dataDir}/records.sqlite` : shown('databaseUrl', databaseUrl)] : []),
    ...(clicks
      ? [clickhouseUrl === undefined ? `${dataDir}/clicks.duckdb` : shown('clickhouseUrl', clickhouseUrl)]
      : []),
  ]
  return stores.join(', ')
}

/** Deletes a visitor of a day, a link or a user, for data protection requests (docs/privacy.md). */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.js'
import type { ForgottenClicks } from '../core/clicks/click-eraser.js'
import type { ForgottenRows } from '../core/privacy/privacy-store.js'
import { askService, controlSocketPath, longTimeout } from '../edges/control/client.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, recordOptions, requireCurrentSchema, requireSameStores, withRecords } from './administration.js'
import type { Command, CommandContext } from './command.js'

export const forgetCommand: Command = {
  name: 'forget',
  summary: 'Delete a visitor of a day, a link or a user; without --yes only show what would go',
  flags: [
    {
      name: 'visitor-day',
      value: 'DAY',
      description: 'The clicks of a visitor on a day (2026-11-16, UTC); needs --ip and --user-agent.',
    },
    { name: 'ip', value: 'ADDRESS', description: 'The IP address of the visitor.' },
    { name: 'user-agent', value: 'TEXT', description: 'The User-Agent header of the visitor, exactly.' },
    { name: 'link', value: 'LINK', description: 'A link or custom link (sho.rt/abc), with all its clicks.' },
    { name: 'user', value: 'LOGIN', description: 'An account, and its name wherever it is written.' },
    {
      name: 'rewrite',
      description:
        'Also rewrite the database files, whose free space may have what was deleted; needs a stopped service.',
    },
    { name: 'yes', description: 'Really delete.' },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: [...recordOptions, 'clickhouseUrl', 'clickhouseCluster'],
  async run(context) {
    const dryRun = !context.switched('yes')
    const rewrites = context.switched('rewrite') && !dryRun
    if (rewrites) await requireStopped(context.config)
    const found = await forget(context, dryRun)
    const rewritten = rewrites ? await rewriteFiles(context.config) : undefined
    if (context.switched('json')) return context.print(JSON.stringify({ dryRun, ...found, rewritten }))
    for (const line of linesFor(found, dryRun)) context.print(line)
    if (rewritten) context.print(`Rewritten: ${rewritten.join(', ')}.`)
  },
}

async function requireStopped({ dataDir }: Config): Promise<void> {
  const { requireAlone } = await import('../edges/control/server.js')
  await requireAlone(controlSocketPath(dataDir))
}

/** The databases in the data directory; PostgreSQL and ClickHouse clean up by themselves. Returns their names. */
async function rewriteFiles(config: Config): Promise<readonly string[]> {
  const { rewriteSqlite } = await import('../storage/sql/rewrite-sqlite.js')
  const { rewriteDuckdbClickLog } = await import('../storage/duckdb/rewrite.js')
  const names = ['records.sqlite', 'stream.sqlite', 'clicks.duckdb'].filter((name) =>
    existsSync(join(config.dataDir, name)),
  )
  for (const name of names) {
    const file = join(config.dataDir, name)
    if (name.endsWith('.sqlite')) rewriteSqlite(file)
    else await rewriteDuckdbClickLog(file)
  }
  // Only a cache, which may have the destination of a link.
  await rm(join(config.dataDir, 'redirect-cache.json'), { force: true })
  return names
}

interface Forgotten {
  readonly what: string
  readonly clicks?: number
  readonly rows?: ForgottenRows
  /** Why nothing can be found. */
  readonly unrecognizable?: string
}

async function forget(context: CommandContext, dryRun: boolean): Promise<Forgotten> {
  const { config } = context
  const day = context.flag('visitor-day')
  const link = context.flag('link')
  const login = context.flag('user')
  if ([day, link, login].filter((given) => given !== undefined).length !== 1) {
    throw new OperatorError('Give one of --visitor-day, --link and --user. "shortlink forget --help" explains them.', 2)
  }
  if (login !== undefined) {
    const { rows, pseudonym } = await administer(config, 'forgetUser', { login, dryRun })
    return { what: `user ${login}, called ${pseudonym} from now on`, rows }
  }
  if (link !== undefined) {
    const { addresses, rows } = await administer(config, 'forgetLink', { link, dryRun })
    const clicks = await forgetClicks(config, { addresses: [...addresses] }, dryRun)
    return { what: `link ${link}`, rows, clicks }
  }
  return forgetVisitor(context, day ?? '', dryRun)
}

async function forgetVisitor(context: CommandContext, day: string, dryRun: boolean): Promise<Forgotten> {
  const { config } = context
  const ip = context.flag('ip')
  const userAgent = context.flag('user-agent')
  if (ip === undefined || userAgent === undefined) {
    throw new OperatorError('--visitor-day needs --ip and --user-agent: visitors are known by nothing else.', 2)
  }
  if (Date.parse(`${day}T00:00:00Z`) > Date.now()) {
    throw new OperatorError(`--visitor-day must not be in the future, as ${day} is.`, 2)
  }
  // The salts are read here, the clicks deleted by the service.
  await requireSameStores(context, ['databaseUrl'])
  const { clicksOfVisitor } = await import('../core/privacy/forget.js')
  const which = await clicksOfVisitor(await saltsOf(config), { day, ip, userAgent })
  const what = `clicks of this visitor on ${day}`
  if (which) return { what, clicks: await forgetClicks(config, which, dryRun) }
  return {
    what,
    unrecognizable:
      `there is no salt of ${day}. Either nobody visited on that day, or the salt is deleted, and nobody can tell which ` +
      'clicks were those of an IP address',
  }
}

/** Processes with a shared database share their salts there. */
async function saltsOf(config: Config): Promise<(day: number) => Promise<string | undefined>> {
  if (config.databaseUrl !== undefined) {
    return (day) => withRecords(config, (records) => records.privacy.saltOf(day))
  }
  const { readSalts } = await import('../runtime/threads/daily-salts.js')
  const salts = readSalts(join(config.dataDir, 'visitor-salts.json'))
  return async (day) => salts.get(day)
}

async function forgetClicks(config: Config, which: ForgottenClicks, dryRun: boolean): Promise<number> {
  const given = 'visitor' in which ? { ...which, dryRun } : { addresses: [...which.addresses], dryRun }
  const asked = await askService(controlSocketPath(config.dataDir), 'forgetClicks', given, longTimeout)
  if (asked) return asked.result
  const { withClickLog } = await import('./own-click-log.js')
  return withRecords(config, async (records) => {
    await requireCurrentSchema(records)
    return withClickLog(config, records, (log) => log.forgetClicks(which, { dryRun }))
  })
}

function linesFor({ what, clicks, rows = {}, unrecognizable }: Forgotten, dryRun: boolean): readonly string[] {
  if (unrecognizable !== undefined) return [`There is nothing to delete: ${unrecognizable} (docs/privacy.md).`]
  const counts = [
    ...(clicks === undefined ? [] : [`  ${clicks} clicks`]),
    ...Object.entries(rows).map(([table, count]) => `  ${count} rows of ${table}`),
  ]
  return [
    `${dryRun ? 'This would delete or empty' : 'Deleted or emptied'}, for ${what}:`,
    ...(counts.length === 0 ? ['  nothing'] : counts),
    dryRun
      ? 'Nothing was changed. Run it again with --yes to do it.'
      : 'docs/privacy.md says what is not reached: stream messages, backups, archives, and free space of database files.',
  ]
}

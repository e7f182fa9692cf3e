/** Imports links and clicks of other products into the database; works while the service runs. */
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config/config.js'
import type { Group } from '../core/accounts/group-store.js'
import { requireNotMoved } from '../core/copies/moved-records.js'
import { Domains } from '../core/domains/domains.js'
import { type ClickCounts, type ImportClicksDeps, importClicksOf } from '../core/imports/import-clicks.js'
import {
  type ImportedLinks,
  type ImportLinksDeps,
  type ImportLinksOptions,
  importLinks,
  type LinkAddresses,
} from '../core/imports/import-links.js'
import type { OnConflict } from '../core/imports/import-store.js'
import type { LinkSource } from '../core/imports/imported-link.js'
import { type Closable, Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { holdImport } from '../runtime/threads/import-lease.js'
import { clickParts } from '../storage/link-sources/click-parts.js'
import { openLinkSource, type Product, products } from '../storage/link-sources/open-link-source.js'
import type { Records } from '../storage/records/records.js'
import {
  recordOptions,
  requireCurrentSchema,
  requireSameStores,
  runningService,
  withRecords,
} from './administration.js'
import type { Command, CommandContext } from './command.js'
import { ClickImporter } from './import-clicks.js'
import { Meter, type MeterOptions } from './import-links-progress.js'
import { type ResultFile, resultFile, summary } from './import-links-report.js'

const conflictRules = ['skip', 'rename', 'replace'] as const

export const importLinksCommand: Command = {
  name: 'import links',
  summary: 'Import links and clicks of another product; running it again imports nothing twice',
  words: [
    { name: 'FILE', description: 'A file or a folder of the other product, or the URL of its API (docs/moving.md).' },
  ],
  flags: [
    { name: 'from', value: 'PRODUCT', description: `One of ${products.join(', ')}; default: recognised by the file.` },
    { name: 'group', value: 'GUID', description: 'The group that gets the links; default: the oldest.' },
    { name: 'user', value: 'LOGIN', description: 'The creator of the links; default: an administrator of the group.' },
    {
      name: 'map',
      value: 'OLD=NEW',
      description: 'Links on the domain OLD get the domain NEW; * stands for all others. May be repeated.',
      repeatable: true,
    },
    { name: 'domain', value: 'NAME', description: "The domain of links that name none; default: the group's." },
    {
      name: 'on-conflict',
      value: 'RULE',
      description: 'If a back-half leads elsewhere: skip (default), rename (sale becomes sale-2) or replace.',
    },
    { name: 'dry-run', description: 'Only print what would happen.' },
    { name: 'no-clicks', description: 'Import links only.' },
    { name: 'result', value: 'FILE', description: 'Write what became of each row to this CSV file.' },
    {
      name: 'token-file',
      value: 'FILE',
      description: 'A file with the key or token of the API; - reads standard input.',
    },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: [...recordOptions, 'clickhouseUrl', 'clickhouseCluster', 'geography'],
  async run(context) {
    const flags = await readFlags(context)
    // The running service counts the clicks, so only the database matters.
    await requireSameStores(context, ['databaseUrl'])
    const work = async (records: Records) => {
      await requireCurrentSchema(records)
      await requireNotMoved(records)
      const domains = await domainsOf(context.config, records)
      const closing = new Closing()
      try {
        await runImport(context, flags, records, domains, closing)
      } finally {
        await closing.close()
      }
    }
    // New links lie all over the file: mapped, it would be in memory as a whole.
    await withRecords(context.config, work, { mapped: false })
  },
}

async function domainsOf({ domains: builtIn, baseUrl }: Config, { domainStore }: Records): Promise<Domains> {
  const onFailure = (error: unknown) => {
    throw error
  }
  const domains = new Domains({ domainStore, onFailure }, { builtIn, baseUrl })
  await domains.refresh()
  return domains
}

interface Flags {
  readonly place: string
  readonly from: Product | undefined
  readonly map: ReadonlyMap<string, string>
  readonly onConflict: OnConflict
  readonly token: string | undefined
}

async function readFlags(context: CommandContext): Promise<Flags> {
  const { word, flag, values } = context
  const place = word('FILE')
  const map = new Map((values('map') ?? []).map(mapping))
  const domain = flag('domain')
  if (domain !== undefined) map.set('', domain.toLowerCase())
  return {
    place: isUrl(place) ? place : resolve(place),
    from: oneOf('from', flag('from'), products),
    map,
    onConflict: oneOf('on-conflict', flag('on-conflict'), conflictRules) ?? 'skip',
    token: await tokenIn(context),
  }
}

function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place)
}

function oneOf<T extends string>(name: string, given: string | undefined, allowed: readonly T[]): T | undefined {
  if (given === undefined) return undefined
  const found = allowed.find((each) => each === given)
  if (found) return found
  throw new OperatorError(`--${name} must be one of ${allowed.join(', ')}, not "${given}".`, 2)
}

function mapping(given: string): [string, string] {
  const [, old, domain] = /^([^=\s]+)=([^=\s]+)$/.exec(given.toLowerCase()) ?? []
  if (old !== undefined && domain !== undefined) return [old, domain]
  throw new OperatorError(`--map must look like old.example=new.example, not "${given}".`, 2)
}

async function tokenIn({ flag, stdin }: CommandContext): Promise<string | undefined> {
  const file = flag('token-file')
  if (file === undefined) return undefined
  if (file === '-') return (await readAll(stdin)).trim()
  const text = await readFile(resolve(file), 'utf8').catch((error: Error) => {
    throw new OperatorError(`Cannot read the file of --token-file: ${error.message}.`)
  })
  return text.trim()
}

async function runImport(
  context: CommandContext,
  { place, from, map, onConflict, token }: Flags,
  records: Records,
  domains: Domains,
  closing: Closing,
): Promise<void> {
  const { switched, note } = context
  const now = Date.now()
  const group = await groupFor(context, records)
  const owner = { groupGuid: group.guid, login: await loginFor(context, records, group), at: now }
  const source = closing.add(await openLinkSource(place, { from, token, now, note }))
  note(`${isUrl(place) ? 'Reading' : 'Recognised'}: ${source.format}.`)
  const result = await resultFile(context.flag('result'), place, domains)
  if (result) closing.add(result)
  const dryRun = switched('dry-run')
  const lost = new AbortController()
  if (!dryRun) closing.add(await onlyOne(context, records, place, source, lost))

  const phase = { context, source, isApi: isUrl(place), signal: lost.signal, now }
  const deps = { linkImports: await politely(context, records), domains, targets: records.clickStore }
  const { counts, addresses } = await linksPhase(phase, deps, { owner, map, onConflict, dryRun }, result)
  const clicks = dryRun || switched('no-clicks') ? undefined : await clicksPhase(phase, deps, addresses)
  // Reading the clicks of an API takes hours, and its monthly quota.
  const found = dryRun && !switched('no-clicks') && !isUrl(place) ? await clicksOf(source) : undefined
  if (switched('json'))
    return context.print(JSON.stringify({ format: source.format, links: counts.by, clicks: clicks ?? found }))
  for (const line of summary(source, counts, clicks, { dryRun, domains, onConflict })) context.print(line)
  if (found) context.print(`${found.read} clicks were read (${source.detail}).`)
}

async function clicksOf(source: LinkSource): Promise<{ readonly read: number }> {
  let read = 0
  for await (const { count = 1 } of source.clicks()) read += count
  return { read }
}

async function groupFor({ flag }: CommandContext, { groups }: Records): Promise<Group> {
  const guid = flag('group')
  const active = (await groups.groups('all')).filter(({ isActive }) => isActive)
  const found = guid === undefined ? active[0] : active.find((group) => group.guid === guid)
  if (found) return found
  throw new OperatorError(
    guid === undefined ? 'There is no group yet. Start the service once to create it.' : `There is no group "${guid}".`,
  )
}

async function loginFor({ flag }: CommandContext, records: Records, { organizationGuid }: Group): Promise<string> {
  const members = await records.groups.organizationMembers(organizationGuid)
  const given = flag('user')
  const found = members.find(({ login, role }) => (given === undefined ? role === 'admin' : login === given))
  if (found) return found.login
  if (given === undefined) return 'operator'
  throw new OperatorError(`There is no user "${given}" in the organization of the group.`)
}

/** Two runs of one source would count its clicks twice. */
function onlyOne(
  { config }: CommandContext,
  { clickStore }: Records,
  path: string,
  { name }: LinkSource,
  lost: AbortController,
): Promise<Closable> {
  const lease = clickStore.lease(`import-links ${name}`)
  const claim = { path, fileId: name, place: `${config.dataDir} on ${hostname()}` }
  return holdImport(lease, claim, () => lost.abort())
}

const takenOver =
  'This process was stopped for so long that another one took over the import. Nothing is imported twice; run the ' +
  'command again when the other import is done.'

/**
 * Beside a running service the import has a lower priority, so that redirects get the processor. SQLite has one write
 * lock: batches are smaller then, and leave the service time for its own writes; its redirects only read, and do not wait.
 */
async function politely(context: CommandContext, { linkImports }: Records): Promise<Records['linkImports']> {
  if ((await runningService(context.config)) === undefined) return linkImports
  context.lowerPriority()
  if (context.config.databaseUrl !== undefined) return linkImports
  return {
    ...linkImports,
    async importLinks(owner, links, onConflict) {
      const answers = []
      for (let from = 0; from < links.length; from += politeBatch) {
        answers.push(...(await linkImports.importLinks(owner, links.slice(from, from + politeBatch), onConflict)))
        await wait(politePause)
      }
      return answers
    },
  }
}

const politeBatch = 250
const politePause = 10

interface Phase extends MeterOptions {
  /** Aborted when another process took over the import. */
  readonly signal: AbortSignal
  readonly now: number
}

async function linksPhase(
  phase: Phase,
  deps: ImportLinksDeps,
  options: ImportLinksOptions,
  result: ResultFile | undefined,
): Promise<ImportedLinks> {
  const meter = new Meter(phase, 'links')
  let done = 0
  const imported = await importLinks(deps, phase.source, options, {
    signal: phase.signal,
    onProgress: ({ rows }) => {
      done = rows
      meter.show(rows)
    },
    ...(result && { onResult: result.add }),
  })
    .catch((error: unknown) => {
      if (done > 0 && !options.dryRun) phase.context.note(interrupted(done))
      throw error
    })
    .finally(() => meter.clear())
  await result?.close()
  if (!imported.ended) throw new OperatorError(takenOver)
  return imported
}

function interrupted(rows: number): string {
  return `Stopped after ${rows} rows, which are imported. Run the same command again when the cause is removed: nothing is imported twice.`
}

async function clicksPhase(
  phase: Phase,
  { linkImports, domains, targets }: ImportLinksDeps & Pick<ImportClicksDeps, 'targets'>,
  addresses: LinkAddresses,
): Promise<ClickCounts> {
  const { context, source, signal, now } = phase
  const meter = new Meter(phase, 'clicks')
  // The meter shows how far the source is read; the last part takes a few seconds more.
  const importer = new ClickImporter(context.config, () => {})
  const deps = {
    linkImports,
    domains,
    targets,
    parts: clickParts(resolve(context.config.dataDir), source.name),
    count: async (file: string) => (await importer.import(file)).counts,
  }
  const { ended, ...counts } = await importClicksOf(deps, source, addresses, {
    signal,
    now,
    onProgress: (_, read) => meter.show(read),
  }).finally(() => {
    meter.clear()
    return importer.close()
  })
  if (!ended) throw new OperatorError(takenOver)
  return counts
}

import { existsSync } from 'node:fs'
import type { Config, OptionName } from '../config/config.js'
import { type EffectiveValue, effectiveValues } from '../config/load.js'
import { operator } from '../core/accounts/actor.js'
import type { OperationArguments, OperationName, OperationResult } from '../core/administration/operations.js'
import { requireNotMoved } from '../core/copies/moved-records.js'
import { askProcess, askService, controlSocketPath } from '../edges/control/client.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import type { Records } from '../storage/records/records.js'
import { recordsFile } from '../storage/sql/records-file.js'
import type { Command, CommandContext } from './command.js'

/**
 * Runs an operation in the running service of the data directory, or directly on its database when no service runs. The
 * service comes first because it caches tokens for some seconds: a revoked token then stops working at once.
 */
export async function administer<Name extends OperationName>(
  config: Config,
  name: Name,
  given: OperationArguments<Name>,
): Promise<OperationResult<Name>> {
  const answered = await askService(controlSocketPath(config.dataDir), name, given)
  if (answered) return answered.result
  return withRecords(config, async (records) => {
    await requireCurrentSchema(records)
    await requireNotMoved(records)
    // Loaded lazily: a command that reaches the running service does not need it and starts half a second faster.
    const { operate } = await import('../core/administration/operations.js')
    const { administrationDeps } = await import('../runtime/app.js')
    const deps = administrationDeps(config, records)
    await deps.domains.refresh()
    const result = await operate(deps, operator, name, given)
    return result as OperationResult<Name>
  })
}

/** A command that runs one operation and prints its result: as JSON with `--json`, else as text. */
export function operatorCommand<Name extends OperationName>(
  name: string,
  operation: Name,
  spec: OperatorCommand<Name>,
): Command {
  const { input, json = (result) => result, text, failure, flags = [], options = recordOptions, ...rest } = spec
  return {
    name,
    ...rest,
    flags: [...flags, { name: 'json', description: 'Print JSON instead of text.' }],
    options,
    async run(context) {
      const result = await administer(context.config, operation, await input(context))
      if (context.switched('json')) context.print(JSON.stringify(await json(result, context)))
      else for (const line of [await text(result, context)].flat()) context.print(line)
      const failed = failure?.(result)
      if (failed !== undefined) throw new OperatorError(failed)
    },
  }
}

interface OperatorCommand<Name extends OperationName> extends Omit<Command, 'name' | 'options' | 'run'> {
  /** Default: `recordOptions`. */
  readonly options?: readonly OptionName[]
  input(context: CommandContext): OperationArguments<Name> | Promise<OperationArguments<Name>>
  /** What `--json` prints, if it is not the result. */
  json?(result: OperationResult<Name>, context: CommandContext): unknown
  text(result: OperationResult<Name>, context: CommandContext): Lines | Promise<Lines>
  /** Why a result that was printed means failure. */
  failure?(result: OperationResult<Name>): string | undefined
}

type Lines = string | readonly string[]

/** A table for a terminal, or a sentence when there are no rows. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): readonly string[] {
  return rows.length === 0 ? [empty] : columns([heading, ...rows])
}

/** UTC, to the minute. */
export function minute(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** The options that decide which database a command works on. */
export const recordOptions: readonly OptionName[] = ['dataDir', 'databaseUrl']

export async function withRecords<T>(
  config: Config,
  work: (records: Records) => Promise<T>,
  options: { readonly mayCreate?: boolean; readonly mapped?: boolean } = {},
): Promise<T> {
  const records = await openExistingRecords(config, options)
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}

export async function openExistingRecords(
  config: Config,
  { mayCreate = false, mapped = true }: { readonly mayCreate?: boolean; readonly mapped?: boolean } = {},
): Promise<Records> {
  // A mistyped path would silently create a new, empty service.
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && !existsSync(mayCreate ? dataDir : recordsFile(dataDir))) {
    const missing = existsSync(dataDir) ? 'service in the data directory' : 'data directory'
    throw new OperatorError(
      `There is no ${missing} ${dataDir}. Start the service once to create it, or choose another with --data-dir.`,
    )
  }
  const { openRecords } = await import('../runtime/stores/open-records.js')
  return openRecords(config, { mapped })
}

export async function requireCurrentSchema(records: Records): Promise<void> {
  const pending = await records.pendingMigrations()
  if (pending.length > 0) {
    throw new OperatorError(
      `The database is ${pending.length} migration(s) behind this version. Run "shortlink migrate" or start the service first.`,
    )
  }
}

/** The configuration of the running service, or of a start from this shell. */
export interface ServiceSettings {
  /** Process id of the running service; undefined: none runs, and the values are those of this shell. */
  readonly pid: number | undefined
  readonly values: readonly EffectiveValue[]
  get(name: OptionName): string | undefined
}

/**
 * Asks the running service for its configuration, because the shell of a command often lacks the flags and variables of
 * the service. If no service runs, prints a note: the service may later use other values.
 */
export async function serviceSettings(context: Pick<CommandContext, 'config' | 'settings' | 'note'>) {
  const running = await runningService(context.config)
  if (running) return running
  context.note(`No service runs on ${context.config.dataDir}: using the configuration of this shell.`)
  return settingsOf(undefined, effectiveValues(context.settings))
}

/** Undefined when no service runs on this data directory. */
export async function runningService(config: Config): Promise<ServiceSettings | undefined> {
  const running = await askProcess(controlSocketPath(config.dataDir))
  return running?.values && settingsOf(running.pid, running.values)
}

/**
 * The service of this data directory may use other servers than this shell names: then a command that opens them itself
 * would work on another database. Users and passwords may differ.
 */
export async function requireSameStores(
  { config, settings }: Pick<CommandContext, 'config' | 'settings'>,
  options: readonly OptionName[] = storeOptions,
): Promise<void> {
  const running = await runningService(config)
  if (!running) return
  for (const { name, value } of effectiveValues(settings).filter(({ name }) => options.includes(name))) {
    const used = running.get(name)
    if (placeOf(value) === placeOf(used)) continue
    throw new OperatorError(
      `The running service uses ${used === undefined ? `no ${name}` : `${name} ${used}`}. ` +
        'Give this command the same options or environment variables as the service.',
    )
  }
}

const storeOptions: readonly OptionName[] = ['databaseUrl', 'clickhouseUrl', 'clickhouseCluster', 's3Url']

/** Which server, and which database or bucket there. */
function placeOf(value: string | undefined): string | undefined {
  if (value === undefined || !URL.canParse(value)) return value
  const { host, pathname } = new URL(value)
  return host + pathname
}

function settingsOf(pid: number | undefined, values: readonly EffectiveValue[]): ServiceSettings {
  return { pid, values, get: (name) => values.find((value) => value.name === name)?.value }
}

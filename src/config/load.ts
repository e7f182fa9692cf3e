import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf } from '../lib/message-of.js'
import { OperatorError } from '../lib/operator-error.js'
import { didYouMean } from '../lib/suggestion.js'
import type { Config, EndpointLimit, OptionName } from './config.js'
import {
  type EmptyList,
  emptyLists,
  environmentPrefix,
  fileOption,
  flagOf,
  type Given,
  type Option,
  optionNames,
  options,
  shown,
  variableOf,
} from './options.js'

/**
 * Loads the configuration: flags over environment over file over defaults. It collects all problems and reports them
 * together. It does not read process state: flags, environment and working directory are arguments.
 */
export function loadSettings(input: ConfigInput): Settings {
  const problems = [...(input.problems ?? [])]
  const layers = [flagLayer(input, problems), environmentLayer(input, problems), fileLayer(input, problems)]

  const sources: Partial<Record<OptionName, Source>> = {}
  const given: Partial<Record<OptionName, unknown>> = {}
  for (const name of optionNames) {
    const found = layers.map((layer) => layer.get(name)).find((finding) => finding !== undefined)
    sources[name] = found?.source ?? { from: 'default', name: '' }
    given[name] = found ? read(name, found, problems) : readDefault(name, input.cwd)
  }

  if (problems.length > 0) throw new ConfigProblems(problems)
  // The parsers of the options have checked each value above.
  return { config: complete(given as Given, input.terminal ?? false), sources: sources as Record<OptionName, Source> }
}

export interface ConfigInput {
  /** Flag names without dashes (`data-dir`). */
  readonly flags: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Whether logs go to a terminal; sets the default of logFormat. */
  readonly terminal?: boolean
  /** Problems of the command line, reported together with those of the configuration. */
  readonly problems?: readonly string[]
}

/** The configuration and the source of each value. */
export interface Settings {
  readonly config: Config
  readonly sources: Readonly<Record<OptionName, Source>>
}

interface Source {
  readonly from: 'flag' | 'environment' | 'file' | 'default'
  /** `--port`, `SHORTLINK_PORT` or the path of the file; undefined for a default. */
  readonly name: string
}

/** All problems of a configuration, as one error. */
export class ConfigProblems extends OperatorError {
  override readonly name = 'ConfigProblems'

  constructor(readonly problems: readonly string[]) {
    const [only = '', ...more] = problems
    const list = problems.map((problem) => `\n  - ${problem}`).join('')
    super(more.length === 0 ? only : `There are ${problems.length} problems:${list}`, 2)
  }
}

interface Finding {
  /** Undefined when a value in a file cannot be converted to text. */
  readonly text: string | undefined
  readonly source: Source
  /** Base folder for relative paths. */
  readonly folder: string
}

type Layer = ReadonlyMap<OptionName, Finding>

/** Options by their spelling as a flag or variable, former names included. */
function optionsBy(spelling: (name: string) => string): ReadonlyMap<string, OptionName> {
  const former = optionNames.flatMap((name): [string, OptionName][] => {
    const { formerly } = options[name]
    return formerly === undefined ? [] : [[spelling(formerly), name]]
  })
  return new Map([...former, ...optionNames.map((name): [string, OptionName] => [spelling(name), name])])
}

function flagLayer({ flags, cwd }: ConfigInput, problems: string[]): Layer {
  const layer = new Map<OptionName, Finding>()
  const names = optionsBy(flagOf)
  for (const [flag, text] of Object.entries(flags)) {
    const name = names.get(flag)
    if (name) layer.set(name, { text, source: { from: 'flag', name: `--${flag}` }, folder: cwd })
    else if (flag !== fileOption.name) problems.push(unknownFlag(flag, names.keys()))
  }
  return layer
}

/** Also used for flags that no command has. */
export function unknownFlag(flag: string, known: Iterable<string>): string {
  return `Unknown flag --${flag}.${didYouMean(
    `--${flag}`,
    [...known].map((name) => `--${name}`),
  )}`
}

function environmentLayer({ env, cwd }: ConfigInput, problems: string[]): Layer {
  const layer = new Map<OptionName, Finding>()
  const names = optionsBy(variableOf)
  for (const [variable, text] of Object.entries(env)) {
    // Compose files and shells leave variables empty to unset them.
    if (!variable.startsWith(environmentPrefix) || !text) continue
    const source: Source = { from: 'environment', name: variable }
    const name = names.get(variable)
    const secret = names.get(variable.replace(fileEnding, ''))
    if (name) layer.set(name, { text, source, folder: cwd })
    else if (fileEnding.test(variable) && secret !== undefined && options[secret].secret) {
      if (env[variableOf(secret)])
        problems.push(`${variableOf(secret)} and ${variable} are both set. Remove one of them.`)
      const content = readSecret(resolve(cwd, text), variable, problems)
      if (content !== undefined) layer.set(secret, { text: content, source, folder: cwd })
    } else if (variable !== variableOf(fileOption.name)) {
      const onlySecrets = fileEnding.test(variable) && secret !== undefined ? ' Only secrets can come from a file.' : ''
      problems.push(`Unknown environment variable ${variable}.${onlySecrets || didYouMean(variable, names.keys())}`)
    }
  }
  return layer
}

/** `SHORTLINK_SMTP_URL_FILE` names a file with the value of `SHORTLINK_SMTP_URL`: container platforms mount secrets. */
const fileEnding = /_FILE$/

function readSecret(path: string, variable: string, problems: string[]): string | undefined {
  try {
    // Editors and `echo` end the file with a line break.
    const text = readFileSync(path, 'utf8')
      .replace(/^\ufeff/, '')
      .replace(/\r?\n$/, '')
    if (text !== '') return text
    problems.push(`${variable}: the file ${path} is empty. Write the secret into it.`)
  } catch (error) {
    problems.push(`${variable}: cannot read the file ${path} (${messageOf(error)}).`)
  }
  return undefined
}

function fileLayer(input: ConfigInput, problems: string[]): Layer {
  const layer = new Map<OptionName, Finding>()
  const path = resolve(input.cwd, namedFile(input) ?? fileOption.inWorkingDirectory)
  const content = readJsonObject(path, namedFile(input) !== undefined, problems)
  const names = optionsBy((name) => name)
  for (const [key, value] of Object.entries(content)) {
    const name = names.get(key)
    if (name) {
      const text = asText(value, options[name].kind.inFile)
      layer.set(name, { text, source: { from: 'file', name: path }, folder: dirname(path) })
    } else problems.push(`Unknown option "${key}" in ${path}.${didYouMean(key, optionNames)}`)
  }
  return layer
}

function namedFile({ flags, env }: ConfigInput): string | undefined {
  return flags[fileOption.name] ?? (env[variableOf(fileOption.name)] || undefined)
}

function readJsonObject(path: string, named: boolean, problems: string[]): object {
  let text: string
  try {
    // Some editors write a byte order mark.
    text = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    if (!named && isMissing(error)) return {}
    problems.push(
      `Cannot read the configuration file ${path} (${messageOf(error)}). Check --config and SHORTLINK_CONFIG.`,
    )
    return {}
  }
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
    problems.push(`The configuration file ${path} must contain one JSON object, such as { "port": 9000 }.`)
  } catch (error) {
    // The parser's message quotes the text around the error, which may be a secret: report only the position.
    const position = /position \d+( \(line \d+ column \d+\))?/.exec(messageOf(error))?.[0]
    problems.push(`The configuration file ${path} is not valid JSON${position ? `: see ${position}` : ''}.`)
  }
  return {}
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Converts a JSON value to the text of a flag; undefined when that is impossible. */
function asText(value: unknown, inFile: Option<unknown>['kind']['inFile']): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && inFile === 'number') return String(value)
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string' && !entry.includes(','))
  return isList && inFile === 'list' ? value.join(',') : undefined
}

function read(name: OptionName, { text, source, folder }: Finding, problems: string[]): unknown {
  const value = text === undefined ? undefined : options[name].kind.read(text, folder)
  if (value === undefined) problems.push(notAllowed(name, text, source))
  return value
}

function notAllowed(name: OptionName, text: string | undefined, source: Source): string {
  const given = text === undefined ? 'a value of the wrong type' : text === '' ? 'nothing' : `"${shown(name, text)}"`
  const where = source.from === 'file' ? `"${name}" in ${source.name}` : source.name
  return `${spellings(name)}: ${given} (from ${where}) is not allowed. Allowed: ${options[name].kind.allowed}.`
}

function spellings(name: OptionName): string {
  return `${name} (--${flagOf(name)}, ${variableOf(name)})`
}

function readDefault(name: OptionName, cwd: string): unknown {
  const option = options[name]
  return option.default === undefined ? undefined : option.kind.read(option.default, cwd)
}

/** Derives values from other values. */
function complete(given: Given, terminal: boolean): Config {
  const baseUrl = given.baseUrl ?? new URL(`http://localhost:${given.port}`).origin
  const { protocol, host } = new URL(baseUrl)
  // A Host header never contains the scheme's default port, so the domain does not either.
  const names = (given.domains ?? []).map((domain) => new URL(`${protocol}//${domain}`).host)
  const [first, ...others] = new Set(names)
  const lists = Object.fromEntries(emptyLists.map((name) => [name, given[name] ?? []])) as Pick<Config, EmptyList>
  return {
    ...given,
    baseUrl,
    domains: first === undefined ? [host] : [first, ...others],
    anyHost: first === undefined,
    ...lists,
    logFormat: given.logFormat ?? (terminal ? 'pretty' : 'json'),
  }
}

/** An option with its value for display: secrets are masked. */
export interface EffectiveValue {
  readonly name: OptionName
  readonly value: string | undefined
  readonly source: Source['from']
  readonly from: string
}

export function effectiveValues({ config, sources }: Settings): EffectiveValue[] {
  return optionNames.map((name) => {
    const value = config[name]
    const text = Array.isArray(value) ? value.map(written).join(',') || undefined : value?.toString()
    const { from: source, name: from } = sources[name]
    return { name, value: text === undefined ? undefined : shown(name, text), source, from }
  })
}

/** Formats a list entry as in a flag. */
function written(entry: string | EndpointLimit): string {
  return typeof entry === 'string' ? entry : `${entry.endpoint}=${entry.perHour}`
}

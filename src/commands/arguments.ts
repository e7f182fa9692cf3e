import { parseArgs } from 'node:util'
import { unknownFlag } from '../config/load.js'
import type { Flag } from './command.js'

export interface Arguments {
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, string>>
  /** Values of repeatable flags, in the given order. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly switches: ReadonlySet<string>
  readonly problems: readonly string[]
}

type KnownFlag = Pick<Flag, 'name' | 'value' | 'repeatable'>

/**
 * Splits a command line into words, `--flag value` or `--flag=value`, and switches. Continues after an error, to report
 * all errors together; `--` ends the flags.
 */
export function parseArguments(argv: readonly string[], known: readonly KnownFlag[]): Arguments {
  const words: string[] = []
  const values: Record<string, string> = {}
  const lists: Record<string, string[]> = {}
  const switches = new Set<string>()
  const problems: string[] = []
  let followsUnknown = false

  for (const token of tokensOf(argv, known)) {
    const mayBeItsValue = followsUnknown
    followsUnknown = false
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      // Probably the value of the preceding unknown flag: do not report a second error for it.
      if (!mayBeItsValue || token.value === '-') words.push(token.value)
      continue
    }
    const { name, rawName, value } = token
    const flag = known.find((candidate) => candidate.name === name)
    if (name === 'help') switches.add(name)
    else if (!flag) {
      const names = known.map((each) => each.name)
      problems.push(rawName.startsWith('--') ? unknownFlag(name, names) : `Unknown flag ${rawName}.`)
      followsUnknown = value === undefined
    } else if (flag.value === undefined) {
      if (value !== undefined) problems.push(`--${name} takes no value.`)
      switches.add(name)
    } else if (value === undefined) problems.push(`--${name} needs a value: --${name} ${flag.value}.`)
    else if (flag.repeatable) lists[name] = [...(lists[name] ?? []), value]
    else if (name in values) problems.push(`--${name} is given twice. Give it once.`)
    else values[name] = value
  }
  return { words, values, lists, switches, problems }
}

type Token = ReturnType<typeof parse>[number]

/**
 * A value may begin with one dash (a password). Two dashes start the next flag, although parseArgs takes it as the
 * value.
 */
function* tokensOf(argv: readonly string[], known: readonly KnownFlag[]): Generator<Token> {
  for (const token of parse(argv, known)) {
    if (token.kind === 'option' && token.inlineValue === false && token.value.startsWith('--')) {
      yield { ...token, value: undefined, inlineValue: undefined }
      yield* tokensOf(argv.slice(token.index + 1), known)
      return
    }
    yield token
  }
}

/** Not strict: strict mode stops at the first error. */
function parse(argv: readonly string[], known: readonly KnownFlag[]) {
  const options = Object.fromEntries(
    known.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  const { tokens } = parseArgs({
    args: [...argv],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  })
  return tokens
}

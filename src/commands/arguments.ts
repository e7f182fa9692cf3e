import { unknownFlag } from '../config/load.js'
import type { Flag } from './command.js'

export interface Arguments {
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, string>>
  /** The values of repeatable flags, in the order given. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly switches: ReadonlySet<string>
  readonly problems: readonly string[]
}

/**
 * Splits a command line into words, `--flag value` or `--flag=value`, and switches. Goes on after a mistake, so that
 * all of them can be reported together; `--` ends the flags.
 */
export function parseArguments(
  argv: readonly string[],
  known: readonly Pick<Flag, 'name' | 'value' | 'repeatable'>[],
): Arguments {
  const words: string[] = []
  const values: Record<string, string> = {}
  const lists: Record<string, string[]> = {}
  const switches = new Set<string>()
  const problems: string[] = []
  const rest = [...argv]

  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '--') words.push(...rest.splice(0))
    else if (part === '-h') switches.add('help')
    else if (!part.startsWith('-') || part === '-') words.push(part)
    else take(part)
  }
  return { words, values, lists, switches, problems }

  function take(part: string): void {
    const [, name = part, attached] = /^--([^=]+)(?:=(.*))?$/s.exec(part) ?? []
    const flag = known.find((candidate) => candidate.name === name)
    if (!flag) {
      problems.push(
        part.startsWith('--')
          ? unknownFlag(
              name,
              known.map((each) => each.name),
            )
          : `Unknown flag ${part}.`,
      )
      // Its value, most likely; left in place it would be reported as a second mistake.
      if (attached === undefined && rest[0] !== undefined && !rest[0].startsWith('-')) rest.shift()
    } else if (flag.value === undefined) {
      if (attached !== undefined) problems.push(`--${name} takes no value.`)
      switches.add(name)
    } else {
      // A value may begin with one dash (a password); two dashes are the next flag.
      const value = attached ?? (rest[0]?.startsWith('--') ? undefined : rest.shift())
      if (value === undefined) problems.push(`--${name} needs a value: --${name} ${flag.value}.`)
      else if (flag.repeatable) lists[name] = [...(lists[name] ?? []), value]
      else if (name in values) problems.push(`--${name} is given twice. Give it once.`)
      else values[name] = value
    }
  }
}

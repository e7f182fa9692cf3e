import type { Config, OptionName } from '../config/config.js'
import type { Settings } from '../config/load.js'

/**
 * What a command is: a name, what `--help` says about it, and a function over the parsed command line. Commands print
 * through their context and throw an OperatorError to fail; they never call process.exit, so tests can run them.
 */
export interface Command {
  /** One word or two (`token create`). */
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** The words it expects after its name, in order (`GUID`). */
  readonly words?: readonly Word[]
  /** Flags of its own; the options of the service are accepted by every command. */
  readonly flags?: readonly Flag[]
  /** The options of the service that its help shows. */
  readonly options: 'all' | readonly OptionName[]
  run(context: CommandContext): Promise<void>
}

export interface Word {
  readonly name: string
  readonly description: string
}

export interface Flag {
  /** Without the dashes. */
  readonly name: string
  /** What stands for the value in help (`TEXT`); a flag without one is a switch. */
  readonly value?: string
  readonly description: string
  readonly required?: boolean
  /** May be given several times, each with one more value. */
  readonly repeatable?: boolean
}

export interface CommandContext {
  readonly config: Config
  /** The same with where each value came from, for `config --print`. */
  readonly settings: Settings
  /** Standard output is a terminal. */
  readonly terminal: boolean
  /** Exactly the words the command declares, by name. */
  word(name: string): string
  /** The value of one of the command's own flags. */
  flag(name: string): string | undefined
  /** The values of a repeatable flag; undefined when it was not given. */
  values(name: string): readonly string[] | undefined
  switched(name: string): boolean
  /** Writes a line to standard output. */
  print(line: string): void
  /** Writes a line to standard error: what is worth knowing beside the result. */
  note(line: string): void
  /** Shows a line on the terminal until the next one replaces it; empty removes it. Only where somebody looks. */
  draw(line: string): void
  readonly stdin: NodeJS.ReadableStream
}

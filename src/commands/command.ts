import type { Config, OptionName } from '../config/config.js'
import type { Settings } from '../config/load.js'

/**
 * A command: a name, its help texts, and a function over the parsed command line. Commands print through their context
 * and throw an OperatorError to fail; they never call process.exit, so tests can run them.
 */
export interface Command {
  /** One or two words (`token create`). */
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** Positional arguments, in order (`GUID`). */
  readonly words?: readonly Word[]
  /** Flags of this command; every command also accepts the options of the service. */
  readonly flags?: readonly Flag[]
  /** The service options shown in its help. */
  readonly options: 'all' | readonly OptionName[]
  run(context: CommandContext): Promise<void>
}

export interface Word {
  readonly name: string
  readonly description: string
}

export interface Flag {
  /** Without dashes. */
  readonly name: string
  /** Placeholder of the value in help (`TEXT`); a flag without one is a switch. */
  readonly value?: string
  readonly description: string
  readonly required?: boolean
  /** May be given several times. */
  readonly repeatable?: boolean
}

export interface CommandContext {
  readonly config: Config
  /** The configuration with the source of each value, for `config --print`. */
  readonly settings: Settings
  /** Standard output is a terminal. */
  readonly terminal: boolean
  /** The value of a declared positional argument. */
  word(name: string): string
  /** The value of a flag of this command. */
  flag(name: string): string | undefined
  /** The values of a repeatable flag; undefined when it was not given. */
  values(name: string): readonly string[] | undefined
  switched(name: string): boolean
  /** Writes a line to standard output. */
  print(line: string): void
  /** Writes a line to standard error: notes that are not part of the result. */
  note(line: string): void
  /**
   * Shows a status line on the terminal until the next one replaces it; an empty line removes it. No effect without a
   * terminal.
   */
  draw(line: string): void
  /** For long work beside a running service, which comes first. */
  lowerPriority(): void
  readonly stdin: NodeJS.ReadableStream
}

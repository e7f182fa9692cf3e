import type { Config, OptionName } from '../config/config.js'
import { type EffectiveValue, effectiveValues } from '../config/effective.js'
import { askProcess } from '../edges/control/client.js'
import { controlSocketPath } from '../edges/control/socket-path.js'
import type { CommandContext } from './command.js'

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

function settingsOf(pid: number | undefined, values: readonly EffectiveValue[]): ServiceSettings {
  return { pid, values, get: (name) => values.find((value) => value.name === name)?.value }
}

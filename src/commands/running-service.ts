import type { Config, OptionName } from '../config/config.js'
import { type EffectiveValue, effectiveValues } from '../config/effective.js'
import { askProcess } from '../edges/control/client.js'
import { controlSocketPath } from '../edges/control/socket-path.js'
import type { CommandContext } from './command.js'

/** What a service works with: the running one, or the one that this shell would start. */
export interface ServiceSettings {
  /** The process of the running service; undefined: none runs, and the values are those of this shell. */
  readonly pid: number | undefined
  readonly values: readonly EffectiveValue[]
  get(name: OptionName): string | undefined
}

/**
 * Asks the running service for its configuration, because the shell of a command often lacks the flags and variables
 * that the service was started with. Where none runs, a note says so: the answer may not be what the service will use.
 */
export async function serviceSettings(context: Pick<CommandContext, 'config' | 'settings' | 'note'>) {
  const running = await runningService(context.config)
  if (running) return running
  context.note(`No service runs on ${context.config.dataDir}: this comes from the configuration of this shell.`)
  return settingsOf(undefined, effectiveValues(context.settings))
}

/** Undefined when none runs on this data directory. */
export async function runningService(config: Config): Promise<ServiceSettings | undefined> {
  const running = await askProcess(controlSocketPath(config.dataDir))
  return running?.values && settingsOf(running.pid, running.values)
}

function settingsOf(pid: number | undefined, values: readonly EffectiveValue[]): ServiceSettings {
  return { pid, values, get: (name) => values.find((value) => value.name === name)?.value }
}

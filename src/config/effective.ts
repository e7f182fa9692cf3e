import type { EndpointLimit, OptionName } from './config.js'
import type { Settings, Source } from './load.js'
import { optionNames, shown } from './options.js'

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

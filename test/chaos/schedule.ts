/** Which faults happen when: drawn from a seed, so that a run can be repeated and made shorter. */
import { chanceFrom } from '../metrics/random.js'

export interface Fault {
  readonly kind: FaultKind
  /** The party, or the path. */
  readonly on: string
  /** Milliseconds after the fault before it. */
  readonly after: number
  /** Milliseconds until it is over. */
  readonly lasts: number
  /** Of a clock that is set, in seconds. */
  readonly offset: number
}

type FaultKind = 'kill' | 'freeze' | 'restart' | 'upgrade' | 'cut' | 'stall' | 'slow' | 'fill disk' | 'set clock'

const paths: readonly FaultKind[] = ['cut', 'stall', 'slow']
const engines = ['postgres', 'clickhouse', 'redis', 'nsqd-1', 'nsqd-2']
export const services = ['service-1', 'service-2', 'service-3']
export const pathNames = [
  ...services.flatMap((service) => engines.map((engine) => `${service}>${engine}`)),
  ...services.map((service) => `nginx>${service}`),
]

/** A line is as likely as another; so is what it names. A killed nsqd may lose messages (docs/stream-nsqd.md#delivery). */
const possible: readonly { readonly on: readonly string[]; readonly kinds: readonly FaultKind[] }[] = [
  { on: services, kinds: ['kill', 'freeze', 'restart'] },
  { on: services, kinds: ['kill', 'freeze'] },
  { on: services, kinds: ['fill disk', 'set clock'] },
  { on: ['services'], kinds: ['upgrade'] },
  { on: ['postgres'], kinds: ['kill', 'restart', 'freeze'] },
  { on: ['clickhouse'], kinds: ['kill', 'freeze'] },
  { on: ['redis'], kinds: ['kill', 'freeze'] },
  { on: ['nsqd-1', 'nsqd-2'], kinds: ['restart', 'freeze'] },
  { on: ['nginx'], kinds: ['kill'] },
  { on: pathNames, kinds: paths },
  { on: pathNames, kinds: paths },
]

/** Several faults at once are usual: one lasts longer than the pause before the next. */
export function drawSchedule(seed: number, seconds: number): readonly Fault[] {
  const chance = chanceFrom(seed)
  const schedule: Fault[] = []
  for (let at = 0; at < seconds * 1000; ) {
    const { on, kinds } = chance.of(possible)
    const after = 500 + chance.below(3500)
    const lasts = chance.yes(0.1) ? 8000 + chance.below(27_000) : 300 + chance.below(5700)
    // Ahead: clicks from before the webhook was made are not sent to it.
    const offset = 60 + chance.below(3600)
    schedule.push({ kind: chance.of(kinds), on: chance.of(on), after, lasts: Math.min(lasts, seconds * 250), offset })
    at += after
  }
  return schedule
}

export function written({ kind, on, after, lasts, offset }: Fault): string {
  return `after ${after} ms: ${kind} ${on}${kind === 'set clock' ? ` by ${offset} s` : ''} for ${lasts} ms`
}

/** Compares what was asked and answered during a run with what is there after it. */

export interface Visit {
  readonly link: string
  /** The process that was asked, with the number of its start; undefined for visits through nginx. */
  readonly reader: string | undefined
  readonly sent: number
  /** When it was redirected; undefined: nobody knows whether it was. */
  answered: number | undefined
  location: string
}

export interface Creation {
  readonly longUrl: string
  /** Undefined: not answered. */
  id: string | undefined
}

/** Versions of the destination of a link, which its URL ends with. */
export interface Edits {
  answered: number
  sent: number
}

export interface Observed {
  readonly visits: readonly Visit[]
  readonly creations: readonly Creation[]
  readonly edits: ReadonlyMap<string, Edits>
  readonly limited: { readonly limit: number; readonly made: number; readonly refused: number }
  /** Clicks that the processes report as lost, because their disk was full. */
  readonly lost: number
  /** How often each visit was counted, and told to readers at least once. By number of the visit. */
  readonly counted: ReadonlyMap<number, number>
  readonly streamed: ReadonlySet<number>
  readonly delivered: ReadonlySet<number>
  /** How many links have this destination. */
  readonly stored: ReadonlyMap<string, number>
  readonly limitedStored: number
  readonly finals: readonly { readonly link: string; readonly reader: string; readonly location: string }[]
}

/** What was not kept of what is promised; empty if all was. */
export function violations(observed: Observed): readonly string[] {
  return [
    ...wronglyCounted(observed),
    ...wronglyRedirected(observed),
    ...wronglyStored(observed),
    ...overLimits(observed),
    ...notFinal(observed),
  ]
}

function* wronglyCounted({ visits, lost, counted, streamed, delivered }: Observed): Generator<string> {
  const missing: number[] = []
  for (const [number, { answered }] of visits.entries()) {
    const count = counted.get(number) ?? 0
    if (count === 0 && answered !== undefined) missing.push(number)
    if (count > 1) yield `visit ${number} is counted ${count} times`
    if (count > 0 && !streamed.has(number)) yield `visit ${number} is not in the stream`
    if (count > 0 && !delivered.has(number)) yield `visit ${number} was not sent to the webhook`
  }
  if (missing.length > lost) yield `${lost} visits are reported lost, but these are not counted: ${missing.join(', ')}`
  for (const [what, numbers] of Object.entries({ counted: counted.keys(), streamed, delivered })) {
    for (const number of numbers) if (!(number in visits)) yield `visit ${number} was never made, and is ${what}`
  }
}

/** Made links lead to one place; a reader of an edited one never sees an older version than before. */
function* wronglyRedirected({ visits, creations, edits }: Observed): Generator<string> {
  const destinations = new Map(creations.map(({ id, longUrl }) => [id, longUrl]))
  const reads = new Map<string, Read[]>()
  for (const { link, reader, sent, answered, location } of visits) {
    if (answered === undefined) continue
    const known = edits.get(link)
    if (!known) {
      if (location !== destinations.get(link)) yield `${link} led to ${location} instead of ${destinations.get(link)}`
      continue
    }
    const version = versionOf(location)
    if (!(version <= known.sent)) yield `${link} led to ${location}, which nobody asked for`
    if (reader === undefined) continue
    const key = `${link} at process ${reader}`
    const ofReader = reads.get(key) ?? []
    reads.set(key, ofReader)
    ofReader.push({ sent, answered, version })
  }
  for (const [key, each] of reads) yield* notMonotonic(key, each)
}

interface Read {
  readonly sent: number
  readonly answered: number
  readonly version: number
}

function* notMonotonic(key: string, reads: readonly Read[]): Generator<string> {
  const answeredFirst = [...reads].sort((one, other) => one.answered - other.answered)
  let newest = 0
  let next = 0
  for (const { sent, version } of [...reads].sort((one, other) => one.sent - other.sent)) {
    for (let read = answeredFirst[next]; read && read.answered < sent; read = answeredFirst[++next]) {
      newest = Math.max(newest, read.version)
    }
    if (version < newest) yield `${key} led to version ${version} after version ${newest}`
  }
}

function* wronglyStored({ creations, stored }: Observed): Generator<string> {
  for (const { longUrl, id } of creations) {
    const count = stored.get(longUrl) ?? 0
    if (count > 1 || (count === 0 && id !== undefined)) {
      yield `${longUrl} was ${id === undefined ? 'not ' : ''}answered and is stored ${count} times`
    }
  }
}

function* overLimits({ limited: { limit, made, refused }, limitedStored }: Observed): Generator<string> {
  if (limitedStored > limit) yield `a plan with ${limit} links has ${limitedStored}`
  if (limitedStored < made) yield `a plan has ${limitedStored} links, but ${made} were answered`
  if (refused > 0 && limitedStored < limit) yield `a plan refused links after ${limitedStored} of ${limit}`
}

function* notFinal(observed: Observed): Generator<string> {
  for (const { link, reader, location } of observed.finals) {
    if (!isFinal(observed, link, location)) yield `${link} leads to ${location} at ${reader} in the end`
  }
}

/** Whether a link may lead there when all is well again: to its last answered version, or to one that was sent after it. */
export function isFinal({ creations, edits }: Pick<Observed, 'creations' | 'edits'>, link: string, location: string) {
  const known = edits.get(link)
  if (!known) return creations.some(({ id, longUrl }) => id === link && longUrl === location)
  const version = versionOf(location)
  return version >= known.answered && version <= known.sent
}

function versionOf(location: string): number {
  return location.startsWith('https://edited.example/') ? Number(location.split('/').at(-1)) : Number.NaN
}

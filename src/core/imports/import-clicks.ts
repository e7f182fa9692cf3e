/**
 * Imports the clicks of another product: writes those that were not counted before as click files (docs/import.md), in
 * parts, and counts each part like `import clicks`. For each address a mark says how far its clicks were counted, so a
 * later copy of the same installation adds only its later clicks. A part that was written but not finished is finished
 * by the next run. Knows neither files nor SQL.
 */
import { isIP } from 'node:net'
import { OperatorError } from '../../lib/operator-error.js'
import type { ClickStore } from '../clicks/click-store.js'
import type { Domains } from '../domains/domains.js'
import type { LinkAddresses } from './import-links.js'
import type { ClickMark, ImportStore } from './import-store.js'
import type { ImportedClick, LinkSource } from './imported-link.js'

export interface ImportClicksDeps {
  readonly targets: Pick<ClickStore, 'importTargets'>
  readonly linkImports: Pick<ImportStore, 'clickMarks' | 'noteClicks' | 'settleClicks'>
  readonly domains: Pick<Domains, 'shown'>
  readonly parts: ClickParts
  /** Counts a click file, each line once, whatever happens in between. */
  readonly count: (file: string) => Promise<CountedPart>
}

/** Click files of one source that are being counted. */
export interface ClickParts {
  /** Complete files that an interrupted run left. */
  left(): Promise<readonly string[]>
  create(): Promise<PartWriter>
  lines(file: string): AsyncIterable<string>
  remove(file: string): Promise<void>
  /** The copy whose clicks are being counted; undefined when all were. */
  begun(): Promise<string | undefined>
  begin(copy: string): Promise<void>
  end(): Promise<void>
  /** For people. */
  readonly folder: string
}

export interface PartWriter {
  add(line: string): Promise<void> | void
  /** Returns the path of the complete file. */
  finish(): Promise<string>
  /** Removes an incomplete file. */
  discard(): Promise<void>
}

interface CountedPart {
  readonly imported: number
  readonly rejected: number
}

export interface ClickCounts {
  /** Clicks counted by this run. */
  readonly imported: number
  /** Clicks that were counted before. */
  readonly before: number
  /** Clicks of links that were not imported, or that do not exist any more. */
  readonly unknown: number
  /** Clicks with a time that has not come yet. */
  readonly future: number
}

export interface ImportClicksWatch {
  readonly signal?: AbortSignal
  /** `read`: clicks read from the source so far. */
  readonly onProgress?: (counts: ClickCounts, read: number) => void
  readonly now: number
}

/** Lines of a part. One part is written while the one before is counted: some hundred megabytes on the disk. */
const partLines = 300_000
const chunkSize = 5_000

export async function importClicksOf(
  deps: ImportClicksDeps,
  source: LinkSource,
  addresses: LinkAddresses,
  watch: ImportClicksWatch,
): Promise<ClickCounts & { readonly ended: boolean }> {
  const counter = new PartCounter(deps, source)
  let unknown = 0
  let before = 0
  let future = 0
  const counts = (): ClickCounts => ({
    imported: counter.imported,
    before,
    unknown: unknown + counter.rejected,
    future,
  })
  await requireSameCopy(deps.parts, source)
  await counter.finishLeft()

  let read = 0
  let chunk: Addressed[] = []
  const news = new NewClicks(deps, source.name)
  const existing = new ExistingAddresses(deps.targets)
  const flush = async () => {
    const clicks = await existing.among(chunk)
    unknown += clicksIn(chunk) - clicksIn(clicks)
    for (const click of await news.of(clicks)) {
      before += click.before
      if (click.count > 0) await counter.add(click)
    }
    chunk = []
    watch.onProgress?.(counts(), read)
  }
  try {
    for await (const click of source.clicks()) {
      read += 1
      const address = addresses.of(click)
      if (address === undefined) unknown += click.count ?? 1
      else if (click.at > watch.now) future += click.count ?? 1
      else chunk.push({ address, click })
      if (chunk.length < chunkSize) continue
      await flush()
      if (watch.signal?.aborted) return { ...counts(), ended: false }
    }
    await flush()
    await counter.finish()
    await counter.allCounted()
    await deps.linkImports.settleClicks(source.name)
    await deps.parts.end()
    return { ...counts(), ended: true }
  } finally {
    await counter.close()
  }
}

/**
 * Mixed clicks are cut into the same parts again after an interruption, so that parts which were counted are recognised.
 * Another copy may be cut elsewhere, and would count some twice.
 */
async function requireSameCopy(parts: ClickParts, { clicksByLink, copy }: LinkSource): Promise<void> {
  const begun = clicksByLink || copy === undefined ? undefined : await parts.begun()
  if (begun === undefined || begun === copy) return
  throw new OperatorError(
    'The import of another copy was interrupted while its clicks were counted. Run it again with that file first. ' +
      `If you do not have it any more, delete ${parts.folder}; some clicks may then count twice.`,
  )
}

interface Addressed {
  readonly address: string
  readonly click: ImportedClick
}

function clicksIn(clicks: readonly Addressed[]): number {
  return clicks.reduce((sum, { click }) => sum + (click.count ?? 1), 0)
}

/** Products keep clicks of links that were deleted. Those must not be marked as counted. */
class ExistingAddresses {
  readonly #targets: Pick<ClickStore, 'importTargets'>
  #known = new Set<string>()

  constructor(targets: Pick<ClickStore, 'importTargets'>) {
    this.#targets = targets
  }

  async among(clicks: readonly Addressed[]): Promise<readonly Addressed[]> {
    if (this.#known.size > maxKnown) this.#known = new Set()
    const open = new Set(clicks.map(({ address }) => address).filter((address) => !this.#known.has(address)))
    if (open.size > 0)
      for (const address of (await this.#targets.importTargets([...open])).keys()) this.#known.add(address)
    return clicks.filter(({ address }) => this.#known.has(address))
  }
}

const maxKnown = 200_000

/** A click of which `count` are new and `before` were counted. */
interface Counted extends Addressed {
  readonly count: number
  readonly before: number
  /** The clicks of the address at this time, with this one. */
  readonly upTo: number
}

/** Compares clicks with the marks of former runs. */
class NewClicks {
  readonly #deps: ImportClicksDeps
  readonly #source: string
  /** The clicks at the latest time of each address that had clicks in the last chunks. */
  #latest = new Map<string, ClickMark>()
  /** Of former runs: this one does not change them before the last click of an address. */
  #marks = new Map<string, ClickMark | undefined>()

  constructor(deps: ImportClicksDeps, source: string) {
    this.#deps = deps
    this.#source = source
  }

  async of(clicks: readonly Addressed[]): Promise<readonly Counted[]> {
    await this.#readMarks(clicks)
    const counted = clicks.map(({ address, click }) => this.#count(address, click, this.#marks.get(address)))
    // Clicks at one time follow each other: older entries are not needed any more.
    if (this.#latest.size > 10 * chunkSize) {
      this.#latest = new Map(clicks.flatMap(({ address }) => mapEntry(address, this.#latest.get(address))))
    }
    return counted
  }

  async #readMarks(clicks: readonly Addressed[]): Promise<void> {
    if (this.#marks.size > maxKnown) this.#marks = new Map()
    const open = new Set(clicks.map(({ address }) => address).filter((address) => !this.#marks.has(address)))
    if (open.size === 0) return
    const marks = await this.#deps.linkImports.clickMarks(this.#source, [...open])
    for (const address of open) this.#marks.set(address, marks.get(address))
  }

  #count(address: string, click: ImportedClick, mark: ClickMark | undefined): Counted {
    const total = click.count ?? 1
    const latest = this.#latest.get(address)
    const seen = latest?.at === click.at ? latest.count : 0
    const upTo = seen + total
    if (!latest || click.at >= latest.at) this.#latest.set(address, { at: click.at, count: upTo })
    const known = mark === undefined || click.at > mark.at ? 0 : click.at < mark.at ? upTo : Math.min(upTo, mark.count)
    const before = Math.max(0, Math.min(total, known - seen))
    return { address, click, count: total - before, before, upTo }
  }
}

function mapEntry(name: string, mark: ClickMark | undefined): [string, ClickMark][] {
  return mark ? [[name, mark]] : []
}

/** Writes parts and counts them. */
class PartCounter {
  readonly #deps: ImportClicksDeps
  readonly #source: LinkSource
  #part: PartWriter | undefined
  #lines = 0
  #marks = new Map<string, ClickMark>()
  #last: Counted | undefined
  #counting: Promise<void> = Promise.resolve()
  imported = 0
  rejected = 0

  constructor(deps: ImportClicksDeps, source: LinkSource) {
    this.#deps = deps
    this.#source = source
  }

  async add(counted: Counted): Promise<void> {
    if (this.#lines >= partLines && this.#mayCut(counted)) await this.finish()
    const { address, click, upTo } = counted
    this.#part ??= await this.#deps.parts.create()
    await this.#part.add(lineOf(this.#deps.domains.shown(address), counted))
    this.#lines += 1
    this.#last = counted
    noteLater(this.#marks, address, { at: click.at, count: upTo })
  }

  /** Counts the current part in the background, after the one before. */
  async finish(): Promise<void> {
    const part = this.#part
    const marks = this.#marks
    if (!part) return
    this.#part = undefined
    this.#marks = new Map()
    this.#lines = 0
    if (this.#source.copy !== undefined) await this.#deps.parts.begin(this.#source.copy)
    const file = await part.finish()
    await this.#counting
    this.#counting = this.#countFile(file, marks)
    // Thrown by the next wait.
    this.#counting.catch(() => {})
  }

  allCounted(): Promise<void> {
    return this.#counting
  }

  /** An earlier run wrote these, and may have counted them: the marks in their lines are the ones to store. */
  async finishLeft(): Promise<void> {
    for (const file of await this.#deps.parts.left()) {
      const marks = new Map<string, ClickMark>()
      for await (const line of this.#deps.parts.lines(file)) {
        const { address, at, upTo } = JSON.parse(line) as WrittenLine
        noteLater(marks, address, { at: Date.parse(at), count: upTo })
      }
      await this.#countFile(file, marks)
    }
  }

  async close(): Promise<void> {
    await this.#part?.discard()
    await this.#counting.catch(() => {})
  }

  async #countFile(file: string, marks: ReadonlyMap<string, ClickMark>): Promise<void> {
    const { linkImports, count, parts } = this.#deps
    const { imported, rejected } = await count(file)
    await linkImports.noteClicks(this.#source.name, marks)
    // Mixed clicks are counted from the beginning again after an interruption, in the same parts.
    if (this.#source.clicksByLink) await linkImports.settleClicks(this.#source.name)
    await parts.remove(file)
    this.imported += imported
    this.rejected += rejected
  }

  /** Marks are exact only between clicks of different times, and by link only between links. */
  #mayCut({ address, click }: Counted): boolean {
    const last = this.#last
    if (!last) return false
    return this.#source.clicksByLink ? last.address !== address : last.click.at !== click.at
  }
}

function noteLater(marks: Map<string, ClickMark>, address: string, mark: ClickMark): void {
  const known = marks.get(address)
  if (!known || mark.at >= known.at) marks.set(address, mark)
}

/** Fields for our own marks; `import clicks` ignores them. */
interface WrittenLine {
  readonly at: string
  readonly address: string
  readonly upTo: number
}

/** What the source has of these fields may be anything: `import clicks` would reject the whole line. */
function lineOf(link: string, { address, click, count, upTo }: Counted): string {
  const { at, kind, ip = '', country = '', region, city, userAgent, referrer } = click
  return JSON.stringify({
    link,
    at: new Date(at).toISOString(),
    // A click without a count is one visitor, one with a count is a total.
    count: click.count === undefined ? undefined : count,
    kind: kind === 'click' ? undefined : kind,
    ip: isIP(ip) === 0 ? undefined : ip,
    country: /^[A-Za-z]{2}$/.test(country) ? country : undefined,
    region: fitting(region, longestName),
    city: fitting(city, longestName),
    user_agent: fitting(userAgent, longestText),
    referrer: fitting(referrer, longestText),
    address,
    upTo,
  })
}

const longestName = 200
const longestText = 2048

function fitting(text: string | undefined, length: number): string | undefined {
  if (text === undefined || text === '') return undefined
  return text.slice(0, length).replace(/\p{Cc}/gu, ' ')
}

/** What became of an import of links: the result file with every row, and the lines that the command prints. */
import { once } from 'node:events'
import { open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Domains } from '../core/domains/domains.js'
import type { ClickCounts } from '../core/imports/import-clicks.js'
import { type LinkCounts, outcomes, type RowOutcome, type RowResult } from '../core/imports/import-links.js'
import type { OnConflict } from '../core/imports/import-store.js'
import type { LinkSource } from '../core/imports/imported-link.js'
import type { Closable } from '../lib/closing.js'
import { csvRow } from '../lib/csv.js'
import { OperatorError } from '../lib/operator-error.js'

const resultHeader = 'row,outcome,source,link,long_url,reason'

export interface ResultFile extends Closable {
  add(result: RowResult): Promise<void>
}

/** Opened before anything is imported, so that a wrong path costs nothing. */
export async function resultFile(
  path: string | undefined,
  place: string,
  domains: Domains,
): Promise<ResultFile | undefined> {
  if (path === undefined) return undefined
  const failed = ({ message }: Error) => {
    throw new OperatorError(`Cannot write the result file ${path}: ${message}.`)
  }
  if (await isSameFile(resolve(path), place)) failed(new Error('it is the file that is imported'))
  const file = await open(resolve(path), 'w', 0o600).catch(failed)
  const stream = file.createWriteStream()
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  stream.write(`${resultHeader}\n`)
  return {
    async add({ row, outcome, from, address, longUrl, reason }) {
      const cells = [row, outcome, from, address === undefined ? '' : domains.shown(address), longUrl, reason]
      if (failure) failed(failure)
      if (!stream.write(csvRow(cells))) await once(stream, 'drain')
    },
    async close() {
      if (stream.closed) return
      stream.end()
      await finished(stream).catch(failed)
    },
  }
}

async function isSameFile(path: string, place: string): Promise<boolean> {
  const [result, source] = await Promise.all([path, place].map((each) => stat(each).catch(() => undefined)))
  return result !== undefined && source !== undefined && result.ino === source.ino && result.dev === source.dev
}

const headings: Readonly<Record<RowOutcome, string>> = {
  new: 'New',
  same: 'Imported before',
  renamed: 'Imported under another back-half',
  replaced: 'Replaced what was there',
  conflict: 'Not imported, because the back-half is taken',
  invalid: 'Not imported, because they cannot be links here',
}

interface SummaryOptions {
  readonly dryRun: boolean
  readonly domains: Domains
  readonly onConflict: OnConflict
}

export function summary(
  source: LinkSource,
  { rows, by, examples, remarks }: LinkCounts,
  clicks: ClickCounts | undefined,
  { dryRun, domains, onConflict }: SummaryOptions,
): readonly string[] {
  const counted = outcomes.filter((outcome) => by[outcome] > 0)
  // A dry run shows everything; after an import only what needs attention.
  const listed = dryRun ? counted : counted.filter((outcome) => !['new', 'same'].includes(outcome))
  return [
    `${rows} links were read${dryRun ? '; nothing was written (--dry-run)' : ''}.`,
    ...counted.map((outcome) => `  ${headings[outcome]}: ${by[outcome]}`),
    ...listed.flatMap((outcome) => exampleLines(headings[outcome], by[outcome], examples[outcome], domains)),
    ...exampleLines('Imported, but not as they are in the source', remarks.count, remarks.examples, domains),
    ...(by.conflict > 0 && onConflict === 'skip'
      ? ['Use --on-conflict rename or replace to import the ones whose back-half is taken.']
      : []),
    ...clickLines(source, clicks),
  ]
}

function exampleLines(
  heading: string,
  count: number,
  examples: readonly RowResult[],
  domains: Domains,
): readonly string[] {
  if (count === 0) return []
  const title = count > examples.length ? `${heading}, the first ${examples.length} of ${count}:` : `${heading}:`
  return [title, ...examples.map((result) => `  ${exampleLine(result, domains)}`)]
}

function exampleLine({ row, from, address, reason }: RowResult, domains: Domains): string {
  const target = address === undefined ? '' : ` -> ${domains.shown(address)}`
  return `row ${row}: ${from}${target}${reason === '' ? '' : `: ${reason}`}`
}

function clickLines({ detail }: LinkSource, clicks: ClickCounts | undefined): readonly string[] {
  if (!clicks) return []
  const { imported, before, unknown, future } = clicks
  return [
    `Imported ${imported} clicks (${detail}).`,
    ...(before > 0 ? [`${before} clicks had been imported before and were not counted again.`] : []),
    ...(unknown > 0 ? [`${unknown} clicks belong to links that were not imported.`] : []),
    ...(future > 0 ? [`${future} clicks are dated in the future and were not imported.`] : []),
  ]
}

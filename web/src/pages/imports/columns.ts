/** What the columns of a file mean. */
import { importTexts } from '../../texts/import.js'
import { isUrl } from '../create/is-url.js'
import type { Action } from './queries.js'
import type { FileTable } from './read-table.js'

/** The first one is required. */
export const fields: Readonly<Record<Action, readonly string[]>> = {
  create: [
    'long_url',
    'keyword',
    'title',
    'note',
    'tags',
    'domain',
    'expiration_at',
    'private',
    'force_new_link',
    'group_guid',
  ],
  edit: ['link', 'long_url', 'title', 'tags', 'archived', 'clear'],
}

/** A field for each column, or nothing. */
export type Columns = readonly string[]

const otherNames: Readonly<Record<string, RegExp>> = {
  keyword: /^(back_?half|slug|alias|kurzname)$/,
  title: /^(name|titel)$/,
  tags: /^(labels?|schlagw[oö]rter)$/,
}

/** As somebody chose them for these headers, or else by their names. The destination is where a URL is. */
export function columnsOf(action: Action, { header, rows }: FileTable): Columns {
  const remembered = header.length > 0 ? read()[keyOf(action, header)] : undefined
  if (remembered) return remembered
  const width = Math.max(header.length, rows[0]?.length ?? 0)
  const columns = Array.from({ length: width }, () => '')
  const place = (field: string, at: number) => {
    if (at >= 0 && !columns[at] && !columns.includes(field)) columns[at] = field
  }
  const names = header.map(plain)
  for (const field of fields[action]) place(field, names.indexOf(field))
  for (const field of fields[action])
    place(
      field,
      names.findIndex((name) => otherNames[field]?.test(name)),
    )
  place(
    fields[action][0] ?? '',
    columns.findIndex((field, at) => !field && isUrl(rows[0]?.[at] ?? '')),
  )
  return columns
}

/** The header that the service reads. Columns without a field keep their name, unless it is one of a field. */
export function headerOf(action: Action, header: readonly string[], columns: Columns): readonly string[] {
  return columns.map((field, at) => {
    const name = header[at] ?? ''
    return field || (name === '' || fields[action].includes(plain(name)) ? `unused ${at + 1}` : name)
  })
}

/** What the service would refuse, as far as the file shows it. */
export function problemsOf(action: Action, { header, rows }: FileTable, columns: Columns): readonly string[] {
  const words = importTexts.problems
  const used = new Set<string>()
  return rows.map((row) => {
    const cell = (field: string) => row[columns.indexOf(field)]?.trim() ?? ''
    const address = `${cell('domain')}/${cell('keyword')}`.toLowerCase()
    const isTwice = cell('keyword') !== '' && used.has(address)
    used.add(address)
    if (header.length > 0 && row.length > header.length) return words.cells
    if (action === 'edit' && columns.includes('link') && cell('link') === '') return words.noLink
    if (columns.includes('long_url') && !isUrl(cell('long_url')) && (action === 'create' || cell('long_url') !== '')) {
      return cell('long_url') === '' ? words.noUrl : words.url
    }
    return isTwice ? words.twice : ''
  })
}

const storageKey = 'shortlink-columns'
const maxRemembered = 20

export function rememberColumns(action: Action, header: readonly string[], columns: Columns): void {
  const key = keyOf(action, header)
  const others = Object.entries(read()).filter(([each]) => each !== key)
  const kept = [[key, columns], ...others].slice(0, maxRemembered)
  localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(kept)))
}

function read(): Readonly<Record<string, Columns>> {
  return JSON.parse(localStorage.getItem(storageKey) ?? '{}')
}

function keyOf(action: Action, header: readonly string[]): string {
  return [action, ...header.map(plain)].join('|')
}

/** As the service compares headers: `Long URL` is `long_url`. */
function plain(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}

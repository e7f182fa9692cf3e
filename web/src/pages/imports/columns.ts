/** What the columns of a file mean. */

import { isUrl } from '../../parts/is-url.js'
import type { ImportTexts } from '../../texts/import.js'
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
    'forward_query',
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
  if (Array.isArray(remembered) && remembered.length === header.length) {
    return remembered.map((field, at) =>
      fields[action].includes(field) && remembered.indexOf(field) === at ? field : '',
    )
  }
  const columns = (header.length > 0 ? header : (rows[0] ?? [])).map(() => '')
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
    columns.findIndex((field, at) => !field && isUrl(rows[0]?.[at]?.trim() ?? '')),
  )
  return columns
}

/**
 * The header that the service needs; nothing if it reads the one of the file as it is. Columns without a field keep their
 * name, unless it is one of a field or of a column before.
 */
export function newHeader(action: Action, header: readonly string[], columns: Columns): readonly string[] | undefined {
  const used = new Set(fields[action])
  const names = columns.map((field, at) => {
    const name = header[at]
    const key = plain(name ?? '')
    const isFree = name !== undefined && !used.has(key)
    if (key !== '') used.add(key)
    return field || (isFree ? name : `unused ${at + 1}`)
  })
  return names.every((name, at) => plain(name) === plain(header[at] ?? '')) ? undefined : names
}

type Problem = keyof ImportTexts['problems']

/** What the service would refuse, as far as the file shows it. `strict`: also a back-half that is taken. */
export function problemsOf(
  action: Action,
  { rows }: Pick<FileTable, 'rows'>,
  columns: Columns,
  strict: boolean,
): readonly (Problem | undefined)[] {
  const used = new Set<string>()
  return rows.map((row) => {
    const cell = (field: string) => row[columns.indexOf(field)]?.trim() ?? ''
    if (row.findLastIndex((text) => text !== '') >= columns.length) return 'cells'
    if (action === 'edit' && columns.includes('link') && cell('link') === '') return 'noLink'
    if (columns.includes('long_url') && !isUrl(cell('long_url')) && (action === 'create' || cell('long_url') !== '')) {
      return cell('long_url') === '' ? 'noUrl' : 'url'
    }
    const keyword = cell('keyword')
    const address = `${cell('domain').toLowerCase()}/${keyword}`
    const isTwice = strict && keyword !== '' && used.has(address)
    used.add(address)
    return isTwice ? 'twice' : undefined
  })
}

const storageKey = 'shortlink-columns'
const maxRemembered = 20

/** A browser that stores nothing, or has no room, remembers none. */
export function rememberColumns(action: Action, header: readonly string[], columns: Columns): void {
  const key = keyOf(action, header)
  const others = Object.entries(read()).filter(([each]) => each !== key)
  const kept = [[key, columns], ...others].slice(0, maxRemembered)
  try {
    localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(kept)))
  } catch {}
}

/** Whatever is stored there. */
function read(): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') ?? {}
  } catch {
    return {}
  }
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

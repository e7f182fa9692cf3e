/**
 * A page that was made elsewhere, read in the browser: an HTML file of it (its scripts are not run), or an export as JSON or
 * CSV. Linktree and LinkStack are known; of any other page the links are taken.
 */
import { csvRows } from '../../parts/csv.js'
import { withScheme } from '../../parts/with-scheme.js'
import { type Channel, channelOf } from './channels.js'

export interface ImportedPage {
  readonly name: string
  readonly description: string
  readonly items: readonly ImportedItem[]
}

export interface ImportedItem {
  readonly type: 'shortlink' | 'social' | 'text_block'
  /** The text of a text block. */
  readonly title: string
  readonly url: string
  /** Of a social icon. */
  readonly channel?: Channel
  /** Why it cannot be taken over. */
  readonly problem?: 'no-url' | 'not-safe' | 'twice'
}

/** Of one file; the rest is not read. */
export const maxItems = 200

/** Undefined when nothing is found in it. */
export function readPage(text: string, parse: (html: string) => Document = parseHtml): ImportedPage | undefined {
  const found = readJson(text) ?? (/^\s*</.test(text) ? readHtml(parse(text)) : readCsv(text))
  if (!found || found.items.length === 0) return undefined
  const items = withProblems(found.items.slice(0, maxItems)).map((item) => ({
    ...item,
    title: item.type === 'text_block' ? linesOf(item.title, 5000) : lineOf(item.title),
  }))
  return { name: lineOf(found.name), description: linesOf(found.description, 2000), items }
}

/** As the service takes it: without line breaks and control characters. */
function lineOf(text: string): string {
  return shortened(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), 255)
}

function linesOf(text: string, most: number): string {
  return shortened(text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, ''), most)
}

/** By characters, so that no half of one is left. */
function shortened(text: string, most: number): string {
  return [...text.replaceAll(/\p{Cs}/gu, '').trim()].slice(0, most).join('').trim()
}

/** The document is never shown: nothing in it is loaded or run. */
function parseHtml(html: string): Document {
  return new DOMParser().parseFromString(html, 'text/html')
}

function readHtml(page: Document): ImportedPage | undefined {
  const data = readJson(page.querySelector('script#__NEXT_DATA__')?.textContent ?? '')
  if (data && data.items.length > 0) return data
  const meta = (name: string) =>
    page.querySelector(`meta[property="og:${name}"], meta[name="${name}"]`)?.getAttribute('content')?.trim() ?? ''
  const textOf = (element: Element | null) => element?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? ''
  const anchors = [...page.querySelectorAll('a[href]')]
    .filter((anchor) => /^(https?|mailto|tel|sms|javascript|data):/i.test(anchor.getAttribute('href') ?? ''))
    .filter((anchor) => !anchor.closest('footer'))
  const items = anchors.map((anchor) => {
    const label = anchor.getAttribute('aria-label') ?? anchor.getAttribute('title') ?? ''
    return itemOf(textOf(anchor), anchor.getAttribute('href') ?? '', label)
  })
  return { name: textOf(page.querySelector('h1')) || meta('title'), description: meta('description'), items }
}

/** A link without words is an icon. */
function itemOf(title: string, url: string, label = ''): ImportedItem {
  const channel = channelOf(url)
  if (title === '' && channel !== 'website') return { type: 'social', title: '', url, channel }
  return { type: 'shortlink', title: title || label, url }
}

function readJson(text: string): ImportedPage | undefined {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return undefined
  }
  const account = within(data, ['props', 'pageProps', 'account']) ?? within(data, ['account']) ?? data
  const lists = Array.isArray(account) ? [account] : ['links', 'socialLinks'].map((name) => within(account, [name]))
  const [links = [], icons = []] = lists.map((list) => (Array.isArray(list) ? list : []))
  const said = (...names: readonly string[]) => textIn(account, names)
  return {
    name: said('pageTitle', 'display_name', 'name', 'littlelink_name', 'username'),
    description: said('description', 'littlelink_description', 'bio')
      .replaceAll(/<[^>]*>/g, ' ')
      .trim(),
    items: [...links.map(jsonItem), ...icons.map(jsonIcon)],
  }
}

function jsonItem(link: unknown): ImportedItem {
  const title = textIn(link, ['title', 'name', 'label', 'text'])
  const url = textIn(link, ['url', 'link', 'href'])
  const isText = url === '' && /^(header|heading|text|divider)/i.test(textIn(link, ['type', 'button_id', 'kind']))
  return isText ? { type: 'text_block', title, url } : itemOf(title, url)
}

function jsonIcon(link: unknown): ImportedItem {
  const url = textIn(link, ['url', 'link', 'href'])
  return { type: 'social', title: '', url, channel: channelOf(url) }
}

/** The columns `title` and `url`, in any order; else the first two. */
function readCsv(text: string): ImportedPage | undefined {
  const rows = csvLines(text)
  const [first = []] = rows
  const isHeader = !first.some((cell) => /^(https?|mailto|tel|sms):/i.test(cell.trim()))
  const names = first.map((cell) => cell.trim().toLowerCase())
  const column = (words: readonly string[]) => (isHeader ? names.findIndex((name) => words.includes(name)) : -1)
  const urlAt = isHeader ? column(['url', 'link', 'href', 'address', 'long_url']) : firstUrl(first)
  if (urlAt === -1) return undefined
  const named = column(['title', 'name', 'label', 'text'])
  const titleAt = named === -1 ? Number(urlAt === 0) : named
  const items = rows
    .slice(isHeader ? 1 : 0)
    .map((cells) => itemOf((cells[titleAt] ?? '').trim(), (cells[urlAt] ?? '').trim()))
  return { name: '', description: '', items }
}

function firstUrl(cells: readonly string[]): number {
  return cells.findIndex((cell) => /^(https?|mailto|tel|sms):/i.test(cell.trim()))
}

function csvLines(text: string): readonly (readonly string[])[] {
  const separator = /^[^\n]*;/.test(text) && !/^[^\n]*,/.test(text) ? ';' : ','
  try {
    return csvRows(text, separator, maxItems + 1).map(({ cells }) => cells)
  } catch {
    return []
  }
}

function withProblems(items: readonly ImportedItem[]): readonly ImportedItem[] {
  const seen = new Set<string>()
  return items.map((item) => {
    if (item.type === 'text_block') return item
    const url = item.url === '' ? '' : withScheme(item.url)
    const isTwice = seen.has(url)
    seen.add(url)
    if (url === '') return { ...item, problem: 'no-url' }
    if (!/^(https?:\/\/[^/\s]+\.[^/\s]+|(mailto|tel|sms):[^\s])/i.test(url)) return { ...item, problem: 'not-safe' }
    return { ...item, url, ...(isTwice && { problem: 'twice' }) }
  })
}

function within(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), data)
}

function textIn(data: unknown, names: readonly string[]): string {
  if (!isRecord(data)) return ''
  const found = names.map((name) => data[name]).find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof found === 'string' ? found.trim() : ''
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

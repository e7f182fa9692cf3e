/** Finds the icons that an HTML page names. Pure; does not build a document. */
import { parseUrl } from '../../lib/parse-url.js'
import { decodeEntities } from './read-title.js'

/** The icons that the head of a page names, the ones nearest to the wanted size first. */
export function iconsNamed(html: string, pageUrl: string): readonly string[] {
  const found: { readonly href: string; readonly size: number }[] = []
  const start = /<(?:!--|link\s|body[\s>]|script[\s>])/gi
  for (let match = start.exec(html); match; match = start.exec(html)) {
    const [name] = match
    if (/^<body/i.test(name)) break
    const end = html.indexOf(name === '<!--' ? '-->' : /^<script/i.test(name) ? '</' : '>', match.index)
    if (end === -1) break
    start.lastIndex = end
    if (!/^<link/i.test(name)) continue
    const attributes = attributesIn(html.slice(match.index, Math.min(end, match.index + maxTagLength)))
    const href = parseUrl(decodeEntities(attributes.get('href') ?? ''), pageUrl)
    const size = sizeOf(attributes)
    if (size !== undefined && href && /^https?:$/.test(href.protocol)) found.push({ href: href.href, size })
  }
  return found.sort((a, b) => Math.abs(a.size - wantedSize) - Math.abs(b.size - wantedSize)).map(({ href }) => href)
}

const maxTagLength = 2048
const wantedSize = 64

function attributesIn(tag: string): ReadonlyMap<string, string> {
  const attribute = /\s(rel|href|sizes|type)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
  return new Map(
    [...tag.matchAll(attribute)].map(([, name = '', ...values]) => [
      name.toLowerCase(),
      values.find((value) => value !== undefined) ?? '',
    ]),
  )
}

/** In pixels, as said or usual; undefined if it is no icon. */
function sizeOf(attributes: ReadonlyMap<string, string>): number | undefined {
  const rel = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/)
  const isTouchIcon = rel.some((each) => each.startsWith('apple-touch-icon'))
  if (!isTouchIcon && !rel.includes('icon')) return undefined
  if (attributes.get('type') === 'image/svg+xml' || attributes.get('sizes') === 'any') return wantedSize
  return Number.parseInt(attributes.get('sizes') ?? '', 10) || (isTouchIcon ? 180 : 16)
}

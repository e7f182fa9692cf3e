/** UTM parameters in the query of a URL. The rest of the URL stays as it was typed. */
export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const
type UtmName = (typeof utmNames)[number]
export type Utm = Partial<Record<UtmName, string>>

export function readUtm(url: string): Utm {
  const { query } = partsOf(url)
  const values = new URLSearchParams(query)
  return Object.fromEntries(
    utmNames.flatMap((name) => (values.has(keyOf(name)) ? [[name, values.get(keyOf(name))]] : [])),
  )
}

/** Sets the given parameters; an empty one is removed. */
export function withUtm(url: string, changes: Utm): string {
  const { base, query, fragment } = partsOf(url)
  const changed = new Set(Object.keys(changes).map((name) => keyOf(name as UtmName)))
  const kept = query.split('&').filter((part) => part !== '' && !changed.has(part.split('=', 1)[0] ?? ''))
  const set = utmNames.flatMap((name) => {
    const value = changes[name]?.trim()
    return value ? [`${keyOf(name)}=${encodeURIComponent(value)}`] : []
  })
  const all = [...kept, ...set].join('&')
  return `${base}${all && '?'}${all}${fragment}`
}

function keyOf(name: UtmName): string {
  return `utm_${name}`
}

function partsOf(url: string): { base: string; query: string; fragment: string } {
  const [, base = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  return { base, query, fragment }
}

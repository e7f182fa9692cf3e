/**
 * A value as JSON with the fields of objects in order: some clients send them in another order each time. Without
 * recursion, unlike JSON.stringify: a body may be nested millions of levels deep. Given in pieces, since it may be long.
 */
export function* sortedJson(body: unknown): Generator<string> {
  const levels: Level[] = []
  let text = begin(levels, body)
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    if (level.at === level.values.length) {
      text += level.names ? '}' : ']'
      levels.pop()
    } else {
      if (level.at > 0) text += ','
      if (level.names) text += `${JSON.stringify(level.names[level.at])}:`
      text += begin(levels, level.values[level.at++])
    }
    if (text.length < pieceLength) continue
    yield text
    text = ''
  }
  yield text
}

const pieceLength = 16 * 1024

/** An object or array that is being written. */
interface Level {
  /** Undefined for an array. */
  readonly names: readonly string[] | undefined
  readonly values: readonly unknown[]
  at: number
}

/** The text of a value, or the beginning of that of an object or array, whose level is added. */
function begin(levels: Level[], value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  // A body of CSV is hashed by its own JSON form.
  if ('toJSON' in value && typeof value.toJSON === 'function') return begin(levels, value.toJSON())
  if (Array.isArray(value)) {
    levels.push({ names: undefined, values: value, at: 0 })
    return '['
  }
  const fields = value as Readonly<Record<string, unknown>>
  const names = Object.keys(fields).sort()
  levels.push({ names, values: names.map((name) => fields[name]), at: 0 })
  return '{'
}

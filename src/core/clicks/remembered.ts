import { RecentMap } from '../../lib/recent-map.js'

/** Longer strings than this are rare and hostile: worked out each time, so that they cannot fill the memory. */
const longest = 512

/**
 * `work` with a memory of at most `size` recent answers. Keys are copied first: a string cut out of a larger one keeps
 * the larger one alive for as long as it is remembered. Two steps that ask about the same click get the last answer
 * again without a look-up.
 */
export function remembered<T extends object>(size: number, work: (text: string) => T): (text: string) => T {
  const known = new RecentMap<string, T>(size)
  let last: { text: string; answer: T } | undefined

  function find(text: string): T {
    if (text.length > longest) return work(text)
    const answer = known.get(text)
    if (answer) return answer
    const key = Buffer.from(text).toString()
    const fresh = work(key)
    known.set(key, fresh)
    return fresh
  }

  return (text) => {
    if (last?.text === text) return last.answer
    const answer = find(text)
    if (last) {
      last.text = text
      last.answer = answer
    } else last = { text, answer }
    return answer
  }
}

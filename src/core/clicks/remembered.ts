import { RecentMap } from '../../lib/recent-map.js'

/** Longer strings than this are rare and hostile: worked out each time, so that they cannot fill the memory. */
const longest = 512

/**
 * `work` with a memory of at most `size` recent answers. Two steps that ask about the same click get the last answer
 * again without a look-up. Texts must be strings of their own, as those are that come out of JSON or the head of a
 * request: one cut out of a larger string would keep all of it alive.
 */
export function remembered<T extends object>(size: number, work: (text: string) => T): (text: string) => T {
  const known = new RecentMap<string, T>(size)
  let last: { text: string; answer: T } | undefined

  function find(text: string): T {
    if (text.length > longest) return work(text)
    const answer = known.get(text)
    if (answer) return answer
    const fresh = work(text)
    known.set(text, fresh)
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

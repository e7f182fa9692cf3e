import { stolenShare, stolenTime } from './processor-time.mjs'

/** Of the processor time of a round. */
const mostStolen = 0.02

/**
 * Measures contestants in turns, in several rounds, so that a slow minute of the machine affects all of them; the
 * first one changes with every round. A contestant returns an object of figures. A ratio is the median of the rounds'
 * ratios, not of figures taken minutes apart. Repeats disturbed rounds, at most as many again, and keeps the calmest.
 */
export async function rounds(count, contestants, say) {
  const names = Object.keys(contestants)
  const turns = []
  const calm = () => turns.filter(({ stolen }) => stolen <= mostStolen).length
  while (calm() < count && turns.length < 2 * count) {
    const before = stolenTime()
    const round = {}
    for (const name of turns.length % 2 ? names.toReversed() : names) round[name] = await contestants[name]()
    const stolen = stolenShare(before, stolenTime())
    turns.push({ round, stolen })
    const taken = stolen > mostStolen ? `; not counted if another is better: ${inPercent(stolen)} stolen` : ''
    say(
      `round ${turns.length} of ${count}: ${names.map((name) => `${name} ${inWords(round[name])}`).join('; ')}${taken}`,
    )
  }
  const kept = turns.toSorted((one, other) => one.stolen - other.stolen).slice(0, count)
  const worst = kept.at(-1)?.stolen ?? 0
  if (worst > mostStolen) say(`the host took up to ${inPercent(worst)} of the processor: do not trust the throughput`)
  const measured = Object.fromEntries(names.map((name) => [name, kept.map(({ round }) => round[name])]))
  const figures = (name, key = 'perSecond') =>
    measured[name].map((round) => round[key]).filter((figure) => figure !== undefined)
  return {
    /** The median with its spread, to spread into a row: { figure, spread, rounds }. */
    of: (name, key) => summary(figures(name, key)),
    ratio: (name, base, key) => summary(figures(name, key).map((figure, round) => figure / figures(base, key)[round])),
    /** Whether all of these contestants reported this figure in every round. */
    has: (key, ...of) => of.every((name) => figures(name, key).length === count),
  }
}

function inPercent(share) {
  return `${(share * 100).toFixed(1)} %`
}

function inWords({ perSecond, p99, http, whole }) {
  const parts = [
    perSecond && `${Math.round(perSecond)}/s`,
    p99 && `p99 ${p99.toFixed(1)} ms`,
    http && `HTTP thread ${http.toFixed(1)} us`,
    whole && `process ${whole.toFixed(1)} us`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** The median and the spread: the lowest and the highest round. */
export function summary(figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  return { figure: median(sorted), spread: [sorted[0], sorted.at(-1)], rounds: figures }
}

export function median(figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** The rows of one contestant: throughput with its goal, as a ratio to the bare server, then its cost. */
export function rowsAgainstBare(what, unit, measured, goal) {
  const ratio = measured.ratio('shortlink', 'bare').figure
  return [
    { what, ...measured.of('shortlink'), unit, ratio, goal: `>= ${goal} of bare`, met: ratio >= goal },
    ...costRows(what, measured, 'shortlink', 'bare'),
  ]
}

export const costs = [
  { key: 'p99', words: 'p99', unit: 'ms' },
  { key: 'http', words: 'processor time of the HTTP thread', unit: 'us each' },
  { key: 'whole', words: 'processor time of the process', unit: 'us each' },
]

/** The cost of a response, beside that of the baseline. */
function costRows(what, measured, name, base) {
  return costs
    .filter(({ key }) => measured.has(key, name, base))
    .map(({ key, words, unit }) => ({
      what: `${what}: ${words}`,
      ...measured.of(name, key),
      unit,
      ratio: measured.ratio(name, base, key).figure,
    }))
}

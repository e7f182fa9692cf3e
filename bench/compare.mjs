// Measures two builds of shortlink in turns. A case's `open` starts one build and names its tasks; every round
// measures both builds. The ratio is the median of the rounds' ratios; the ratio of the best rounds is printed beside
// it.
import { join } from 'node:path'
import { costs, rounds } from './rounds.mjs'
import { ownBuild } from './servers.mjs'
import { format, formatSpread, table } from './table.mjs'

const figures = [{ key: 'perSecond', words: 'throughput', unit: '/s' }, ...costs]

/** Rows of { case, what, unit, these, others, ratio }, each of the last three with its spread and all rounds. */
export async function compare(name, open, other, { directory, count, seconds, say }) {
  const these = await open({ directory: join(directory, 'these'), build: ownBuild, seconds, say })
  const others = await open({ directory: join(directory, 'others'), build: other, seconds, say })
  const rows = []
  try {
    for (const what of Object.keys(these.tasks)) {
      say(what)
      const contestants = { these: these.tasks[what], others: others.tasks[what] }
      for (const warmUp of Object.values(contestants)) await warmUp()
      const measured = await rounds(count, contestants, say)
      for (const { key, words, unit } of figures) {
        if (!measured.has(key, 'these', 'others')) continue
        const row = { these: measured.of('these', key), others: measured.of('others', key) }
        rows.push({
          case: name,
          what: `${what}: ${words}`,
          unit,
          ...row,
          ratio: measured.ratio('these', 'others', key),
        })
      }
    }
  } finally {
    await Promise.all([these.stop(), others.stop()])
  }
  return rows
}

export function comparisonTable(rows) {
  return table([
    ['case', 'what', 'this build', 'spread', 'other build', 'spread', 'ratio', 'spread', 'best rounds'],
    ...rows.map(({ case: name, what, unit, these, others, ratio }) => [
      name,
      what,
      `${format(these.figure)} ${unit}`,
      formatSpread(these.spread),
      `${format(others.figure)} ${unit}`,
      formatSpread(others.spread),
      ratio.figure.toFixed(3),
      ratio.spread.map((figure) => figure.toFixed(3)).join(' to '),
      (best(these.spread, unit) / best(others.spread, unit)).toFixed(3),
    ]),
  ])
}

/** Other work on the machine only makes a round worse. */
function best([lowest, highest], unit) {
  return unit === '/s' ? highest : lowest
}

// What a run in several parts ends with. TEST_FIGURES names a file in which each part leaves its figures, one JSON object
// per line. `node test/support/figures.mjs` tells their sum: what failed, what passed only when it was tried again, what was
// skipped and why, and one line that people and CI read.
import { appendFileSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Into the file when there are several parts; otherwise it is told at once. */
export function leave(figures) {
  if (process.env.TEST_FIGURES) appendFileSync(process.env.TEST_FIGURES, `${JSON.stringify(figures)}\n`)
  else tell([figures])
}

function tell(parts) {
  const failures = parts.flatMap(({ failures = [] }) => failures)
  const skips = parts.flatMap(({ skips = {} }) => Object.entries(skips))
  print('Failed:', [...new Set(failures)])
  print(
    'Passed only when tried again:',
    parts.flatMap(({ retried = [] }) => retried),
  )
  print(
    'Skipped:',
    skips.map(([place, tests]) => `${tests} in ${place}`),
  )
  const sum = (name) => parts.reduce((total, part) => total + (part[name] ?? 0), 0)
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
}

function print(title, lines) {
  if (lines.length > 0) console.log(`\n${title}`)
  for (const line of lines) console.log(`  ${line}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = readFileSync(process.env.TEST_FIGURES, 'utf8').split('\n').filter(Boolean)
  tell(lines.map((line) => JSON.parse(line)))
}

// npm run bench [-- case ...]: measures the built service beside baselines on this machine, in one run, in turns.
// These machines are noisy: what counts are the ratios, not the absolute figures.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { drain } from './cases/drain.mjs'
import { metrics } from './cases/metrics.mjs'
import { redirect } from './cases/redirect.mjs'
import { scale } from './cases/scale.mjs'
import { shorten } from './cases/shorten.mjs'
import { stream } from './cases/stream.mjs'
import { tool } from './load.mjs'

const cases = { redirect, shorten, drain, scale, metrics, stream }

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in cases))
if (unknown.length > 0) {
  console.error(`There is no bench case "${unknown.join('", "')}". There are: ${Object.keys(cases).join(', ')}.`)
  process.exit(2)
}

const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${tool}`
console.log(`Machine: ${machine}\n`)
const directory = mkdtempSync(join(tmpdir(), 'shortlink-bench-'))
const rows = []
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(cases)) {
    const measured = await cases[name]({
      directory: join(directory, name),
      say: (text) => console.error(`[${name}] ${text}`),
    })
    rows.push(...measured.map((row) => ({ case: name, ...row })))
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}

console.log(table(rows))
const results = new URL('./results/', import.meta.url)
mkdirSync(results, { recursive: true })
const date = new Date().toISOString().slice(0, 10)
writeFileSync(new URL(`${date}.json`, results), `${JSON.stringify({ date, machine, rows }, undefined, 2)}\n`)

/** Row: { what, figure, unit, ratio?, goal? }; a goal is text with the figure or ratio that was hoped for. */
function table(rows) {
  const cells = rows.map((row) => [
    row.case,
    row.what,
    `${format(row.figure)} ${row.unit}`,
    row.ratio === undefined ? '' : row.ratio.toFixed(2),
    row.goal ?? '',
    row.met === undefined ? '' : row.met ? 'yes' : 'NO',
  ])
  const all = [['case', 'what', 'median', 'ratio', 'goal', 'met'], ...cells]
  const widths = all[0].map((_, column) => Math.max(...all.map((line) => line[column].length)))
  const lines = all.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  return lines.join('\n')
}

function format(figure) {
  return figure.toLocaleString('en-US', { maximumFractionDigits: figure < 10 ? 2 : 0 })
}

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { cases, long } from '../../bench/cases.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The dashboard is measured in a browser, as test/dashboard uses it: the longest start of all. */
const tried = [...cases, ...long].filter((name) => name !== 'dashboard')

it.for(tried)('the bench case %s works: every row has a figure', { timeout: 600_000 }, (name, context) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/run.mjs', name, '--brief'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  const [, reason] = new RegExp(`^\\[${name}\\] skipped, (.*)$`, 'm').exec(stderr) ?? []
  if (reason) context.skip(reason)
  const rows = stdout.split('\n').filter((line) => line.startsWith(`${name} `))
  expect(rows).not.toEqual([])
  for (const row of rows) expect(row).toMatch(/ {2}-?\d[\d.,]*/)
})

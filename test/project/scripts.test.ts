import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Files that others import and nobody starts. */
const modules = ['scripts/arguments.mjs', 'scripts/build-options.mjs']
/** What the bench starts, beside the bench itself; its other files are modules. */
const children = ['bench/bare-server.mjs', 'bench/stream-consumer.mjs', 'bench/stream-visitors.mjs']
const files = readdirSync(`${root}/scripts`, { withFileTypes: true }).filter((entry) => entry.isFile())
const scripts = files.map(({ name }) => `scripts/${name}`)
const programs = ['bench/run.mjs', 'bench/speed.mjs', ...children, ...scripts.filter((file) => !modules.includes(file))]

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 20_000 })
  return { status, stdout, stderr }
}

describe.each(programs)('%s', (program) => {
  it('answers --help with how it is called, and does nothing else', () => {
    const { status, stdout, stderr } = run(program, '--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: (npm run |node )/)
  })

  it('refuses an option that it does not know in one sentence', () => {
    const { status, stdout, stderr } = run(program, '--nonsense')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^Unknown (option|flag) '?--nonsense'?\.\n/)
    expect(stderr).not.toContain('    at ')
  })
})

it.each([
  ['bench/run.mjs', 'nonsense'],
  ['bench/run.mjs', '--rounds', 'many'],
  ['bench/run.mjs', '--against'],
  ['scripts/build.mjs', 'nonsense'],
  ['scripts/chaos.mjs', '--minutes', 'many'],
  ['scripts/chaos.mjs', '--seed', 'x'],
  ['scripts/fuzz.mjs', 'mysql'],
  ['scripts/fuzz.mjs', '--seed', 'x'],
  ['scripts/node-versions.mjs', '18.x'],
  ['scripts/release-data.mjs', 'only-one'],
])('%s refuses %s %s', (...args) => {
  const { status, stdout, stderr } = run(...args.filter((arg) => arg !== undefined))
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^[A-Z"-].*\.\n/)
  expect(stderr).not.toContain('    at ')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServiceProcess, startProcess } from '../support/start-process.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

let dataDir: string
let service: ServiceProcess
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-tour-'))
  service = await startProcess(dataDir)
}, 120_000)
afterAll(async () => {
  await service.stop('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
})

it('the tour of the README can be pasted', { timeout: 120_000 }, async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const tour = readme.slice(readme.indexOf('## A tour'), readme.indexOf('## Where to read next'))
  const [links = '', numbers = '', commands = ''] = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, block]) => block,
  )
  // In place of the second that a reader takes: a loaded machine may need longer.
  const counted = `until curl -s "$SERVICE/readyz" | grep -q '"backlogRows":0'; do sleep 0.1; done\n`
  const script = [links, counted, numbers, commands]
    .join('\n')
    .replaceAll('localhost:8080', new URL(service.url).host.replace('127.0.0.1', 'localhost'))

  const child = spawn('bash', ['-e', '-o', 'pipefail'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SHORTLINK_DATA_DIR: dataDir },
  })
  child.stdin.end(script)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringMatching(/error|curl:/i) })
  const said = [
    /"long_url":"https:\/\/example\.com\/hello"/,
    /^HTTP\/1\.1 301 [\s\S]*?^Location: https:\/\/example\.com\/hello\r$/m,
    /^https:\/\/example\.com\/hello<\/dd>$/m,
    /"long_url":"https:\/\/example\.com\/spring"/,
    /^Location: https:\/\/example\.com\/spring\r$/m,
    /"total_clicks":1\b/,
    /"link_clicks":\[\{/,
    /^Country, Clicks$/m,
    /^User anna was created/m,
    /^Token t\w{10} of anna\./m,
    /^Domain go\.example\.com was added/m,
    /^ok +service +It runs and is ready\.$/m,
    /^Usage: shortlink COMMAND/m,
  ]
  for (const line of said) expect(out).toMatch(line)
})

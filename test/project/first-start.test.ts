import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { startProcess } from '../support/start-process.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

let folder: string
let dataDir: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-first-'))
  dataDir = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const generated = 'unset SHORTLINK_ADMIN_TOKEN'
const file = () => join(dataDir, 'first-credentials.txt')
const linesOf = (output: string) => output.split('\n').filter((line) => line !== '')
// biome-ignore lint/suspicious/noExplicitAny: log lines have fields of every kind
const logOf = (output: string): any[] => linesOf(output).map((line) => JSON.parse(line))

/** Runs until it ends by itself. */
async function serveInVain(...flags: string[]): Promise<{ code: number; err: string }> {
  const child = spawn(process.execPath, [main, 'serve', '--data-dir', dataDir, ...flags], { cwd: folder })
  const [, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, err }
}

// Each test starts a process or two, which takes its time on a busy machine.
describe('the first credentials', { timeout: 120_000 }, () => {
  it('are in a file for its owner alone where nobody looks at a terminal; the log is JSON and names the file', async () => {
    const service = await startProcess(dataDir, [], generated)
    const kept = readFileSync(file(), 'utf8')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    const [, token = ''] = /^Access token: +(\w{40})$/m.exec(kept) ?? []
    const [, password = ''] = /^Password: +(\w{20})$/m.exec(kept) ?? []
    const asked = await fetch(`${service.url}/v4/user`, { headers: { authorization: `Bearer ${token}` } })
    expect(asked.status).toBe(200)
    await service.stop('SIGTERM')
    expect(logOf(service.output())).toContainEqual(expect.objectContaining({ login: 'admin', file: file() }))
    expect(service.output()).not.toContain(token)
    expect(service.output()).not.toContain(password)
  })

  const hasScript = spawnSync('script', ['--version']).status === 0
  it.skipIf(!hasScript)('are shown at a terminal, and in no file', async () => {
    const port = await freePort()
    const line = `"${process.execPath}" "${main}" serve --data-dir "${dataDir}" --port ${port}`
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
    let shown = ''
    let stopping = false
    child.stdout.on('data', (chunk) => {
      shown += chunk
      if (!stopping && shown.includes('serving')) stopping = child.stdin.write('\x03')
    })
    await once(child, 'exit')
    expect(shown).toMatch(/Access token: +\w{40}\r?\n/)
    expect(shown).toContain(`shortlink is running at http://localhost:${port}`)
    expect(existsSync(file())).toBe(false)
  })

  it('are not used up by a start whose port is taken', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    const { code, err } = await serveInVain('--port', String(port))
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^Port \d+ .*in use.*--port\.\n$/) })
    expect(existsSync(dataDir)).toBe(false)
    other.close()
    const service = await startProcess(dataDir, [], generated, port)
    await service.stop('SIGTERM')
    expect(readFileSync(file(), 'utf8')).toMatch(/^Access token: +\w{40}$/m)
  })
})

describe('admin options at a later start', { timeout: 120_000 }, () => {
  it('are said to be ignored when they do not say what the service has', async () => {
    const first = await startProcess(dataDir, ['--admin-password', 'correct horse'])
    await first.stop('SIGTERM')
    const warnings = (output: string) => logOf(output).filter(({ level }) => level === 'warn')
    const other = ['--admin-login', 'ada', '--admin-password', 'another horse', '--admin-token', 'd'.repeat(40)]
    const changed = await startProcess(dataDir, other)
    const answer = await fetch(`${changed.url}/v4/user`, { headers: { authorization: `Bearer ${'d'.repeat(40)}` } })
    expect(answer.status).toBe(403)
    await changed.stop('SIGTERM')
    expect(warnings(changed.output())).toMatchObject([
      { options: ['adminLogin', 'adminPassword', 'adminToken'], msg: expect.stringContaining('ignored') },
    ])
  })
})

describe('a service that other machines can reach', { timeout: 120_000 }, () => {
  it('says when its links lead to localhost', async () => {
    const local = await startProcess(dataDir, ['--host', '0.0.0.0'])
    await local.stop('SIGTERM')
    const warned = { level: 'warn', host: '0.0.0.0', msg: expect.stringContaining('--base-url') }
    expect(logOf(local.output())).toContainEqual(expect.objectContaining(warned))
  })
})

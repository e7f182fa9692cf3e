import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { runCommand } from '../support/run-command.js'
import { type ServiceProcess, startProcess } from '../support/start-process.js'

// The shell of a command has none of the flags and variables that the service was started with.
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-running-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function shortlink(...argv: string[]) {
  return runCommand([...argv, '--data-dir', folder], { cwd: folder })
}

describe('commands beside a running service', { timeout: 120_000 }, () => {
  let service: ServiceProcess
  let port: number
  beforeAll(async () => {
    const stream = ['--nsqd-port', String(await freePort())]
    const store = ['--s3-url', 'http://key:secret@127.0.0.1:1/pictures']
    service = await startProcess(folder, ['--base-url', 'https://links.example.com', ...stream, ...store])
    port = Number(new URL(service.url).port)
  })
  afterAll(() => service.stop('SIGTERM'))

  it('print the link of an invitation as the service is reached', async () => {
    const { out, err } = await shortlink('invitation', 'create', 'ada@example.com')
    expect(out).toMatch(/^https:\/\/links\.example\.com\/\S+\n/)
    expect(err).toBe('')
  })

  it('know that the service has a stream', async () => {
    const { out, err } = await shortlink('stream', 'allow', '--login', 'admin')
    expect(out).toBe('Account admin may read the stream. See docs/stream.md.')
    expect(err).toBe('')
  })

  it('print the configuration of the service, and say where this shell differs', async () => {
    const { out, err } = await shortlink('config', '--print')
    expect(out).toMatch(new RegExp(`^port +${port} +flag --port$`, 'm'))
    expect(out).toMatch(/^baseUrl +https:\/\/links\.example\.com +flag --base-url$/m)
    expect(out).toMatch(/^adminToken +\*{8} +environment SHORTLINK_ADMIN_TOKEN$/m)
    expect(err).toContain(`This is the configuration of the running service (process ${service.child.pid}).`)
    expect(err).toMatch(/^The configuration of this shell differs in port, baseUrl, .*see --here\.$/m)
    expect(JSON.parse((await shortlink('config', '--print', '--json')).out).port.value).toBe(String(port))
  })

  it.each([
    [[], /^The running service uses s3Url http:\/\/key:\*+@127\.0\.0\.1:1\/pictures\. Give this command the same/],
    [['--s3-url', 'http://key:secret@127.0.0.1:1/others'], /^The running service uses s3Url .*pictures\./],
    [
      ['--s3-url', 'http://key:secret@127.0.0.1:1/pictures', '--database-url', 'postgres://127.0.0.1:1/other'],
      /^The running service uses no databaseUrl\. Give this command the same options/,
    ],
  ])('copy nothing from other stores than those of the service: %j', async (options, message) => {
    for (const command of ['export', 'backup']) {
      const { code, err } = await shortlink(command, join(folder, 'copy'), ...options)
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) })
    }
  })

  it.each([
    [['import', 'links', 'links.csv'], 'databaseUrl', ['--database-url', 'postgres://127.0.0.1:1/other']],
    [
      ['forget', '--visitor-day', '2026-11-16', '--ip', '192.0.2.1', '--user-agent', 'x'],
      'databaseUrl',
      ['--database-url', 'postgres://127.0.0.1:1/other'],
    ],
    [['repair', 'clicks'], 'clickhouseUrl', ['--clickhouse-url', 'http://127.0.0.1:1/other']],
  ])('work on no other stores than those of the service: %j', async (command, option, flags) => {
    const { code, err } = await shortlink(...command, ...flags)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(`^The running service uses no ${option}\\.`) })
  })

  it('copy the stores of the service also as another user of them', async () => {
    const { code, err } = await shortlink(
      'export',
      join(folder, 'copy'),
      '--s3-url',
      'http://reader:x@127.0.0.1:1/pictures',
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('print the configuration of the shell when asked for it', async () => {
    const { out, err } = await shortlink('config', '--print', '--here')
    expect(out).toMatch(/^port +8080 +default$/m)
    expect(err).toBe('')
  })
})

describe('commands beside a stopped service', { timeout: 120_000 }, () => {
  it('say that they answer from the configuration of the shell', async () => {
    const service = await startProcess(folder, ['--base-url', 'https://links.example.com'])
    await service.stop('SIGTERM')
    const note = `No service runs on ${folder}: using the configuration of this shell.`
    const invited = await shortlink('invitation', 'create', 'bob@example.com', '--json')
    expect(JSON.parse(invited.out).url).toMatch(/^https:\/\/links\.example\.com\//)
    expect(invited.err).toBe(
      `No service runs on ${folder}: the link begins with https://links.example.com, as it last did.`,
    )
    const allowed = await shortlink('stream', 'allow', '--login', 'admin')
    expect(allowed.out).toContain('There is no stream yet')
    expect(allowed.err).toBe(note)
    const printed = await shortlink('config', '--print')
    expect(printed.err).toBe(`No service runs on ${folder}: this is the configuration for a start from this shell.`)
  })
})

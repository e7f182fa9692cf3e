/** Uploads of backups that are killed or refused, as an operator sees them. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BackupManifest } from '../../src/core/copies/manifest.js'
import { freePort } from '../support/free-port.js'
import { ended, runCommand, startCommand } from '../support/run-command.js'
import { S3Server, whyNoS3 } from '../support/s3-server.js'
import { startProcess } from '../support/start-process.js'

const skip = whyNoS3()
const folder = mkdtempSync(join(tmpdir(), 'shortlink-s3-interrupted-'))
const dataDir = join(folder, 'data')
/** With long addresses: more than two pieces. */
const links = 23_000
const pieceBytes = 16 * 2 ** 20
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(skip)(`an S3 store${skip === undefined ? '' : ` (skipped: ${skip})`}`, { timeout: 300_000 }, () => {
  let server: S3Server
  const run = (args: readonly string[], backupTo = server.url()) =>
    runCommand(args, { cwd: folder, env: { SHORTLINK_BACKUP_TO: backupTo } })
  const own = ['--data-dir', dataDir]
  const staged = () => readdirSync(dataDir).filter((name) => name.startsWith('backup'))
  const pieces = () => server.objects.filter((name) => /^[0-9a-f]{64}-\d+$/.test(name))
  const names = async () => {
    const { out } = await run(['backup', 'list', 's3:', '--json'])
    return (JSON.parse(out) as { name: string; problem?: string }[]).map(({ name, problem }) => [name, problem])
  }

  beforeAll(async () => {
    server = await S3Server.start()
    await (await startProcess(dataDir, ['--domains', 'sho.rt'])).stop('SIGTERM')
    const rows = Array.from({ length: links }, (_, n) => `https://example.com/${n}/${String(n).repeat(390)},k${n}`)
    writeFileSync(join(folder, 'links.csv'), `long_url,keyword\n${rows.join('\n')}\n`)
    const imported = await run(['import', 'links', join(folder, 'links.csv'), ...own, '--domains', 'sho.rt'])
    expect(imported).toMatchObject({ code: 0 })
  }, 300_000)
  afterAll(() => server?.stop())

  it('does not have a backup whose upload was killed, says what is missing, and gets it again', async () => {
    const child = startCommand(['backup', 's3:killed', ...own], {
      cwd: folder,
      env: { SHORTLINK_BACKUP_TO: server.url() },
    })
    const exit = once(child, 'exit')
    // The second piece of a file.
    while (!pieces().some((name) => name.endsWith('-1'))) await setTimeout(1)
    child.kill('SIGKILL')
    expect(await exit).toEqual([null, 'SIGKILL'])

    expect(await names()).toEqual([['killed', 'not finished']])
    expect((await run(['backup', 'list', 's3:'])).out).toMatch(/killed +not finished/)
    const verified = await run(['backup', 'verify', 's3:killed'])
    expect(verified).toMatchObject({ code: 1, err: expect.stringContaining('was interrupted; missing in the store:') })
    expect(verified.err).toContain('records/records.sqlite')
    const restored = await run(['restore', 's3:killed', '--data-dir', join(folder, 'nothing')])
    expect(restored).toMatchObject({ code: 1, err: expect.stringContaining('was interrupted') })

    const again = await run(['backup', 's3:after', ...own, '--json'])
    expect(again.code).toBe(0)
    expect(await names()).toEqual([['after', undefined]])
    expect(await run(['backup', 'verify', 's3:after'])).toMatchObject({ code: 0, err: '' })
    // Nothing is left of the other one.
    const { files } = JSON.parse(again.out) as BackupManifest
    const wanted = new Set(files.flatMap(({ sha256, bytes }) => piecesOf(bytes).map((piece) => `${sha256}-${piece}`)))
    expect(new Set(pieces())).toEqual(wanted)
    expect(files.find(({ path }) => path === 'records/records.sqlite')?.bytes).toBeGreaterThan(2 * pieceBytes)
    expect(server.objects).not.toContain('unfinished.json')
  })

  it('gives files of many pieces back as they were', async () => {
    const copy = join(folder, 'copy')
    expect(await run(['restore', 's3:after', '--data-dir', copy])).toMatchObject({ code: 0, err: '' })
    const exported = await run(['backup', join(folder, 'of-copy'), '--data-dir', copy, '--json'])
    expect((JSON.parse(exported.out) as BackupManifest).counts).toMatchObject({ links })
  })

  it.each([
    ['a wrong secret', { secret: 'wrong' }, /403 SignatureDoesNotMatch \(backupTo\)\. Check the key, the secret/],
    ['a bucket that does not exist', { bucket: 'nothing' }, /404 NoSuchBucket \(backupTo\)\. Create the bucket/],
  ])('refuses %s with a sentence that says what to do, and nothing is left', async (_what, change, words) => {
    const before = [server.objects, staged()]
    for (const args of [
      ['backup', 's3:refused', ...own],
      ['backup', 'list', 's3:'],
      ['backup', 'verify', 's3:after'],
      ['restore', 's3:after', '--data-dir', join(folder, 'refused')],
    ]) {
      const { code, err } = await run(args, server.url(change))
      expect({ code, lines: err.trim().split('\n').length }, err).toEqual({ code: 1, lines: 1 })
      expect(err).toMatch(words)
    }
    expect([server.objects, staged()]).toEqual(before)
    expect(readdirSync(folder)).not.toContain('refused')
  })

  it('names a store that does not answer', async () => {
    const { code, err } = await run(['backup', 'list', 's3:'], `http://a:b@127.0.0.1:${await freePort()}/bucket`)
    expect(code).toBe(1)
    expect(err).toMatch(/^The S3 store \(backupTo\) cannot be reached: .*ECONNREFUSED.*$/)
  })

  it('refuses a backup in which a single byte was changed, before it writes anything', async () => {
    const flip = (content: Buffer) =>
      content.fill((content[content.length >> 1] ?? 0) ^ 1, content.length >> 1, (content.length >> 1) + 1)
    for (const piece of pieces()) {
      server.damage(piece, flip)
      const verified = await run(['backup', 'verify', 's3:after'])
      expect(verified, piece).toMatchObject({ code: 1, err: expect.stringContaining('differs from the manifest') })
      const restored = await run(['restore', 's3:after', '--data-dir', join(folder, 'flipped')])
      expect(restored, piece).toMatchObject({ code: 1, err: expect.stringContaining('differs from the manifest') })
      server.damage(piece, flip)
    }
    expect(readdirSync(folder)).not.toContain('flipped')
    expect(await run(['backup', 'verify', 's3:after'])).toMatchObject({ code: 0, err: '' })
  })

  it('has only complete backups after two programs wrote to it at once', async () => {
    const service = await startProcess(dataDir, ['--domains', 'sho.rt'])
    const env = { SHORTLINK_BACKUP_TO: server.url() }
    const beside = (name: string) => ended(startCommand(['backup', `s3:${name}`, ...own], { cwd: folder, env }))
    const made = await Promise.all(['one', 'two'].map(beside))
    await service.stop('SIGTERM')
    for (const { code, err } of made.filter(({ code }) => code !== 0)) {
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining('Another program wrote to the same store'),
      })
    }
    const listed = (await names()).filter(([name]) => name !== 'after')
    expect(listed).toEqual(made.flatMap(({ code }, index) => (code === 0 ? [[['one', 'two'][index], undefined]] : [])))
    for (const [name] of [['after'], ...listed]) {
      expect(await run(['backup', 'verify', `s3:${name}`])).toMatchObject({ code: 0, err: '' })
    }
  })

  it('with a damaged manifest lists it as such, and deletes nothing that it may need', async () => {
    server.damage('manifest.json')
    const [[, problem] = []] = await names()
    expect(problem).toContain('is not a backup of shortlink')
    const before = pieces()
    expect(await run(['backup', 's3:next', ...own])).toMatchObject({ code: 0 })
    expect(pieces()).toEqual(expect.arrayContaining([...before]))
    expect(await run(['backup', 'verify', 's3:next'])).toMatchObject({ code: 0 })
  })
})

function piecesOf(bytes: number): readonly number[] {
  return Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, piece) => piece)
}

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-environment-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `serve` behind a shell line that spoils its environment; answers what it says when it ends. */
async function serveAfter(line: string, program = 'sh', args: readonly string[] = []): Promise<string> {
  const serve = [main, 'serve', '--data-dir', folder, '--port', String(await freePort())]
  const child = spawn(program, [...args, '-c', `${line} exec "$0" "$@"`, process.execPath, ...serve])
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit'), text(child.stdout)])
  expect({ code, lines: err.split('\n').length - 1 }, err).toEqual({ code: 1, lines: 1 })
  return err
}

describe('a fault of the machine is named as one, with what to do', { timeout: 120_000 }, () => {
  it.skipIf(process.platform !== 'linux')('too few open files', async () => {
    expect(await serveAfter('ulimit -n 256;')).toMatch(/may open 256 files.*ulimit -n/)
  })

  it('a directory in place of the socket for commands', async () => {
    mkdirSync(join(folder, 'control.sock'))
    expect(await serveAfter('')).toMatch(/control\.sock is a directory.*Remove it\./)
  })

  it.each(['', 'x', '\n'])('a secrets.key with %j in it', async (content) => {
    writeFileSync(join(folder, 'secrets.key'), content)
    expect(await serveAfter('')).toMatch(
      /secrets\.key contains no key.*Restore it from a backup.*docs\/backup\.md#secrets/,
    )
  })

  // In a mount name space of its own nothing has to be unmounted.
  const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0
  const why = canMount ? '' : ' (skipped: mounting needs root and unshare)'
  describe.skipIf(!canMount)(`of a disk${why}`, () => {
    const mounted = (options: string) =>
      serveAfter(`mount -t tmpfs -o ${options} tmpfs "${folder}" &&`, 'unshare', ['-m', 'sh'])

    it('a file system that is read-only', async () => {
      expect(await mounted('ro')).toMatch(/^The file system is read-only\. .*--data-dir/)
    })

    it('a full disk at the first start', async () => {
      expect(await mounted('size=1m')).toMatch(/^The disk of .* has \d+ KB free, but a new service needs 32 MB\./)
    })
  })
})

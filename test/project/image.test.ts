import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../deploy/image-check.sh', import.meta.url))
const isRoot = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0
const why = isRoot ? '' : ' (skipped: needs root and setpriv, to become another user)'

describe.skipIf(!isRoot)(`the steps of the Dockerfile${why}`, () => {
  it('make a service that runs as another user, from files it cannot write, and is small', {
    timeout: 600_000,
  }, async () => {
    const { stdout } = await promisify(execFile)('bash', [script])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('ok: '))).toEqual([
      'ok: a link was created and leads on',
      'ok: / leads to the sign-in',
      'ok: it stops on SIGTERM',
    ])
    // The base has about 150 MB: the image stays below 450 MB.
    const [, megabytes] = /^size: (\d+) MB/m.exec(stdout) ?? []
    expect(Number(megabytes)).toBeLessThan(280)
  })
})

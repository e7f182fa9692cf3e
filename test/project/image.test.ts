import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../deploy/image.sh', import.meta.url))
const has = (program: string) => spawnSync(program, ['--version']).error === undefined
const canBuild = process.getuid?.() === 0 && has('buildah') && has('debootstrap')
const why = canBuild ? '' : ' (skipped: needs root, buildah and debootstrap)'

describe.skipIf(!canBuild)(`the image of the Dockerfile${why}`, () => {
  it('runs as its own user, writes to its data directory alone, keeps its data, and is small', {
    timeout: 1_800_000,
  }, async () => {
    const { stdout } = await promisify(execFile)('bash', [script])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('ok: '))).toEqual([
      'ok: a link was created and leads on',
      'ok: / leads to the sign-in',
      'ok: it stops on SIGTERM',
      'ok: started again, it still knows the link',
      'ok: it writes to its data directory alone',
    ])
    // The base has about 150 MB: the image stays below 450 MB.
    const [, megabytes] = /^size: (\d+) MB/m.exec(stdout) ?? []
    expect(Number(megabytes)).toBeLessThan(280)
  })
})

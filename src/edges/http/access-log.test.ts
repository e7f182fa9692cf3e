import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AccessLog } from './access-log.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'access-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const entry = { method: 'GET', host: 'sho.rt', route: '/:id', status: 301, milliseconds: 1 }
const others = { userAgent: undefined, referrer: undefined, ip: '192.0.2.1' }

it.skipIf(!existsSync('/dev/full'))('goes on when a full disk has room again', async () => {
  const file = join(folder, 'access.log')
  symlinkSync('/dev/full', file)
  const failures: unknown[] = []
  const log = new AccessLog({ file, withIp: false }, (error) => failures.push(error))
  log.add({ ...entry, ...others, url: '/lost' })
  await expect.poll(() => failures).toMatchObject([{ code: 'ENOSPC' }])
  rmSync(file)
  log.add({ ...entry, ...others, url: '/kept' })
  await log.close()
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).path)).toEqual(['/kept'])
})

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/runtime/app.js'
import { startApp, useApp } from '../support/start-app.js'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

describe('the version of package.json', () => {
  const started = useApp({ databaseUrl: undefined })

  it('is told by the API, the OpenAPI documents and the health check', async () => {
    expect((await started.request('GET', '/v4/service')).body).toEqual({ name: 'shortlink', version })
    for (const path of ['/openapi.json', '/docs/v3.json']) {
      expect((await started.request('GET', path)).body.info.version).toBe(version)
    }
    expect((await started.request('GET', '/healthz')).body.version).toBe(version)
  })

  it('is in the data directory', () => {
    expect(readFileSync(join(started.app.config.dataDir, 'version'), 'utf8')).toBe(`${version}\n`)
  })
})

it('a data directory of a newer version is refused with that version, and stays as it is', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-newer-'))
  try {
    const started = await startApp({ databaseUrl: undefined })
    const config = { ...started.app.config, dataDir }
    await started.close()
    const first = await createApp(config, pino({ level: 'silent' }))
    await first.close()
    const records = new Database(join(dataDir, 'records.sqlite'))
    records.exec("insert into kysely_migration (name, timestamp) values ('9999-future', '2030-01-01T00:00:00.000Z')")
    records.close()
    writeFileSync(join(dataDir, 'version'), '7.1.0\n')
    const sentence = new RegExp(`last used by shortlink 7\\.1\\.0; this is ${version.replaceAll('.', '\\.')}`)
    await expect(createApp(config, pino({ level: 'silent' }))).rejects.toThrow(sentence)
    expect(readFileSync(join(dataDir, 'version'), 'utf8')).toBe('7.1.0\n')
    expect(existsSync(join(dataDir, 'before-upgrade'))).toBe(false)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

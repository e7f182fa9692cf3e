import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../storage/records/sqlite.js'
import { recordsFile } from '../../storage/sql/records-file.js'
import { ListThread } from './list-thread.js'
import type { ListStores } from './list-worker.js'

describe('ListThread', () => {
  let folder: string
  let thread: ListThread
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-lists-'))
    thread = new ListThread({ dataDir: join(folder, 'data') }, pino({ level: 'silent' }))
  })
  afterEach(async () => {
    await thread.close()
    rmSync(folder, { recursive: true, force: true })
  })
  // Their own methods are not called here.
  const lists = () => thread.over({} as ListStores)
  const page = () => lists().links.page({ groupGuid: 'B1', filter: {}, after: undefined, size: 10 })

  it('sees earlier writes, and returns maps and links unchanged', async () => {
    mkdirSync(join(folder, 'data'))
    const records = await openSqlite(recordsFile(join(folder, 'data')))
    await records.migrate()
    const draft = { groupGuid: 'B1', organizationGuid: 'O1', domain: 'sho.rt', createdBy: 'ada', clientId: undefined }
    for (const name of ['one', 'two']) {
      const at = name === 'one' ? 1 : 2
      const { link } = await records.links.findOrInsert(
        { ...draft, longUrl: `https://example.com/${name}`, at },
        () => name,
      )
      const { items } = await page()
      expect(items[0]).toEqual(link)
      expect(await lists().links.linksAt('B1', [link.id])).toEqual(new Map([[link.id, link]]))
    }
    await records.close()
  })

  it('rejects callers while it cannot start, and retries with the next call', async () => {
    await expect(page()).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
    mkdirSync(join(folder, 'data'))
    const records = await openSqlite(recordsFile(join(folder, 'data')))
    await records.migrate()
    await records.close()
    expect(await page()).toEqual({ items: [], more: false })
  })

  it('rejects calls after close', async () => {
    await thread.close()
    await expect(page()).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
  })
})

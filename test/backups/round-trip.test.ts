/** Backup while a service runs, restore elsewhere: the other service answers the same, and continues. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { verifyCopy } from '../../src/core/copies/copy.js'
import type { BackupManifest } from '../../src/core/copies/manifest.js'
import { OperatorError } from '../../src/lib/operator-error.js'
import { backUp, restore } from '../../src/runtime/stores/open-backups.js'
import { requireRestored, scratchIn } from '../../src/storage/copies/empty-place.js'
import { backupFormat } from '../../src/storage/copies/manifest.js'
import { listBackups, openCopy } from '../../src/storage/copies/open-copy.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { png } from '../support/pictures.js'
import { sqlEngines } from '../support/sql-engines.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const clickhouse = new ClickhouseServer()
afterAll(() => clickhouse.stop())

/** SQLite with DuckDB, PostgreSQL with ClickHouse. */
const pairs = sqlEngines().map((sql) => {
  const skip = sql.name === 'sqlite' ? undefined : (sql.skip ?? ClickhouseServer.skip())
  const place = async (name: string, isNew: boolean) => {
    const dataDir = join(folder, `${sql.name}-${name}`)
    if (sql.name === 'sqlite') return { dataDir, databaseUrl: undefined, remove: async () => {} }
    const database = await sql.create()
    if (!isNew) {
      const records = await database.connect()
      await records.migrate()
      await records.close()
    }
    const clickhouseUrl = await clickhouse.newDatabase()
    return { dataDir, databaseUrl: database.location, clickhouseUrl, remove: () => database.remove() }
  }
  return [skip === undefined ? sql.name : `${sql.name} (skipped: ${skip})`, { name: sql.name, skip, place }] as const
})

const passphrase = 'correct horse battery staple'
const service = { domains: ['sho.rt'], anyHost: false, backupPassphrase: passphrase, nsqdPort: undefined } as const
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe.each(pairs)('a backup of %s', { timeout: 120_000 }, (_title, { name, skip, place }) => {
  if (skip !== undefined) return it.skip(skip)
  const target = (backup: string) => join(folder, `backups-${name}`, backup)
  let origin: StartedApp
  let config: Partial<Config> & { readonly remove: () => Promise<void> }
  const links: string[] = []
  let questions: readonly string[]
  let before: Awaited<ReturnType<typeof answersOf>>

  beforeAll(async () => {
    mkdirSync(join(folder, `backups-${name}`))
    config = await place('origin', false)
    origin = await startApp({ ...service, ...config })
    for (const number of [1, 2, 3]) {
      const made = await origin.request('POST', '/v4/shortlinks', {
        body: { long_url: `https://example.com/${number}`, title: `Nr "${number}", ü`, tags: ['red', `n${number}`] },
      })
      links.push(made.body.id)
    }
    await origin.request('POST', '/v4/campaigns', { body: { group_guid: origin.groupGuid, name: 'Spring' } })
    const uploaded = await origin.request('POST', `/v4/images?group_guid=${origin.groupGuid}`, {
      body: await png(),
      headers: { 'content-type': 'image/png' },
    })
    expect(uploaded.status).toBe(201)
    for (const visits of [3, 2, 1])
      for (let visit = 0; visit < visits; visit++) await visitLink(origin, links[visits - 1])
    questions = [
      ...['/v4/user', '/v4/groups', `/v4/groups/${origin.groupGuid}/shortlinks`, `/v4/groups/${origin.groupGuid}/tags`],
      ...[`/v4/campaigns?group_guid=${origin.groupGuid}`, `/v4/groups/${origin.groupGuid}/images`],
      ...links.flatMap((link) =>
        ['clicks', 'clicks/summary', 'countries', 'devices', 'referrers'].map(
          (facet) => `/v4/shortlinks/${link}/${facet}?unit=day&units=-1`,
        ),
      ),
    ]
    await origin.clicksCounted()
    before = await answersOf(origin, questions)
  })
  afterAll(async () => {
    await origin?.close()
    await config?.remove()
  })

  const backedUp = (to: string) =>
    backUp(origin.app.config, target(to), origin.app.clickCopier, { program: '1.2.3', tell: () => {} })
  const restored = async (to: Partial<Config>, from: string, withSecrets = true) =>
    restore({ ...origin.app.config, ...to }, await openCopy(target(from), backupFormat), {
      withSecrets,
      tell: () => {},
    })

  it('contains everything, with the clicks that were still in the journal exactly once', async () => {
    for (let visit = 0; visit < 50; visit++) await visitLink(origin, links[0])
    const manifest = await backedUp('first')
    expect(manifest).toMatchObject({
      format: 'shortlink backup',
      version: 1,
      program: '1.2.3',
      secrets: 'encrypted',
      unpublished: 0,
      counts: { links: 3, users: 1, images: 1, clicks: 56 },
      missing_images: [],
    })
    await verifyCopy(await openCopy(target('first'), backupFormat), () => {})
    before = await answersOf(origin, questions)
  })

  it('is restored: the same reports and lists, the token works, and the next click counts', async () => {
    const copy = await place('copy', true)
    try {
      await restored(copy, 'first')
      const other = await startApp({ ...service, ...copy })
      try {
        expect(await answersOf(other, questions)).toEqual(before)
        await visitLink(other, links[0])
        await other.clicksCounted()
        const asked = `/v4/shortlinks/${links[0]}/clicks/summary?unit=day&units=-1`
        const [old, now] = [before[asked], (await other.request('GET', asked)).body]
        expect(now.total_clicks).toBe((old as { total_clicks: number }).total_clicks + 1)
      } finally {
        await other.close()
      }
      await expect(restored(copy, 'first')).rejects.toThrow('not empty')
    } finally {
      await copy.remove()
    }
  })

  it('does not copy past months and images again, unless they changed', async () => {
    const past = (second: number) => ({ link: links[0], at: `2025-03-15T12:00:0${second}Z`, user_agent: agent })
    await importClicks(origin, [1, 2, 3].map(past))
    const first = await backedUp('past-1')
    const second = await backedUp('past-2')
    const month = (manifest: BackupManifest) =>
      manifest.files.find(({ path }) => path === 'clicks/clicks-2025-03.parquet')
    expect(month(first)).toMatchObject({ rows: 3 })
    expect(month(first)?.reused_from).toBeUndefined()
    expect(month(second)).toEqual({ ...month(first), reused_from: 'past-1' })
    expect(sameFile(target('past-1'), target('past-2'), 'clicks/clicks-2025-03.parquet')).toBe(true)
    const image = second.files.find(({ path }) => path.startsWith('images/'))
    expect(image?.reused_from).toBe('first')
    await importClicks(origin, [past(4)])
    const third = await backedUp('past-3')
    expect(month(third)).toMatchObject({ rows: 4 })
    expect(month(third)?.reused_from).toBeUndefined()
    rmSync(target('past-1'), { recursive: true })
    await verifyCopy(await openCopy(target('past-2'), backupFormat), () => {})
  })

  it('can be one tar file, which other programs unpack', async () => {
    const manifest = await backedUp('whole.tar')
    expect(existsSync(`${target('whole.tar')}.unfinished`)).toBe(false)
    const names = execFileSync('tar', ['-tf', target('whole.tar')], { encoding: 'utf8' })
      .trim()
      .split('\n')
    expect(names).toEqual(['manifest.json', ...manifest.files.map(({ path }) => path)])
    const found = await listBackups(join(folder, `backups-${name}`))
    expect(found.find((backup) => backup.name === 'whole.tar')?.manifest?.counts).toEqual(manifest.counts)
    const copy = await place('from-tar', true)
    try {
      const whole = await openCopy(target('whole.tar'), backupFormat, scratchIn(copy.dataDir))
      await restore({ ...origin.app.config, ...copy }, whole, { withSecrets: true, tell: () => {} })
      expect(readdirSync(copy.dataDir).filter((name) => name.startsWith('.unpacked'))).toEqual([])
      const other = await startApp({ ...service, ...copy })
      try {
        expect(await answersOf(other, questions)).toEqual(await answersOf(origin, questions))
      } finally {
        await other.close()
      }
    } finally {
      await copy.remove()
    }
    const cut = target('cut.tar')
    writeFileSync(cut, readFileSync(target('whole.tar')).subarray(0, -2000))
    await expect(openCopy(cut, backupFormat).then((backup) => verifyCopy(backup, () => {}))).rejects.toThrow(
      'not a whole backup',
    )

    const whole = target('whole.tar')
    const { checksum: _, ...said } = manifest
    const bytes = statSync(whole).size
    let refused = 0
    for (let at = 0; at < bytes; at += Math.ceil(bytes / 25)) {
      changeByte(whole, at)
      const read = await verified(whole)
      // A byte between two files, or two fields of the manifest, means nothing.
      if (read === 'refused') refused++
      else expect(read).toMatchObject(said)
      changeByte(whole, at)
    }
    expect(refused).toBeGreaterThan(12)
    expect(await verified(whole)).toMatchObject(said)
    for (const tar of ['whole.tar', 'cut.tar']) rmSync(target(tar))
  })

  it('is not good before its manifest is written, and when a file was changed', async () => {
    mkdirSync(join(`${target('interrupted')}.unfinished`, 'records'), { recursive: true })
    writeFileSync(join(`${target('interrupted')}.unfinished`, 'UNFINISHED'), '')
    const found = await listBackups(join(folder, `backups-${name}`))
    expect(found.filter(({ manifest }) => manifest).map((backup) => backup.name)).toEqual(['first', 'past-2', 'past-3'])
    expect(found.find((backup) => backup.name.startsWith('interrupted'))).toMatchObject({ problem: 'not finished' })
    await expect(openCopy(`${target('interrupted')}.unfinished`, backupFormat)).rejects.toThrow('it was interrupted')

    await backedUp('changed')
    const [file = ''] = readdirSync(join(target('changed'), 'records'))
    appendFileSync(join(target('changed'), 'records', file), 'x')
    const changed = await openCopy(target('changed'), backupFormat)
    await expect(verifyCopy(changed, () => {})).rejects.toThrow('differs from the manifest')
    const copy = await place('of-changed', true)
    await expect(restored(copy, 'changed')).rejects.toThrow('differs from the manifest')
    expect(existsSync(copy.dataDir)).toBe(false)
    rmSync(target('changed'), { recursive: true })
    await copy.remove()
  })

  it('is refused when an import of links ends meanwhile, whose clicks it has in part', async () => {
    const { clickCopier, records } = origin.app
    const source = 'another product'
    const importing: typeof clickCopier = {
      async copyClicks(...args) {
        const copy = await clickCopier.copyClicks(...args)
        await records.linkImports.noteClicks(source, new Map([[links[0] ?? '', { at: 1_700_000_000_000, count: 3 }]]))
        await records.linkImports.settleClicks(source)
        return copy
      },
    }
    const making = backUp(origin.app.config, target('importing'), importing, { program: '1.2.3', tell: () => {} })
    await expect(making).rejects.toThrow('An import of links ended while the backup was made')
    expect(readdirSync(join(folder, `backups-${name}`)).filter((each) => each.startsWith('importing'))).toEqual([])
    await backedUp('imported')
    rmSync(target('imported'), { recursive: true })
  })

  it('refuses each file in which a single byte was changed, before it writes anything', async () => {
    const copy = await place('flipped', true)
    const backup = await openCopy(target('first'), backupFormat)
    for (const [index, file] of backup.manifest.files.filter(({ bytes }) => bytes > 0).entries()) {
      const path = join(target('first'), file.path)
      changeByte(path, file.bytes >> 1)
      const words = `${path} differs from the manifest: it was changed or is damaged. Copy the whole backup again, or use another one.`
      await expect(backup.verify(file)).rejects.toThrow(words)
      if (index % 10 === 0) await expect(restored(copy, 'first')).rejects.toThrow(words)
      changeByte(path, file.bytes >> 1)
    }
    expect(existsSync(copy.dataDir)).toBe(false)

    const file = join(target('first'), 'manifest.json')
    const { checksum: _, ...said } = backup.manifest
    for (let at = 0; at < statSync(file).size; at += 997) {
      changeByte(file, at)
      // A byte between two fields means nothing.
      const read = await orRefused(openCopy(target('first'), backupFormat).then(({ manifest }) => manifest))
      if (read !== 'refused') expect(read).toMatchObject(said)
      changeByte(file, at)
    }
    await verifyCopy(await openCopy(target('first'), backupFormat), () => {})
    await copy.remove()
  })

  it('refuses a backup of a newer version, and one of other engines', async () => {
    const copy = await place('newer', true)
    const { manifest } = await openCopy(target('first'), backupFormat)
    const { checksum: _, ...older } = manifest
    const from = async (changed: object) => {
      mkdirSync(target('newer'))
      writeFileSync(join(target('newer'), 'manifest.json'), JSON.stringify({ ...older, ...changed }))
      await restored(copy, 'newer').finally(() => rmSync(target('newer'), { recursive: true }))
    }
    await expect(from({ schema: '9999-later' })).rejects.toThrow(
      'made by a newer version of shortlink (1.2.3). Restore it with that version.',
    )
    await expect(from({ version: 2, files: 'in another shape' })).rejects.toThrow(
      'written by a newer version of shortlink (format 2, 1.2.3). Restore it with that version.',
    )
    const others =
      name === 'sqlite'
        ? [{ databaseUrl: 'postgres://localhost/x' }, { clickhouseUrl: 'http://localhost:8123' }]
        : [{ databaseUrl: undefined }, { clickhouseUrl: undefined }]
    for (const other of others)
      await expect(restored({ ...copy, ...other }, 'first')).rejects.toThrow(
        /This backup is of \w+ and \w+: (do not )?set \w+\. To move to other engines, restore it first, then use "shortlink move"/,
      )
    expect(existsSync(copy.dataDir)).toBe(false)
    await copy.remove()
  })

  it('refuses databases that are used, and changes nothing in them', async () => {
    // Its databases are files of the data directory.
    if (name === 'sqlite') return
    const copy = await place('used', true)
    const { databaseUrl, clickhouseUrl } = origin.app.config
    try {
      await expect(restored({ ...copy, databaseUrl }, 'first')).rejects.toThrow(
        'The PostgreSQL database is not empty (1 organizations, 1 users, 3 links). Restore into an empty one (databaseUrl).',
      )
      await expect(restored({ ...copy, clickhouseUrl }, 'first')).rejects.toThrow('has clicks already')
      expect(readdirSync(copy.dataDir)).toEqual([])
      await restored(copy, 'first')
    } finally {
      await copy.remove()
    }
  })

  it('never overwrites, and refuses a wrong passphrase before it writes anything', async () => {
    const copy = await place('refused', true)
    try {
      await expect(restored({ ...copy, backupPassphrase: 'wrong horse' }, 'first')).rejects.toThrow('passphrase')
      await expect(restored({ ...copy, backupPassphrase: undefined }, 'first')).rejects.toThrow('--without-secrets')
      expect(existsSync(copy.dataDir)).toBe(false)
      mkdirSync(copy.dataDir)
      writeFileSync(join(copy.dataDir, 'letter.txt'), 'mine')
      await expect(restored(copy, 'first')).rejects.toThrow('is not empty (letter.txt)')
      expect(readdirSync(copy.dataDir)).toEqual(['letter.txt'])
      rmSync(join(copy.dataDir, 'letter.txt'))
      await restored({ ...copy, backupPassphrase: undefined }, 'first', false)
      expect(readdirSync(copy.dataDir)).not.toContain('secrets.key')
    } finally {
      await copy.remove()
    }
    await expect(backedUp('first')).rejects.toThrow('is not empty')
  })

  it('is restored again after an interruption', async () => {
    const copy = await place('interrupted', true)
    try {
      const backup = await openCopy(target('first'), backupFormat)
      const stopped = {
        ...backup,
        withFile: (file: { path: string }, work: (path: string) => Promise<never>) =>
          file.path.startsWith('records/')
            ? Promise.reject(new Error('stopped'))
            : work(join(target('first'), file.path)),
      } as typeof backup
      const to = { ...origin.app.config, ...copy }
      await expect(restore(to, stopped, { withSecrets: true, tell: () => {} })).rejects.toThrow('stopped')
      expect(() => requireRestored(copy.dataDir)).toThrow('did not finish')
      await restored(copy, 'first')
      requireRestored(copy.dataDir)
      const other = await startApp({ ...service, ...copy })
      try {
        expect(await answersOf(other, questions)).toEqual(before)
      } finally {
        await other.close()
      }
    } finally {
      await copy.remove()
    }
  })
})

async function visitLink(app: StartedApp, link = ''): Promise<void> {
  const answer = await app.request('GET', `/${link.split('/')[1]}`, {
    headers: { host: 'sho.rt', 'user-agent': agent },
    token: null,
  })
  expect(answer.status).toBe(301)
}

async function answersOf(app: StartedApp, paths: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  await app.clicksCounted()
  const answers: Record<string, unknown> = {}
  for (const path of paths) {
    const { status, body } = await app.request('GET', path)
    expect(status, path).toBe(200)
    answers[path] = JSON.parse(
      JSON.stringify(body, (key, value) => (key === 'unit_reference' ? undefined : value)).replaceAll(app.domain, ''),
    )
  }
  return answers
}

function verified(path: string): Promise<unknown> {
  return orRefused(
    openCopy(path, backupFormat).then((backup) => verifyCopy(backup, () => {}).then(() => backup.manifest)),
  )
}

function orRefused(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.catch((error: unknown) => (error instanceof OperatorError ? 'refused' : error))
}

/** Twice is as before. */
function changeByte(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

function sameFile(one: string, other: string, path: string): boolean {
  return statSync(join(one, path)).ino === statSync(join(other, path)).ino
}

/** Clicks of another time, as an import brings them. */
async function importClicks({ app }: StartedApp, lines: readonly object[]): Promise<void> {
  const file = join(folder, `clicks-${files++}.ndjson`)
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await app.pipeline.importClicks(file, app.config, () => {})
}
let files = 0

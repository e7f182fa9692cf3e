import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { domain, type Expected, type Installation, present, startInstallation } from './importing.js'

let at: Installation
beforeAll(async () => {
  at = await startInstallation()
}, 120_000)
afterAll(() => at.close())

/** Imports twice, and compares what is there with what the other product has. */
async function importsAll(place: string, expected: Expected, ...flags: string[]): Promise<string> {
  const links = Object.keys(expected).length
  const clicks = Object.values(expected).reduce((sum, each) => sum + each.clicks, 0)
  // Visited before, so that the service has cached that there is no such link.
  for (const backHalf of Object.keys(expected)) expect((await at.visit(backHalf)).status).toBe(404)
  const first = await at.run(place, '--json', ...flags)
  expect(first).toMatchObject({ code: 0 })
  expect(JSON.parse(first.out)).toMatchObject({ links: { new: links, same: 0 }, clicks: { imported: clicks } })
  expect(await present(at, Object.keys(expected))).toEqual(expected)

  const again = await at.run(place, '--json', ...flags)
  expect(JSON.parse(again.out)).toMatchObject({
    links: { new: 0, same: links },
    clicks: { imported: 0, before: clicks },
  })
  expect(await present(at, Object.keys(expected))).toEqual(expected)
  return first.err
}

describe('import links from a file', { timeout: 120_000 }, () => {
  it('with a table of ones own', async () => {
    const table = [
      'Short URL;Long URL;Title;Tags;Created;Clicks;Archived;Note;Expires',
      'https://old.example/Menu;https://example.com/menu;"Menu; weekly";food|Söhne & Co;2019-03-01 08:00;1,250;no;by the door;',
      'old.example/menu;https://example.com/lower;;;2020-05-05T10:00:00+02:00;;yes;;2999-01-01',
      'old.example/v1.2~beta;https://example.com/beta;;;;3;;;',
      'old.example/guide/intro;https://example.com/intro;;;2020-01-01;2;;;',
      'old.example/caf%C3%A9;https://example.com/caf%C3%A9;;;2020-01-01;1;;;',
    ].join('\r\n')
    const expected = {
      Menu: { longUrl: 'https://example.com/menu', clicks: 1250 },
      menu: { longUrl: 'https://example.com/lower', clicks: 0 },
      'v1.2~beta': { longUrl: 'https://example.com/beta', clicks: 3 },
      'guide/intro': { longUrl: 'https://example.com/intro', clicks: 2 },
      café: { longUrl: 'https://example.com/caf%C3%A9', clicks: 1 },
    }
    const err = await importsAll(at.file('table.csv', `\ufeff${table}`), expected, '--map', `old.example=${domain}`)
    expect(err).toContain('Recognised: a table of links (CSV, UTF-8')
    expect(await at.api(`/v4/shortlinks/${domain}/Menu`)).toMatchObject({
      title: 'Menu; weekly',
      tags: ['food', 'Söhne-Co'],
      created_at: '2019-03-01T08:00:00+0000',
      archived: false,
      created_by: 'admin',
    })
    expect(await at.api(`/v4/shortlinks/${domain}/menu`)).toMatchObject({
      created_at: '2020-05-05T08:00:00+0000',
      archived: true,
      expiration_at: '2999-01-01T00:00:00+0000',
    })
  })

  it('with back-halves of several segments in a column of their own', async () => {
    const rows = ['parts/one,https://example.com/parts', '/parts/v1.2/x,https://example.com/parts/2']
    const other = `${domain}/parts/three,https://example.com/parts/3`
    await importsAll(at.file('parts.csv', ['keyword,long_url', ...rows, other].join('\n')), {
      'parts/one': { longUrl: 'https://example.com/parts', clicks: 0 },
      'parts/v1.2/x': { longUrl: 'https://example.com/parts/2', clicks: 0 },
      'parts/three': { longUrl: 'https://example.com/parts/3', clicks: 0 },
    })
  })

  it('with dates as spreadsheets write them, whose order the whole column tells', async () => {
    const rows = ['keyword;long_url;created_at;clicks', 'dated-a;https://example.com/a;01.02.2024;1.250']
    const unclear = await at.run(at.file('unclear.csv', rows.join('\n')))
    expect(unclear.err).toContain('The column "created_at" has dates such as "01.02.2024"')
    const file = at.file('dates.csv', [...rows, 'dated-b;https://example.com/b;31.01.2024 08:00;'].join('\n'))
    expect((await at.run(file, '--dry-run')).out).toContain('1250 clicks were read (totals).')
    await at.run(file)
    for (const [name, date] of [
      ['dated-a', '2024-02-01T00:00:00+0000'],
      ['dated-b', '2024-01-31T08:00:00+0000'],
    ])
      expect(await at.api(`/v4/shortlinks/${domain}/${name}`)).toMatchObject({ created_at: date })
  })

  it('tells in advance what would happen, and writes what became of each row', async () => {
    const table = [
      'keyword,long_url',
      'known,https://example.com/known',
      'taken,https://example.com/taken',
      'broken,not a url',
      'api,https://example.com/reserved',
      'fresh,https://example.com/fresh',
      'taken,https://example.com/twice',
      'wide,https://example.com/,"a cell too many"',
    ]
    await at.run(at.file('before.csv', table.slice(0, 3).join('\n').replace('com/taken', 'com/first')))
    const file = at.file('rows.csv', table.join('\n'))
    const dry = await at.run(file, '--dry-run')
    expect(dry.out.split('\n')).toEqual([
      '7 links were read; nothing was written (--dry-run).',
      '  New: 1',
      '  Imported before: 1',
      '  Not imported, because the back-half is taken: 2',
      '  Not imported, because they cannot be links here: 3',
      'New:',
      `  row 6: fresh -> ${domain}/fresh`,
      'Imported before:',
      `  row 2: known -> ${domain}/known`,
      'Not imported, because the back-half is taken:',
      '  row 3: taken: this back-half leads to https://example.com/first',
      '  row 7: taken: this back-half leads to https://example.com/first',
      'Not imported, because they cannot be links here:',
      expect.stringContaining('row 4: broken: The long URL contains a space'),
      expect.stringContaining('row 5: api: "api" cannot be served as a back-half'),
      expect.stringContaining('row 8: '),
      'Use --on-conflict rename or replace to import the ones whose back-half is taken.',
      '0 clicks were read (totals).',
    ])
    expect((await at.visit('fresh')).status).toBe(404)

    const result = at.file('result.csv', '')
    await at.run(file, '--on-conflict', 'rename', '--result', result)
    const lines = readFileSync(result, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => line.split(',').slice(0, 4).join(','))).toEqual([
      'row,outcome,source,link',
      `2,same,known,${domain}/known`,
      `3,renamed,taken,${domain}/taken-2`,
      '4,invalid,broken,',
      '5,invalid,api,',
      `6,new,fresh,${domain}/fresh`,
      `7,renamed,taken,${domain}/taken-3`,
      expect.stringMatching(/^8,invalid/),
    ])
    expect(await at.visit('taken-2')).toEqual({ status: 301, location: 'https://example.com/taken' })

    const replaced = await at.run(file, '--on-conflict', 'replace', '--json')
    expect(JSON.parse(replaced.out).links).toMatchObject({ replaced: 2, same: 2, invalid: 3 })
    expect(await at.visit('taken')).toEqual({ status: 301, location: 'https://example.com/twice' })
  })

  it('imports a row whose date or clicks cannot be used, and says so', async () => {
    const table = [
      'keyword,long_url,created_at,expires_at,clicks',
      'odd-1,https://example.com/1,2019-13-01,,3',
      'odd-2,https://example.com/2,2019-01-01,soon,-5',
      'odd-3,https://example.com/3,2999-01-01,,7',
      'odd-4,https://example.com/4,0000-00-00 00:00:00,,',
    ]
    const result = at.file('odd-result.csv', '')
    const { code, out } = await at.run(at.file('odd.csv', table.join('\n')), '--result', result)
    expect({ code, lines: out.split('\n') }).toEqual({
      code: 0,
      lines: [
        '4 links were read.',
        '  New: 4',
        'Imported, but not as they are in the source:',
        `  row 2: odd-1 -> ${domain}/odd-1: its date "2019-13-01" cannot be read`,
        `  row 3: odd-2 -> ${domain}/odd-2: its expiry "soon" cannot be read; its clicks "-5" cannot be read`,
        `  row 4: odd-3 -> ${domain}/odd-3: its date is in the future, so it got the current one`,
        'Imported 3 clicks (totals).',
        '7 clicks are dated in the future and were not imported.',
      ],
    })
    expect(readFileSync(result, 'utf8')).toContain('its date is in the future')
  })

  it('says what is wrong with a file, a domain or a flag', async () => {
    const file = at.file('strange.csv', 'link,long_url\nhttps://elsewhere.example/a,https://example.com/a\n')
    expect((await at.run(file)).out).toContain(
      '"elsewhere.example" is not a short domain that the group may use. Add it, or name a domain for its links: --map elsewhere.example=DOMAIN.',
    )
    expect(await at.run(at.file('none.csv', 'a,b\n1,2\n'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('The table needs a column with the short link'),
    })
    expect(await at.run(`${file}x`)).toMatchObject({ code: 1, err: expect.stringContaining('There is no such file') })
    expect(await at.run(file, '--from', 'tinyurl')).toMatchObject({ code: 2 })
    expect(await at.run('http://127.0.0.1:9', '--from', 'dub', '--token-file', 'none.txt')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Cannot read the file of --token-file: ENOENT/),
    })
    const harmless = at.file('harmless.csv', 'keyword,long_url\nunwritten,https://example.com/\n')
    for (const [result, reason] of [
      [harmless, 'it is the file that is imported'],
      [`${at.folder}/none/result.csv`, 'ENOENT'],
    ] as const) {
      expect(await at.run(harmless, '--result', result)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`Cannot write the result file ${result}: ${reason}`),
      })
    }
    expect(readFileSync(harmless, 'utf8')).toContain('unwritten')
    expect((await at.visit('unwritten')).status).toBe(404)
    const half = `keyword,long_url\n${Array.from({ length: 9000 }, (_, at) => `half${at},https://example.com/`).join('\n')}\n"`
    expect(await at.run(at.file('half.csv', half))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Stopped after \d+ rows, which are imported\. .*\n.*Line 9002: A quote begins here/),
    })
    execFileSync('mkfifo', [`${at.folder}/pipe`])
    expect(await at.run(`${at.folder}/pipe`)).toMatchObject({ code: 1, err: expect.stringContaining('is not a file') })
    expect(await at.run(at.folder)).toMatchObject({ code: 1, err: expect.stringContaining('Name a file.') })
    const dump = '-- MySQL dump\nCREATE TABLE `yourls_url` (`keyword` text);\nINSERT INTO `yourls_url` VALUES (1);\n'
    expect(await at.run(at.file('powershell.sql', Buffer.from(`\ufeff${dump}`, 'utf16le')))).toMatchObject({
      code: 1,
      err: expect.stringContaining('is an SQL dump in UTF-16, which PowerShell writes.'),
    })
    expect(await at.run('https://s.example')).toMatchObject({ code: 2, err: expect.stringContaining('Add --from') })
    expect(
      await at.run(at.file('other.sql', 'CREATE TABLE `a` (\n  `b` int\n);\nINSERT INTO `a` VALUES (1);\n')),
    ).toMatchObject({ code: 1, err: expect.stringContaining("with the tables a, but neither YOURLS's") })
  })

  it('of YOURLS: its SQL dump, and later a newer one, of which only the later clicks count', async () => {
    const expected = {
      yo1: { longUrl: 'https://example.com/yourls?a=1&b=2', clicks: 3 },
      YO1: { longUrl: 'https://example.com/upper', clicks: 1 },
      'yo-custom': { longUrl: "https://example.com/it's", clicks: 0 },
    }
    const err = await importsAll(at.file('yourls.sql', yourlsDump(yourlsLog)), expected)
    expect(err).toContain('Recognised: YOURLS, SQL dump.')
    expect(await at.api(`/v4/shortlinks/${domain}/yo1`)).toMatchObject({
      title: 'A "title" \\ with ü',
      created_at: '2012-05-14T16:30:00+0000',
    })
    const countries = await at.api(`/v4/shortlinks/${domain}/yo1/countries?unit=month&units=-1`)
    expect(countries.metrics).toEqual(expect.arrayContaining([{ value: 'DE', clicks: 2 }]))

    const later = [
      ...yourlsLog,
      "(6,'2013-01-01 00:00:00','yo1','direct','Mozilla/5.0 (Windows NT 6.1) Firefox/15.0','198.51.100.7','US')",
    ]
    const again = await at.run(at.file('yourls-later.sql', yourlsDump(later)), '--json')
    expect(JSON.parse(again.out)).toMatchObject({ links: { same: 3 }, clicks: { imported: 1, before: 4, unknown: 1 } })
    expect(await at.clicks('yo1')).toBe(4)
  })

  it('of YOURLS: its tables as CSV files', async () => {
    at.file(
      'tables/yourls_url.csv',
      '"keyword","url","title","timestamp","ip","clicks"\n"csv1","https://example.com/csv1","One","2014-01-01 00:00:00","::1","7"\n',
    )
    at.file(
      'tables/yourls_log.csv',
      '"click_id","click_time","shorturl","referrer","user_agent","ip_address","country_code"\n' +
        '"1","2014-01-02 00:00:00","csv1","https://news.example/","Mozilla/5.0 (X11; Linux) Firefox/20.0","203.0.113.5","FR"\n' +
        '"2","2014-01-02 00:00:00","csv1","direct","Mozilla/5.0 (X11; Linux) Firefox/20.0","",""\n',
    )
    const expected = { csv1: { longUrl: 'https://example.com/csv1', clicks: 2 } }
    const err = await importsAll(`${at.folder}/tables`, expected)
    expect(err).toContain('Recognised: YOURLS, two CSV files.')
  })

  it('of Kutt: its SQLite file', async () => {
    const path = at.file('kutt.sqlite', '')
    const database = new Database(path)
    database.exec(kuttTables)
    database.exec(kuttRows.map((row) => row.replaceAll("E'", "'")).join(''))
    database.close()
    const err = await importsAll(path, kuttExpected('ku'), '--map', `kutt.example=${domain}`)
    expect(err).toContain('Recognised: Kutt, SQLite file.')
    expect(await at.api(`/v4/shortlinks/${domain}/ku1`)).toMatchObject({
      created_at: '2020-10-01T12:00:00+0000',
      note: 'for the fair',
    })
    const countries = await at.api(`/v4/shortlinks/${domain}/ku1/countries?unit=month&units=-1`)
    expect(countries.metrics).toEqual([
      { value: 'DE', clicks: 4 },
      { value: 'US', clicks: 2 },
    ])
    const referrers = await at.api(`/v4/shortlinks/${domain}/ku1/referring_domains?unit=month&units=-1`)
    expect(referrers.metrics).toEqual(expect.arrayContaining([{ value: 'news.example.com', clicks: 5 }]))
  })

  it('of Kutt: its PostgreSQL dump', async () => {
    const err = await importsAll(at.file('kutt.sql', kuttDump), kuttExpected('pg'), '--map', `kutt.example=${domain}`)
    expect(err).toContain('Recognised: Kutt, SQL dump.')
    expect(await at.api(`/v4/shortlinks/${domain}/pg1`)).toMatchObject({ note: 'back\\slash' })
  })

  it('of Shlink: the CSV of its web client', async () => {
    const table = [
      '"createdAt","domain","shortCode","shortUrl","longUrl","title","tags","visits"',
      `"2023-05-01T10:00:00+02:00","${domain}","shl1","https://${domain}/shl1","https://example.com/shl1","One","blog|news",12`,
      `"2023-06-01T10:00:00+02:00","${domain}","shl2","https://${domain}/shl2","https://example.com/shl2","","",0`,
    ].join('\n')
    const err = await importsAll(at.file('short_urls.csv', table), {
      shl1: { longUrl: 'https://example.com/shl1', clicks: 12 },
      shl2: { longUrl: 'https://example.com/shl2', clicks: 0 },
    })
    expect(err).toContain('Recognised: Shlink, CSV of its web client')
    expect(await at.api(`/v4/shortlinks/${domain}/shl1`)).toMatchObject({ title: 'One', tags: ['blog', 'news'] })
  })

  it('of Dub: the CSV of its dashboard', async () => {
    const table = [
      'Short link,Destination URL,Clicks,Created at,Tags,Archived',
      'https://dub.sh/dub1,https://example.com/dub1,5,2024-02-01T09:30:00.000Z,"one, two",No',
      'https://dub.sh/dub2,https://example.com/dub2,0,2024-02-02T09:30:00.000Z,,Yes',
    ].join('\n')
    const expected = {
      dub1: { longUrl: 'https://example.com/dub1', clicks: 5 },
      dub2: { longUrl: 'https://example.com/dub2', clicks: 0 },
    }
    const err = await importsAll(at.file('dub.csv', table), expected, '--map', `dub.sh=${domain}`)
    expect(err).toContain('Recognised: Dub, CSV of its dashboard')
    expect(await at.api(`/v4/shortlinks/${domain}/dub1`)).toMatchObject({ tags: ['one', 'two'], archived: false })
    expect(await at.api(`/v4/shortlinks/${domain}/dub2`)).toMatchObject({ archived: true })
  })

  it('of Bitly: its CSV export', async () => {
    const table = [
      'Link,Custom Link,Destination URL,Title,Created,Tags,Clicks',
      'https://bit.ly/3bitAbC,https://bit.ly/bit-sale,https://example.com/sale,Sale,2022-03-04,promo,9',
      'https://bit.ly/3bitXyZ,,https://example.com/plain,,2022-03-05,,0',
    ].join('\n')
    const expected = {
      '3bitAbC': { longUrl: 'https://example.com/sale', clicks: 9 },
      '3bitXyZ': { longUrl: 'https://example.com/plain', clicks: 0 },
    }
    const err = await importsAll(at.file('bitly.csv', table), expected, '--map', `bit.ly=${domain}`)
    expect(err).toContain('Recognised: Bitly, CSV export')
    expect(await at.visit('bit-sale')).toEqual({ status: 301, location: 'https://example.com/sale' })
    expect(await at.api(`/v4/shortlinks/${domain}/3bitAbC`)).toMatchObject({
      custom_shortlinks: [`http://${domain}/bit-sale`],
    })
  })
})

const postgres = postgresEngine()
describe.skipIf(postgres.skip)(`import links on ${postgres.title}`, { timeout: 120_000 }, () => {
  let database: TestDatabase
  beforeAll(async () => {
    await at.close()
    database = await postgres.create()
    const records = await database.connect()
    await records.migrate()
    await records.close()
    at = await startInstallation('--database-url', database.databaseUrl ?? '')
  }, 120_000)
  afterAll(async () => {
    await at.close()
    await database.remove()
  })

  it('works beside the service, which notices links that it has looked for before', async () => {
    const expected = {
      yo1: { longUrl: 'https://example.com/yourls?a=1&b=2', clicks: 3 },
      YO1: { longUrl: 'https://example.com/upper', clicks: 1 },
      'yo-custom': { longUrl: "https://example.com/it's", clicks: 0 },
    }
    await importsAll(at.file('yourls.sql', yourlsDump(yourlsLog)), expected)
  })
})

const yourlsLog = [
  "(1,'2012-05-15 08:00:00','yo1','https://t.example/x?y=\\'1\\'','Mozilla/5.0 (Windows NT 6.1) Firefox/15.0','203.0.113.7','DE')",
  "(2,'2012-05-15 08:00:00','yo1','direct','Mozilla/5.0 (Windows NT 6.1) Firefox/15.0','203.0.113.8','DE')",
  "(3,'2012-05-16 08:00:00','YO1','direct','Mozilla/5.0 (Windows NT 6.1) Firefox/15.0','not an ip','')",
  "(4,'2012-05-17 08:00:00','yo1','direct','Mozilla/5.0 (Windows NT 6.1) Firefox/15.0','203.0.113.9','US')",
  "(5,'2012-05-17 08:00:00','deleted','direct','Mozilla/5.0','203.0.113.9','US')",
]

function yourlsDump(log: readonly string[]): string {
  return [
    '-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)',
    '/*!40101 SET NAMES utf8mb4 */;',
    'DROP TABLE IF EXISTS `yourls_log`;',
    'CREATE TABLE `yourls_log` (',
    '  `click_id` int NOT NULL AUTO_INCREMENT,',
    '  `click_time` datetime NOT NULL,',
    '  `shorturl` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,',
    '  `referrer` varchar(200) NOT NULL,',
    '  `user_agent` varchar(255) NOT NULL,',
    '  `ip_address` varchar(41) NOT NULL,',
    '  `country_code` char(2) NOT NULL,',
    '  PRIMARY KEY (`click_id`),',
    '  KEY `shorturl` (`shorturl`)',
    ') ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4;',
    'LOCK TABLES `yourls_log` WRITE;',
    `INSERT INTO \`yourls_log\` VALUES ${log.join(',')};`,
    'UNLOCK TABLES;',
    'CREATE TABLE `yourls_options` (',
    '  `option_id` bigint unsigned NOT NULL AUTO_INCREMENT,',
    '  `option_value` longtext NOT NULL,',
    '  PRIMARY KEY (`option_id`)',
    ') ENGINE=InnoDB;',
    "INSERT INTO `yourls_options` VALUES (1,'1.9.2'),(2,'INSERT INTO `yourls_url` VALUES (1)');",
    'CREATE TABLE `yourls_url` (',
    "  `keyword` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',",
    '  `url` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,',
    '  `title` text,',
    '  `timestamp` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,',
    '  `ip` varchar(41) NOT NULL,',
    '  `clicks` int unsigned NOT NULL,',
    '  PRIMARY KEY (`keyword`),',
    '  KEY `url_idx` (`url`(30))',
    ') ENGINE=InnoDB;',
    "INSERT INTO `yourls_url` VALUES ('YO1','https://example.com/upper',NULL,'2012-05-14 16:30:00','203.0.113.1',1)," +
      "('yo-custom','https://example.com/it\\'s','','2012-05-14 16:30:00','203.0.113.1',0)," +
      "('yo1','https://example.com/yourls?a=1&b=2','A \\\"title\\\" \\\\ with ü','2012-05-14 16:30:00','203.0.113.1',3);",
    '',
  ].join('\n')
}

const kuttTables = `
  create table domains (id integer primary key, banned boolean, address varchar(255), homepage varchar(255), user_id integer);
  create table links (id integer primary key, address varchar(255), description varchar(255), banned boolean, domain_id integer,
    password varchar(255), expire_in datetime, target varchar(2040), user_id integer, visit_count integer, created_at datetime, updated_at datetime);
  create table visits (id integer primary key, countries json, created_at datetime, updated_at datetime, link_id integer, user_id integer,
    referrers json, total integer, br_chrome integer, os_windows integer);`

const kuttRows = [
  "insert into domains values (1, 0, 'kutt.example', null, 1);",
  "insert into links values (1, 'ku1', 'for the fair', 0, 1, null, null, 'https://example.com/ku1', 1, 6, '2020-10-01 12:00:00', '2020-10-01 12:00:00');",
  "insert into links values (2, 'ku2', null, 0, null, null, null, 'https://example.com/ku2', 1, 0, '2020-10-02 12:00:00', '2020-10-02 12:00:00');",
  "insert into links values (3, 'ku3', null, 1, 1, null, null, 'https://example.com/banned', 1, 0, '2020-10-02 12:00:00', '2020-10-02 12:00:00');",
  "insert into links values (4, 'ku4', null, 0, 1, '$2a$12$hash', null, 'https://example.com/secret', 1, 0, '2020-10-02 12:00:00', '2020-10-02 12:00:00');",
  `insert into visits values (1, '{"de":3,"us":2}', '2020-10-03 08:12:00', null, 1, 1, '{"direct":1,"news[dot]example[dot]com":4}', 5, 5, 5);`,
  `insert into visits values (2, '{"de":1}', '2020-10-03 10:12:00', null, 1, 1, '{"news[dot]example[dot]com":1}', 1, 1, 1);`,
]

const kuttDump = [
  '--',
  '-- PostgreSQL database dump',
  '--',
  "SET client_encoding = 'UTF8';",
  'CREATE TABLE public.domains (',
  '    id integer NOT NULL,',
  '    address character varying(255) NOT NULL',
  ');',
  'COPY public.domains (id, banned, banned_by_id, address, homepage, user_id, uuid, created_at, updated_at) FROM stdin;',
  '1\tf\t\\N\tkutt.example\t\\N\t1\t3f0e9c1e-0000-4000-8000-000000000000\t2020-01-01 00:00:00+00\t2020-01-01 00:00:00+00',
  '\\.',
  'COPY public.links (id, address, description, banned, banned_by_id, domain_id, password, expire_in, target, user_id, visit_count, uuid, created_at, updated_at) FROM stdin;',
  '1\tpg1\tback\\\\slash\tf\t\\N\t1\t\\N\t\\N\thttps://example.com/pg1\t1\t6\t3f0e9c1e-0000-4000-8000-000000000001\t2020-10-01 12:00:00.123+00\t2020-10-01 12:00:00+00',
  '2\tpg2\t\\N\tf\t\\N\t\\N\t\\N\t\\N\thttps://example.com/pg2\t1\t0\t3f0e9c1e-0000-4000-8000-000000000002\t2020-10-02 12:00:00+00\t2020-10-02 12:00:00+00',
  '\\.',
  'COPY public.visits (id, countries, created_at, updated_at, link_id, user_id, referrers, total, br_chrome) FROM stdin;',
  '1\t{"de": 3, "us": 2}\t2020-10-03 08:12:00+00\t\\N\t1\t1\t{"direct": 1, "news[dot]example[dot]com": 4}\t5\t5',
  '2\t{"unknown": 1}\t2020-10-03 10:12:00+00\t\\N\t1\t1\t{"direct": 1}\t1\t1',
  '\\.',
  '',
].join('\n')

function kuttExpected(prefix: string): Expected {
  return {
    [`${prefix}1`]: { longUrl: `https://example.com/${prefix}1`, clicks: 6 },
    [`${prefix}2`]: { longUrl: `https://example.com/${prefix}2`, clicks: 0 },
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dumpRows } from './sql-dump.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-dump-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function rowsOf(dump: string, columns: readonly string[], table = 'links') {
  const path = join(folder, 'dump.sql')
  writeFileSync(path, dump)
  const rows: (string | undefined)[][] = []
  for await (const page of dumpRows(path, { wanted: (name) => name === table })) {
    for (const row of page) rows.push(columns.map(row.get))
  }
  return rows
}

describe('an SQL dump', () => {
  it('of MySQL has its columns in CREATE TABLE and many rows in a line', async () => {
    const dump = [
      '-- MySQL dump 10.13',
      'CREATE TABLE `other` (',
      '  `a` int,',
      ');',
      'INSERT INTO `other` VALUES (1),(2);',
      'CREATE TABLE `links` (',
      '  `keyword` varchar(100) NOT NULL,',
      '  `url` text,',
      '  PRIMARY KEY (`keyword`)',
      ') ENGINE=InnoDB;',
      "INSERT INTO `links` VALUES ('a','it\\'s (a) \\\"b\\\", \\\\ \\n;'),('b',NULL),('c','''q''');",
      "INSERT INTO `links` VALUES ('d','last');",
    ].join('\n')
    expect(await rowsOf(dump, ['keyword', 'url'])).toEqual([
      ['a', 'it\'s (a) "b", \\ \n;'],
      ['b', undefined],
      ['c', "'q'"],
      ['d', 'last'],
    ])
  })

  it('of phpMyAdmin names the columns and has a row in a line', async () => {
    const dump =
      "INSERT INTO `links` (`id`, `url`) VALUES\n(1, 'a'),\n(2, 'b');\r\nINSERT INTO `links` (`id`, `url`) VALUES\n(3, '');\n"
    expect(await rowsOf(dump, ['id', 'url', 'none'])).toEqual([
      ['1', 'a', undefined],
      ['2', 'b', undefined],
      ['3', '', undefined],
    ])
  })

  it('of PostgreSQL has COPY with tabs and escapes', async () => {
    const dump = [
      '-- PostgreSQL database dump',
      'COPY public.other (id) FROM stdin;',
      "INSERT INTO links VALUES ('trap');",
      '\\.',
      'COPY public.links (id, target, "description") FROM stdin;',
      '1\thttps://example.com/\\ttab\t\\N',
      '2\tC:\\\\x\tline\\none',
      '\\.',
      '',
    ].join('\n')
    expect(await rowsOf(dump, ['id', 'target', 'description'])).toEqual([
      ['1', 'https://example.com/\ttab', undefined],
      ['2', 'C:\\x', 'line\none'],
    ])
  })

  it('of PostgreSQL with INSERT has no escapes, and strings may span lines', async () => {
    const dump = [
      '-- PostgreSQL database dump',
      "INSERT INTO public.links (id, target) VALUES (1, 'back\\slash');",
      "INSERT INTO public.links (id, target) VALUES (2, 'two",
      "INSERT INTO public.links (id, target) VALUES (9, ''trap'');');",
      "INSERT INTO public.links (id, target) VALUES (3, E'tab\\t');",
      '',
    ].join('\n')
    expect(await rowsOf(dump, ['id', 'target'])).toEqual([
      ['1', 'back\\slash'],
      ['2', "two\nINSERT INTO public.links (id, target) VALUES (9, 'trap');"],
      ['3', 'tab\t'],
    ])
  })

  it('is read in pieces, wherever they end', async () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => `(${id},'ü€''\\'${'x'.repeat(id % 40)}')`)
    const dump = `CREATE TABLE \`links\` (\n  \`id\` int,\n  \`url\` text\n);\nINSERT INTO \`links\` VALUES ${rows.join(',')};\n`
    const read = await rowsOf(dump, ['id', 'url'])
    expect(read).toHaveLength(30_000)
    expect(read.every(([id, url], at) => id === String(at) && url === `ü€''${'x'.repeat(at % 40)}`)).toBe(true)
  })

  it('that was cut off says so', async () => {
    await expect(rowsOf("INSERT INTO `links` (`id`) VALUES (1),('tw", ['id'])).rejects.toThrow('it is incomplete')
    await expect(rowsOf('INSERT INTO `links` VALUES (1);', ['id'])).rejects.toThrow('Export structure and data')
  })
})

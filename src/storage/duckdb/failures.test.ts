import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { transact } from './connection.js'
import { isFatal } from './failures.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-duckdb-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it.skipIf(process.platform === 'win32')('recognises an error after which the file must be reopened', () => {
  // No file may grow past 2 MiB: the kernel then rejects the checkpoint's writes like a full disk.
  const engine = createRequire(import.meta.url).resolve('@duckdb/node-api')
  const script = `
    const { DuckDBInstance } = require(${JSON.stringify(engine)})
    const said = (error) => console.log(JSON.stringify(error.message))
    const main = async () => {
      const connection = await (await DuckDBInstance.create('full.duckdb')).connect()
      await connection.run('CREATE TABLE t (a VARCHAR)')
      let full = false
      while (!full) {
        await connection.run('INSERT INTO t SELECT sha256((range + random())::VARCHAR) FROM range(10000)')
        await connection.run('CHECKPOINT').catch((error) => { full = true; said(error) })
      }
      await connection.run('SELECT 1').catch(said)
      process.exit()
    }
    main()`
  const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -S -f 4096; exec "$0" -e "$1"', process.execPath, script], {
    cwd: folder,
    encoding: 'utf8',
  })
  const texts = stdout.split('\n').filter(Boolean)
  const [atFirst = '', later = ''] = texts.map((line): string => JSON.parse(line))
  expect(texts, stderr).toHaveLength(2)
  expect([atFirst, later].map((text) => isFatal(new Error(text)))).toEqual([true, true])
  expect(isFatal(new AggregateError([new Error('before'), new Error(later)]))).toBe(true)
  // lib/environment-fault.ts reads the operating system's message, so it must be passed on.
  expect(atFirst).toContain('File too large')
})

it('does not treat every failure as fatal', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await expect(connection.run('SELECT nonsense').catch(isFatal)).resolves.toBe(false)
  connection.closeSync()
})

it('can write again after a COMMIT that failed', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const [first, second] = [await instance.connect(), await instance.connect()]
  await first.run('CREATE TABLE t (a INTEGER PRIMARY KEY)')
  const racing = transact(second, async () => {
    await second.run('INSERT INTO t VALUES (1)')
    await first.run('INSERT INTO t VALUES (1)')
  })
  await expect(racing).rejects.toThrow('Failed to commit')
  await transact(second, async () => second.run('INSERT INTO t VALUES (2)'))
  expect((await first.runAndReadAll('SELECT a FROM t ORDER BY a')).getRows()).toEqual([[1], [2]])
  for (const connection of [first, second]) connection.closeSync()
})

it('writes nothing of a transaction whose work fails', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run('CREATE TABLE t (a INTEGER)')
  const failing = transact(connection, async () => {
    await connection.run('INSERT INTO t VALUES (1)')
    throw new Error('on the way')
  })
  await expect(failing).rejects.toThrow('on the way')
  await transact(connection, async () => connection.run('INSERT INTO t VALUES (2)'))
  expect((await connection.runAndReadAll('SELECT a FROM t')).getRows()).toEqual([[2]])
  connection.closeSync()
})

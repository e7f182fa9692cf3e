import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyPlace } from './empty-place.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-place-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const store = { begin: async () => {}, restore: async () => {}, finish: async () => {} }
const place = (records = store) => emptyPlace(folder, { records, clicks: store, blobs: undefined })
const content = (text: string) => new TextEncoder().encode(text)

/** A restore of two files that is killed when it has moved one of them. */
async function killedWhileMoving(): Promise<void> {
  const killed = place()
  await killed.begin()
  await killed.writeFile('records.sqlite', content('old'))
  writeFileSync(join(folder, 'restore.unfinished', 'MOVING'), JSON.stringify(['clicks.duckdb', 'records.sqlite']))
  writeFileSync(join(folder, 'clicks.duckdb'), 'old')
}

describe('a restore that is repeated', () => {
  it('deletes what the interrupted one has written', async () => {
    await killedWhileMoving()
    const again = place()
    expect(await again.begin()).toBe('empty')
    expect(readdirSync(folder)).toEqual(['restore.unfinished'])
    expect(readdirSync(join(folder, 'restore.unfinished'))).toEqual([])
    await again.writeFile('records.sqlite', content('new'))
    await again.finish()
    expect(readdirSync(folder)).toEqual(['records.sqlite'])
  })

  it.each(['secrets.key', 'records.sqlite'])(
    'refuses what others have put there, and deletes nothing: %s',
    async (name) => {
      await killedWhileMoving()
      mkdirSync(join(folder, 'journal'))
      writeFileSync(join(folder, name), 'mine')
      let begun = 0
      const begin = async () => {
        begun++
      }
      await expect(place({ ...store, begin }).begin()).rejects.toThrow(
        new RegExp(`contains journal, ${name}, which the interrupted restore has not written. Move `),
      )
      expect(begun).toBe(0)
      expect(readdirSync(folder)).toEqual(['clicks.duckdb', 'journal', 'restore.unfinished', name].sort())
      expect(existsSync(join(folder, 'restore.unfinished', 'records.sqlite'))).toBe(true)
    },
  )

  it('has only to finish if everything was restored', async () => {
    const finish = () => Promise.reject(new Error('killed'))
    const killed = place({ ...store, finish })
    await killed.begin()
    await killed.writeFile('records.sqlite', content('old'))
    await expect(killed.finish()).rejects.toThrow('killed')
    writeFileSync(join(folder, 'secrets.key'), 'mine')
    const again = place()
    expect(await again.begin()).toBe('complete')
    await again.finish()
    expect(readdirSync(folder)).toEqual(['records.sqlite', 'secrets.key'])
  })
})

it('a restore does not overwrite what was put there meanwhile', async () => {
  const restore = place()
  await restore.begin()
  await restore.writeFile('secrets.key', content('restored'))
  writeFileSync(join(folder, 'secrets.key'), 'mine')
  await expect(restore.finish()).rejects.toThrow(/contains secrets\.key, which the interrupted restore has not written/)
  expect(readFileSync(join(folder, 'secrets.key'), 'utf8')).toBe('mine')
})

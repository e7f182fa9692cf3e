import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PictureCache } from './picture-cache.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-pictures-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const key = (digit: string) => digit.repeat(64)
const picture = (text: string) => Buffer.from(text.repeat(100))
const total = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

describe('the cache of pictures', () => {
  it('gives back what was put, also after a restart', async () => {
    await new PictureCache(folder, 1e6).put(key('a'), picture('a'))
    expect(await new PictureCache(folder, 1e6).get(key('a'))).toEqual(picture('a'))
    expect(await new PictureCache(folder, 1e6).get(key('b'))).toBeUndefined()
  })

  it('stays within its size, without those that were not asked for the longest', async () => {
    const cache = new PictureCache(folder, 300)
    await cache.put(key('a'), picture('a'))
    await cache.put(key('b'), picture('b'))
    await cache.get(key('a'))
    await cache.put(key('c'), picture('c'))
    expect(total()).toBeLessThanOrEqual(300)
    expect(await cache.get(key('b'))).toBeUndefined()
    expect([await cache.get(key('a')), await cache.get(key('c'))]).toEqual([picture('a'), picture('c')])
  })

  it('counts what an earlier process left, and drops its oldest', async () => {
    const earlier = new PictureCache(folder, 1e6)
    for (const digit of ['a', 'b', 'c']) await earlier.put(key(digit), picture(digit))
    utimesSync(join(folder, key('b')), 1, 1)
    const cache = new PictureCache(folder, 600)
    await cache.put(key('d'), picture('d'))
    await cache.put(key('e'), picture('e'))
    expect(total()).toBeLessThanOrEqual(600)
    expect(await cache.get(key('b'))).toBeUndefined()
    expect(await cache.get(key('c'))).toEqual(picture('c'))
  })

  it.each([
    ['cut off', (file: Buffer) => file.subarray(0, 80)],
    ['empty', () => Buffer.alloc(0)],
    ['changed', (file: Buffer) => Buffer.concat([file.subarray(0, 40), Buffer.from('x'), file.subarray(41)])],
  ])('never gives back a file that is %s, and deletes it', async (_name, damage) => {
    await new PictureCache(folder, 1e6).put(key('a'), picture('a'))
    const file = join(folder, key('a'))
    writeFileSync(file, damage(readFileSync(file)))
    expect(await new PictureCache(folder, 1e6).get(key('a'))).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  it('deletes what a crash left unfinished', async () => {
    writeFileSync(join(folder, `${key('a')}.0.tmp`), 'half')
    expect(await new PictureCache(folder, 1e6).get(key('a'))).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })
})

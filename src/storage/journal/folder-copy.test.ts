import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderCopy } from './folder-copy.js'
import { encodeLine } from './row.js'
import { segmentAt } from './segments.js'

describe('the copy of a journal folder', () => {
  let folder: string
  let from: string
  let to: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-folder-copy-'))
    from = join(folder, 'journal')
    to = join(folder, 'copy')
    mkdirSync(from)
    appendFileSync(join(from, 'id'), 'one')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const line = (row: number, text = 'x') => encodeLine('one', row, text).toString()
  const write = (first: number, ...texts: string[]) => appendFileSync(segmentAt(from, first).file, texts.join(''))
  const filesIn = (directory: string) =>
    Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))

  it('has all complete rows of all files after a step, and goes on where it was', () => {
    const copy = new FolderCopy(from, to)
    copy.step()
    write(1, line(1), line(2))
    write(3, line(3, 'y'.repeat(3_000_000)), line(4).slice(0, 9))
    copy.step()
    const torn = filesIn(to)[segmentAt('', 3).file] ?? ''
    expect(torn).toBe(line(3, 'y'.repeat(3_000_000)))
    write(3, line(4).slice(9))
    copy.step()
    expect(filesIn(to)).toEqual(filesIn(from))
    copy.close()
    write(3, line(5))
    const another = new FolderCopy(from, to)
    another.step()
    another.close()
    expect(filesIn(to)).toEqual(filesIn(from))
  })

  it('continues a row that it has half, and drops rows that the journal lost', () => {
    write(1, line(1), line(2), line(3))
    const copy = new FolderCopy(from, to)
    copy.step()
    copy.close()
    truncateSync(segmentAt(to, 1).file, line(1).length + 5)
    copy.step()
    copy.close()
    expect(filesIn(to)).toEqual(filesIn(from))
    truncateSync(segmentAt(from, 1).file, line(1).length)
    write(2, line(2, 'another'))
    copy.step()
    copy.close()
    expect(filesIn(to)).toEqual(filesIn(from))
  })

  it('deletes what the journal has deleted, but not for a journal without any file', () => {
    write(1, line(1))
    write(2, line(2))
    const copy = new FolderCopy(from, to)
    copy.step()
    rmSync(segmentAt(from, 1).file)
    copy.prune()
    expect(filesIn(to)).toEqual(filesIn(from))
    rmSync(segmentAt(from, 2).file)
    copy.prune()
    expect(Object.keys(filesIn(to))).toContain(segmentAt('', 2).file)
    copy.close()
  })

  it('makes no folder above it, and does not touch the copy of another journal', () => {
    write(1, line(1))
    expect(() => new FolderCopy(from, join(folder, 'unmounted', 'copy')).step()).toThrow('ENOENT')
    mkdirSync(to)
    appendFileSync(segmentAt(to, 1).file, encodeLine('two', 1, 'x'))
    const before = filesIn(to)
    expect(() => new FolderCopy(from, to).step()).toThrow('has the copy of another journal')
    expect(filesIn(to)).toEqual(before)
  })
})

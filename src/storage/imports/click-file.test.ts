import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maxLineLength } from '../../core/clicks/import-prepare.js'
import { openClickFile, piecesAfter } from './click-file.js'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-click-file-'))
  path = join(folder, 'clicks.ndjson')
})
afterEach(() => rmSync(folder, { recursive: true }))

async function linesOf(content: string | Buffer, after = 0) {
  writeFileSync(path, content)
  const file = await open(path)
  const lines: [number, string][] = []
  let bytes = 0
  for await (const { first, data, ends, ...piece } of piecesAfter(file, after)) {
    for (const [index, end] of ends.entries()) {
      if (data[end] !== 0x0a) throw new Error('no line feed follows the line')
      lines.push([first + index, data.toString('utf8', index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end)])
    }
    bytes = piece.bytes
  }
  await file.close()
  return { lines, bytes }
}

describe('the lines of a file', () => {
  it.each([
    ['', []],
    ['\n', [[1, '']]],
    ['a', [[1, 'a']]],
    [
      'a\nb',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'a\n\nb\n',
      [
        [1, 'a'],
        [2, ''],
        [3, 'b'],
      ],
    ],
    [
      'ä\r\n€\n',
      [
        [1, 'ä\r'],
        [2, '€'],
      ],
    ],
  ])('of %j are numbered', async (content, lines) => {
    expect((await linesOf(content)).lines).toEqual(lines)
  })

  it('are complete at every piece boundary, and reading can resume after any of them', async () => {
    const all = Array.from({ length: 20_000 }, (_, index) => `${index} ${'ü'.repeat(index % 90)}`)
    const content = `${all.join('\n')}\n`
    const { lines, bytes } = await linesOf(content)
    expect(lines.map(([, text]) => text)).toEqual(all)
    expect(bytes).toBe(Buffer.byteLength(content))
    for (const after of [1, 4_999, 19_999, 20_000, 30_000]) {
      const rest = await linesOf(content, after)
      expect(rest.lines).toEqual(lines.slice(after))
    }
  })

  it('without a final line feed are not read again after the last line', async () => {
    expect((await linesOf('a\nb', 2)).lines).toEqual([])
    expect((await linesOf('a\nb', 1)).lines).toEqual([[2, 'b']])
  })

  it('that are too long are recognisable, and the lines after them are complete', async () => {
    const fitting = 'f'.repeat(maxLineLength)
    const long = 'l'.repeat(maxLineLength + 1)
    const huge = 'h'.repeat(3_000_000)
    const { lines } = await linesOf([fitting, long, huge, 'x', huge].join('\n'))
    expect(lines.map(([, text]) => text[0])).toEqual(['f', 'l', 'h', 'x', 'h'])
    expect(lines.map(([, text]) => text.length > maxLineLength)).toEqual([false, true, true, false, true])
    expect(lines[3]?.[1]).toBe('x')
  })
})

describe('a file of clicks', () => {
  it('is identified by its content, not by its path', async () => {
    const other = join(folder, 'other.ndjson')
    writeFileSync(path, 'a\n')
    writeFileSync(other, 'a\n')
    const [one, same] = [await openClickFile(path), await openClickFile(other)]
    appendFileSync(other, 'b\n')
    const another = await openClickFile(other)
    expect(one.journalId).toMatch(/^import-[0-9a-f]{32}$/)
    expect([same.journalId, same.secret]).toEqual([one.journalId, one.secret])
    expect(another.journalId).not.toBe(one.journalId)
    expect(one.journalId).not.toContain(one.secret)
    for (const file of [one, same, another]) await file.close()
  })

  it('detects changes during the import', async () => {
    writeFileSync(path, 'a\n')
    const file = await openClickFile(path)
    await file.requireUnchanged()
    appendFileSync(path, 'b\n')
    await expect(file.requireUnchanged()).rejects.toThrow('was changed while it was imported')
    await file.close()
  })

  it('reports why it cannot be read', async () => {
    await expect(openClickFile(path)).rejects.toThrow(`Cannot import ${path}: There is no such file.`)
    await expect(openClickFile(folder)).rejects.toThrow('it is a folder')
  })

  it('keeps rejected lines beside the file until they are discarded', async () => {
    writeFileSync(path, 'a\n')
    const file = await openClickFile(path)
    const rejected = [1, 5, 9].map((line) => ({ line, reason: 'because', text: '\u0001"ü' }))
    await file.reject(rejected.slice(0, 2))
    await file.reject(rejected.slice(2))
    const kept = readFileSync(file.rejects, 'utf8').trimEnd().split('\n')
    expect(kept.map((line) => JSON.parse(line))).toEqual(rejected)
    await file.forgetRejects()
    expect(existsSync(file.rejects)).toBe(false)
    await file.forgetRejects()
    await file.close()
  })
})

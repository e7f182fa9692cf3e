import { describe, expect, it } from 'vitest'
import { type Part, readMultipart } from './multipart.js'

const type = 'multipart/form-data; boundary=b'

function read(text: string, contentType = type) {
  return readMultipart(Buffer.from(text), contentType)?.map(({ name, isFile, type: of, bytes }: Part) => [
    name,
    isFile ? `file ${of}` : 'text',
    Buffer.from(bytes).toString(),
  ])
}

const head = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}\r\n\r\n`

describe('a form of parts', () => {
  it('has texts and files', () => {
    const file = `Content-Disposition: form-data; name="file"; filename="x.png"\r\nContent-Type: image/png\r\n\r\n`
    expect(read(`--b\r\n${head('name')}Grüße\r\n--b\r\n${file}\r\n\r\n--c--\r\n\r\n--b--\r\n`)).toEqual([
      ['name', 'text', 'Grüße'],
      ['file', 'file image/png', '\r\n\r\n--c--\r\n'],
    ])
  })

  it('has types without the blanks around them', () => {
    const file = 'Content-Disposition: form-data; name="file"; filename="x.png"\r\nContent-Type: \t image/png  \r\n\r\n'
    expect(read(`--b\r\n${file}1\r\n--b--`)).toEqual([['file', 'file image/png', '1']])
  })

  it.each([
    ['words before and after it', `before\r\n--b\r\n${head('a')}1\r\n--b--\r\nafter`],
    ['no line break at its end', `--b\r\n${head('a')}1\r\n--b--`],
    ['blanks after a boundary', `--b \t\r\n${head('a')}1\r\n--b--`],
    ['headers in another case', `--b\r\nCONTENT-DISPOSITION: Form-Data; NAME="a"\r\n\r\n1\r\n--b--`],
    ['a name without quotes', `--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--`],
    ['other headers', `--b\r\nX-Other: y\r\n${head('a')}1\r\n--b--`],
  ])('may have %s', (_what, text) => {
    expect(read(text)).toEqual([['a', 'text', '1']])
  })

  it('may have an empty value, and a name of a file in another alphabet', () => {
    const file = head('f', `; filename*=UTF-8''%e2%82%ac.png`)
    expect(read(`--b\r\n${head('a')}\r\n--b\r\n${file}x\r\n--b--`)).toEqual([
      ['a', 'text', ''],
      ['f', 'file undefined', 'x'],
    ])
  })

  it.each([
    ['multipart/form-data; boundary="a b"', '--a b'],
    ['multipart/form-data; charset=utf-8; BOUNDARY=----x', '------x'],
  ])('is divided as %j says', (contentType, line) => {
    expect(read(`${line}\r\n${head('a')}1\r\n${line}--`, contentType)).toEqual([['a', 'text', '1']])
  })

  it.each([
    ['nothing', ''],
    ['no boundary', 'text'],
    ['no end', `--b\r\n${head('a')}1`],
    ['no end after a part', `--b\r\n${head('a')}1\r\n--b\r\n`],
    ['no headers', '--b\r\n1\r\n--b--'],
    ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--'],
    ['another disposition', '--b\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n--b--'],
    ['words after a boundary', `--b\r\n${head('a')}1\r\n--bc\r\n${head('a')}1\r\n--b--`],
    ['long headers', `--b\r\nX: ${'x'.repeat(10_000)}\r\n${head('a')}1\r\n--b--`],
    ['many parts', `${`--b\r\n${head('a')}1\r\n`.repeat(21)}--b--`],
  ])('cannot have %s', (_what, text) => {
    expect(read(text)).toBeUndefined()
  })

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(101)}`,
  ])('cannot be divided as %j says', (contentType) => {
    expect(read(`--b\r\n${head('a')}1\r\n--b--`, contentType)).toBeUndefined()
  })

  it('of one empty list is empty', () => {
    expect(read('--b--\r\n')).toEqual([])
  })
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { columnsOf, newHeader, problemsOf, rememberColumns } from './columns.js'

const url = 'https://example.com/'
const table = (header: readonly string[], rows: readonly (readonly string[])[] = []) => ({
  header,
  rows,
  hasMore: false,
  named: () => new Blob(),
})

describe('the header that is sent', () => {
  it('is the one of the file where the service reads it as it is', () => {
    expect(newHeader('create', ['Long URL', '', 'Color'], ['long_url', '', ''])).toBeUndefined()
  })

  it('has each name once', () => {
    const header = ['Page', 'Price', 'price', 'title', 'Price ']
    expect(newHeader('create', header, ['long_url', '', '', '', ''])).toEqual([
      'long_url',
      'Price',
      'unused 3',
      'unused 4',
      'unused 5',
    ])
  })

  it('names all columns of a file without one', () => {
    expect(newHeader('create', [], ['long_url', ''])).toEqual(['long_url', 'unused 2'])
  })
})

describe('problems', () => {
  const columns = ['long_url', 'keyword', 'domain']
  const found = (rows: readonly (readonly string[])[], strict = true) => problemsOf('create', { rows }, columns, strict)

  it('are back-halves twice, if these are refused', () => {
    const rows = [
      [url, 'sale', 'a.example'],
      [url, 'Sale', 'a.example'],
      [url, 'sale', 'b.example'],
      [url, 'sale', 'A.example'],
      [url, '', ''],
      [url, '', ''],
    ]
    expect(found(rows)).toEqual([undefined, undefined, undefined, 'twice', undefined, undefined])
    expect(found(rows, false).filter(Boolean)).toEqual([])
  })

  it('do not take the back-half of a row that is refused', () => {
    expect(
      found([
        ['wrong', 'sale'],
        [url, 'sale'],
      ]),
    ).toEqual(['url', undefined])
  })

  it('are cells beyond the columns, unless they are empty', () => {
    expect(found([[url, '', '', '', ''], [url, '', '', '', 'x'], [url]])).toEqual([undefined, 'cells', undefined])
  })
})

describe('columns that are remembered', () => {
  afterEach(() => vi.unstubAllGlobals())
  const header = ['Page', 'Name']

  it.each(['{', 'null', '[]', '{"create|page|name":5}', '{"create|page|name":["long_url"]}'])(
    'are forgotten if %j is stored',
    (stored) => {
      vi.stubGlobal('localStorage', { getItem: () => stored, setItem: () => undefined })
      expect(columnsOf('create', table(header, [[url, 'x']]))).toEqual(['long_url', 'title'])
      expect(() => rememberColumns('create', header, ['long_url', ''])).not.toThrow()
    },
  )

  it('are fields that there are', () => {
    const stored = '{"create|page|name":["gone","title"]}'
    vi.stubGlobal('localStorage', { getItem: () => stored })
    expect(columnsOf('create', table(header))).toEqual(['', 'title'])
  })

  it('need no room', () => {
    const setItem = () => {
      throw new Error('full')
    }
    vi.stubGlobal('localStorage', { getItem: () => null, setItem })
    expect(() => rememberColumns('create', header, ['long_url', ''])).not.toThrow()
  })
})

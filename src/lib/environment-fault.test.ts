import { describe, expect, it } from 'vitest'
import { environmentFault } from './environment-fault.js'

describe('environmentFault', () => {
  it.each([
    ['full', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })],
    ['full', Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })],
    ['full', new Error('IO Error: Could not write file "clicks.duckdb": No space left on device')],
    ['read-only', Object.assign(new Error('EROFS: read-only file system, open'), { code: 'EROFS' })],
    ['read-only', Object.assign(new Error('attempt to write a readonly database'), { code: 'SQLITE_READONLY' })],
    ['ulimit', Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE' })],
    ['disk reports I/O errors', Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })],
  ])('knows %s: %s', (word, error) => {
    expect(environmentFault(error)).toContain(word)
    expect(environmentFault(new AggregateError([new Error('other'), error], 'some'))).toContain(word)
    expect(environmentFault(new Error('above', { cause: error }))).toContain(word)
  })

  it('leaves mistakes of the program alone', () => {
    expect(environmentFault(new TypeError('x is not a function'))).toBeUndefined()
    expect(environmentFault('ENOSPC')).toBeUndefined()
    expect(environmentFault(new Error('ENOENT: no such file'))).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { readCookie, writeCookie } from './cookies.js'

const plain = { baseUrl: 'http://localhost:8080' }
const secure = { baseUrl: 'https://sho.rt' }

describe('cookies', () => {
  it('are out of reach of scripts and of the forms of other sites', () => {
    expect(writeCookie(plain, 'name', 'value')).toBe('name=value; Path=/; HttpOnly; SameSite=Lax')
  })

  it('are bound to https and to this host where the service is reached by https', () => {
    expect(writeCookie(secure, 'name', 'value', 60)).toBe(
      '__Host-name=value; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure',
    )
    expect(readCookie(secure, 'name=tossed; __Host-name=ours', 'name')).toBe('ours')
    expect(readCookie(secure, 'name=tossed', 'name')).toBeUndefined()
  })

  it.each([
    ['name=value', 'value'],
    ['other=1; name=value;more=2', 'value'],
    ['rename=1; name=a=b', 'a=b'],
    ['name=', undefined],
    ['other=1', undefined],
    [undefined, undefined],
  ])('are found in %j', (header, value) => {
    expect(readCookie(plain, header, 'name')).toBe(value)
  })
})

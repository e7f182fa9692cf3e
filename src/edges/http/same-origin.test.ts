import { expect, it } from 'vitest'
import { isFromAnotherOrigin } from './same-origin.js'

const host = 'sho.rt'

it.each([
  [{ host }, 'https://sho.rt', false],
  [{ host, origin: 'https://sho.rt', 'sec-fetch-site': 'same-origin' }, 'https://sho.rt', false],
  [{ host, 'sec-fetch-site': 'none' }, 'https://sho.rt', false],
  [{ host, 'sec-fetch-site': 'same-site' }, 'https://sho.rt', true],
  [{ host, origin: 'https://sho.rt', 'sec-fetch-site': 'cross-site' }, 'https://sho.rt', true],
  [{ host, origin: 'https://sho.rt.evil.example' }, 'https://sho.rt', true],
  [{ host, origin: 'http://sho.rt' }, 'https://sho.rt', true],
  [{ host, origin: 'https://sho.rt:444' }, 'https://sho.rt', true],
  // Of a page without an origin, such as a sandboxed frame.
  [{ host, origin: 'null' }, 'https://sho.rt', true],
  [{ host, origin: '' }, 'https://sho.rt', true],
  // A proxy that does not forward the Host, and a service with another name than that of its base URL.
  [{ host: '127.0.0.1:8080', origin: 'https://sho.rt' }, 'https://sho.rt', false],
  [{ host: '10.0.0.5:8080', origin: 'http://10.0.0.5:8080' }, 'http://localhost:8080', false],
  [{ host: 'Box.lan', origin: 'https://box.lan' }, 'http://localhost:8080', false],
  [{ host: '10.0.0.5:8080', origin: 'http://10.0.0.5:9090' }, 'http://localhost:8080', true],
  [{ origin: 'http://evil.example' }, 'http://localhost:8080', true],
])('%o to %s is from another origin: %s', (headers, baseUrl, expected) => {
  expect(isFromAnotherOrigin(headers, baseUrl)).toBe(expected)
})

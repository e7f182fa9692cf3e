import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'

it('gives no port twice, though nobody listens on it yet', async () => {
  const ports = await Promise.all(Array.from({ length: 150 }, freePort))
  expect(new Set(ports).size).toBe(ports.length)
  const drawn = () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
      })
    })
  // Nor does the system give it to anybody else.
  for (let i = 0; i < 50; i++) expect(ports).not.toContain(await drawn())
})

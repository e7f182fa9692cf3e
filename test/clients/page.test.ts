import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clients } from './clients.js'
import { pageWith, sectionOf } from './page.js'

const page = readFileSync('docs/clients.md', 'utf8')

it.each(clients.map((client) => [client.name, client] as const))(
  'docs/clients.md has %s in the tested version',
  (_, client) => {
    const section = sectionOf(page, client)
    expect(section).toContain(`Version ${client.version}, pointed here with \`${client.pointed}\``)
    for (const [, reason] of client.failures) expect(section).toContain(`failed: ${reason} |`)
  },
)

it('docs/clients.md counts its own rows', () => {
  expect(pageWith(clients, new Map(), page)).toBe(page)
})

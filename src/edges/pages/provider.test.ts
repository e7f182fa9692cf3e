import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { providerRefusals } from './provider.js'

const [, messages = ''] = readFileSync('docs/sso.md', 'utf8').split('## Messages')

it.each(Object.values(providerRefusals).map(({ title }) => title))('docs/sso.md explains "%s"', (title) => {
  expect(messages).toContain(`| ${title.replace('{name}', '...')} |`)
})

// POST /v4/shorten with --link-word: off, on for clients that use our own word, and on for clients that use the other.
import { join } from 'node:path'
import { measure } from '../load.mjs'
import { rounds } from '../rounds.mjs'
import { startShortlink } from '../servers.mjs'
import { newLinksPlan } from './shorten.mjs'

const word = ['--link-word', 'bitlink']

export async function run({ directory, say }) {
  const services = {
    off: await startShortlink(join(directory, 'off')),
    on: await startShortlink(join(directory, 'on'), word),
    used: await startShortlink(join(directory, 'used'), [...word, '--link-word-default', 'on']),
  }
  const answer = await services.used.shorten('https://example.com/check')
  if (!('custom_bitlinks' in answer)) throw new Error(`the word was not used: ${JSON.stringify(answer)}`)
  const contestants = Object.fromEntries(
    Object.entries(services).map(([name, service]) => [name, () => measure(service, newLinksPlan(service.url, 1))]),
  )
  for (const service of Object.values(services)) await measure(service, newLinksPlan(service.url, 5))
  // Short and many: the difference is smaller than what other work on the machine does to a longer round.
  const measured = await rounds(41, contestants, say)
  await Promise.all(Object.values(services).map(({ stop }) => stop()))
  const key = measured.has('http', ...Object.keys(services)) ? 'http' : undefined
  const titles = { off: 'no link word', on: 'link word on, not used', used: 'link word on, used' }
  return Object.entries(titles).flatMap(([name, what]) => {
    // The processor time of the HTTP thread says more than throughput while the machine is busy.
    const cost = key && measured.ratio(name, 'off', key).figure
    return [
      { what: `POST /v4/shorten, ${what}`, ...measured.of(name), unit: 'links/s' },
      ...(key
        ? [
            {
              what: `POST /v4/shorten, ${what}: processor time of the HTTP thread`,
              ...measured.of(name, key),
              unit: 'us each',
              ratio: cost,
              ...(name !== 'off' && { goal: '<= 1.03 of off', met: cost <= 1.03 }),
            },
          ]
        : []),
    ]
  })
}

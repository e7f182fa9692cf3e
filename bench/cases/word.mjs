// POST /v4/shorten with --link-word: off, on for clients that use our own word, and on for clients that use the other.
import { join } from 'node:path'
import { amount } from '../brief.mjs'
import { measure } from '../load.mjs'
import { rounds } from '../rounds.mjs'
import { startShortlink } from '../servers.mjs'
import { newLinksPlan } from './shorten.mjs'

const word = ['--link-word', 'bitlink']

export async function run({ directory, say }) {
  const services = {
    off: await startShortlink(join(directory, 'off')),
    again: await startShortlink(join(directory, 'again')),
    on: await startShortlink(join(directory, 'on'), word),
    used: await startShortlink(join(directory, 'used'), [...word, '--link-word-default', 'on']),
  }
  const answer = await services.used.shorten('https://example.com/check')
  if (!('custom_bitlinks' in answer)) throw new Error(`the word was not used: ${JSON.stringify(answer)}`)
  const contestants = Object.fromEntries(
    Object.entries(services).map(([name, service]) => [
      name,
      () => measure(service, newLinksPlan(service.url, amount(2, 1))),
    ]),
  )
  for (const service of Object.values(services)) await measure(service, newLinksPlan(service.url, amount(5, 1)))
  // Short rounds, because a slow moment of the machine is longer than the difference.
  const measured = await rounds(amount(21, 1), contestants, say)
  await Promise.all(Object.values(services).map(({ stop }) => stop()))
  const key = measured.has('http', ...Object.keys(services)) ? 'http' : undefined
  // The same service twice: where their ratio is not 1.00, the others say as little.
  const titles = {
    off: 'no link word',
    again: 'no link word, again',
    on: 'link word on, not used',
    used: 'link word on, used',
  }
  const goals = { on: true, used: true }
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
              ...(name in goals && { goal: '<= 1.03 of off', met: cost <= 1.03 }),
            },
          ]
        : []),
    ]
  })
}

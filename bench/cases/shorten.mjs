// POST /v4/shorten with a new long URL each time, authenticated, beside a bare server that reads the same body.
import { join } from 'node:path'
import { load } from '../load.mjs'
import { against, rounds } from '../rounds.mjs'
import { adminToken, startBare, startShortlink } from '../servers.mjs'

let run = 0

/** New links a second, each of a long URL that was never seen before. */
export async function newLinks(url, seconds = 5) {
  const mark = `${process.pid}-${run++}`
  const body = '{"long_url":"https://example.com/[<id>]?utm_source=bench"}'
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const autocannon = { method: 'POST', path: '/v4/shorten', body, headers, idReplacement: true }
  const script = { file: 'shorten.lua', args: [adminToken, mark], autocannon }
  return (await load({ url, seconds, headers: {}, script })).perSecond
}

export async function shorten({ directory, say }) {
  const service = await startShortlink(join(directory, 'data'))
  const bare = await startBare()
  await newLinks(service.url) // warms the compiler up
  const contestants = { bare: () => newLinks(bare.url), shortlink: () => newLinks(service.url) }
  const measured = await rounds(5, contestants, say)
  await Promise.all([service.stop(), bare.stop()])
  return [
    against(
      'POST /v4/shorten, new URL each',
      measured.median('shortlink'),
      'links/s',
      measured.ratio('shortlink', 'bare'),
      0.2,
    ),
    { what: 'bare node:http, same body', figure: measured.median('bare'), unit: 'answers/s' },
  ]
}

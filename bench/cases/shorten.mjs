// POST /v4/shorten with a new long URL each time, authenticated, beside a bare server that reads the same body.
import { join } from 'node:path'
import { amount } from '../brief.mjs'
import { load, measure } from '../load.mjs'
import { rounds, rowsAgainstBare } from '../rounds.mjs'
import { adminToken, startBare, startShortlink } from '../servers.mjs'

let loads = 0

/** A load of new links, each for a new long URL. */
export function newLinksPlan(url, seconds = amount(5, 1)) {
  const mark = `${process.pid}-${loads++}`
  const body = '{"long_url":"https://example.com/[<id>]?utm_source=bench"}'
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const autocannon = { method: 'POST', path: '/v4/shorten', body, headers, idReplacement: true }
  const script = { file: 'shorten.lua', args: [adminToken, mark], autocannon }
  return { url, seconds, headers: {}, script }
}

/** New links a second. */
export async function newLinks(url, seconds) {
  return (await load(newLinksPlan(url, seconds))).perSecond
}

export async function open({ directory, build, seconds }) {
  const service = await startShortlink(join(directory, 'data'), [], build)
  return {
    tasks: { 'POST /v4/shorten, new URL each': () => measure(service, newLinksPlan(service.url, seconds)) },
    stop: service.stop,
  }
}

export async function run({ directory, say }) {
  const { tasks, stop } = await open({ directory })
  const bare = await startBare()
  const [[what, shortlink]] = Object.entries(tasks)
  await shortlink() // warms the compiler up
  const measured = await rounds(amount(5, 1), { bare: () => measure(bare, newLinksPlan(bare.url)), shortlink }, say)
  await Promise.all([stop(), bare.stop()])
  return [
    ...rowsAgainstBare(what, 'links/s', measured, 0.4),
    { what: 'bare node:http, same body', ...measured.of('bare'), unit: 'answers/s' },
  ]
}

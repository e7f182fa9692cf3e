/**
 * Sends random requests for every operation of the API to two services: in our own word to the one, in another word to the
 * other. Both were asked for the same before, so both answers must be the same but for the word.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { createToken } from '../../src/core/accounts/tokens.js'
import { guidLetters } from '../../src/core/values/guid.js'
import { type Answer, type StartedApp, startApp } from '../support/start-app.js'
import { firstOrganization, organize } from './organize.js'
import { type Known, operationsIn, randomFrom, requestFor } from './requests-by-schema.js'

/** What users write, in the words of both services. */
const written = 'shortlinkbitlink'

interface Side {
  readonly started: StartedApp
  readonly token: string
  readonly path: Readonly<Record<string, string>>
  readonly time: { now: number }
  /** What is random on each service, such as guids, by its first appearance. */
  readonly numbers: Map<string, number>
}

export interface Compared {
  readonly requests: number
  readonly operations: number
  /** How many answers had each status. */
  readonly statuses: ReadonlyMap<number, number>
}

export async function compareWords(seed: number, rounds: number): Promise<Compared> {
  const sides = [await aSide('shortlink'), await aSide('bitlink')] as const
  try {
    return await compare(sides, seed, rounds)
  } finally {
    for (const { started } of sides) await started.close()
  }
}

async function aSide(word: 'shortlink' | 'bitlink'): Promise<Side> {
  let hashes = 0
  // Later with each request, so that nothing is ordered by its random guid.
  const time = { now: Date.parse('2026-03-18T12:00:00Z') }
  const places = { baseUrl: 'http://api.example.com', domains: ['go.example.com'] as [string] }
  const started = await startApp(
    { ...places, linkWord: ['bitlink'] },
    {
      clock: { now: () => time.now },
      newHash: () => `h${String(hashes++).padStart(6, '0')}`,
    },
  )
  time.now += 1000
  const { secret: token } = await createToken(started.app, operator, { login: 'admin', label: 'test', answersIn: word })
  const organization = await firstOrganization(started)
  await organize(started).domain('brand.example.com', organization, [started.groupGuid])
  const post = async (path: string, body: object) => {
    time.now += 1000
    return (await started.request('POST', path, { body })).body
  }
  const group_guid = started.groupGuid
  const link = await post('/v4/shortlinks', { long_url: `https://example.com/${written}`, title: written })
  await post('/v4/custom_shortlinks', { shortlink_id: link.id, custom_shortlink: `brand.example.com/${written}` })
  const code = await post('/v4/qr-codes', { group_guid, destination: { shortlink_id: link.id }, title: written })
  const campaign = await post('/v4/campaigns', { group_guid, name: written })
  const channel = await post('/v4/channels', { group_guid, name: written })
  const site = await post('/v4/sites', { group_guid, domain: 'brand.example.com', keyword: 'page' })
  const content = { shortlink_id: link.id, link_title: written }
  const block = await post(`/v4/sites/${site.site_guid}/blocks`, { type: 'shortlink', content })
  const [domain = '', hash = ''] = link.id.split('/')
  const path = {
    domain,
    hash,
    group_guid,
    keyword: written,
    organization_guid: organization,
    qrcode_id: code.qrcode_id,
    campaign_guid: campaign.guid,
    channel_guid: channel.guid,
    site_id: site.site_guid,
    launchpad_id: site.site_guid,
    block_id: block.block_id,
    sort: 'clicks',
  }
  return { started, token, path, time, numbers: new Map() }
}

async function compare([one, other]: readonly [Side, Side], seed: number, rounds: number): Promise<Compared> {
  const ours = (await one.started.request('GET', '/openapi.json')).body
  const theirs = (await other.started.request('GET', '/openapi.json?word=bitlink')).body
  const pairs = operationsIn(ours).map((operation, at) => [operation, operationsIn(theirs)[at]] as const)
  // What is deleted is of no use to other operations. Events have no end.
  const isLast = (method: string) => method === 'DELETE'
  const asked = pairs
    .filter(([{ path }]) => !path.endsWith('/events'))
    .sort(([a], [b]) => Number(isLast(a.method)) - Number(isLast(b.method)))
  const statuses = new Map<number, number>()
  let requests = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, [operation, inWord]] of asked.entries()) {
      if (isLast(operation.method) && round < rounds - 1) continue
      if (!inWord) throw new Error(`${operation.path} is missing in the other word`)
      const start = seed + round * 1000 + at
      const sent = requestFor(operation, ours, knownTo(one, 'shortlink'), randomFrom(start))
      const answer = await ask(one, sent)
      const sentInWord = requestFor(inWord, theirs, knownTo(other, 'bitlink'), randomFrom(start))
      const inWordAnswer = await ask(other, sentInWord)
      const told = { seed: start, asked: sent, sentInWord }
      const expected = { ...told, status: answer.status, ...shape(one, answer, translated) }
      const same = (value: unknown) => value
      expect({ ...told, status: inWordAnswer.status, ...shape(other, inWordAnswer, same) }).toEqual(expected)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      requests += 1
    }
  }
  return { requests, operations: asked.length, statuses }
}

/** A job that the request began is over afterwards. */
async function ask(side: Side, { method, url, body }: ReturnType<typeof requestFor>): Promise<Answer> {
  side.time.now += 1000
  const sent = { token: side.token, isShown: false }
  const answer = await side.started.request(method, url, body === undefined ? sent : { ...sent, body })
  if (answer.status === 202) {
    const state = async () => (await side.started.app.bulkJobs.find(answer.body.guid))?.state ?? 'none'
    while (['waiting', 'running'].includes(await state())) await wait(5)
  }
  return answer
}

function knownTo({ path }: Side, word: string): Known {
  const link = `${path.domain}/${path.hash}`
  return {
    path,
    texts: {
      '*': [written, 'none', 'https://example.com/a', link],
      long_url: ['https://example.com/a', `https://example.com/${written}`, `http://${link}`, 'nothing'],
      group_guid: [path.group_guid ?? ''],
      organization_guid: [path.organization_guid ?? ''],
      campaign_guid: [path.campaign_guid ?? ''],
      channel_guid: [path.channel_guid ?? ''],
      channel_guids: [path.channel_guid ?? ''],
      domain: ['go.example.com', 'brand.example.com', 'nowhere'],
      shortlink_id: [link, 'nothing', 'go.example.com/nothing'],
      shortlinks: [link, 'nothing'],
      custom_shortlink: [`brand.example.com/${written}`, 'brand.example.com/new', 'nothing'],
      zone: ['Europe/Berlin'],
      query: ['none', written],
      unit_reference: ['2026-03-18T12:00:00+0000'],
      path: [`/v4/${word}s`, '/v4/shorten'],
    },
    nameOf: (field) => field.replaceAll(word, 'shortlink'),
  }
}

/** What an answer says, without what is random. */
function shape({ numbers }: Side, { headers, body, text }: Answer, translate: (value: unknown) => unknown) {
  const { date: _date, 'content-length': _length, 'x-bsd-error': _dns, ...rest } = headers
  const content = body === undefined ? text : translate(settled(body))
  return { headers: numbered(rest, numbers), body: numbered(content, numbers) }
}

/** Without what is counted in the background and the list of words, and with files as text. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled)
  if (typeof value !== 'object' || value === null) return value
  if ('name' in value && value.name === 'api_requests') return 'api_requests'
  const entries = Object.entries(value).map(([key, each]) => {
    const [, file] = key === 'data_uri' ? String(each).split(';base64,') : []
    return [key, file === undefined ? settled(each) : Buffer.from(file, 'base64').toString()]
  })
  return Object.fromEntries(entries.filter(([key]) => key !== 'size_bytes' && key !== 'link_words'))
}

/** Fields that are random as a whole: the end of a secret, the place in a list, the id of a request, a digest, a challenge. */
const random: ReadonlySet<string> = new Set(['hint', 'search_after', 'x-request-id', 'request_id', 'etag', 'challenge'])

const guid = `[${Object.values(guidLetters).join('')}][0-9A-Za-z]{10}`
const guidOrSecret = new RegExp(`\\bwhsec_[0-9A-Za-z+/=]+|\\b(?:${guid}|(?:R_)?[0-9A-Za-z]{20,})\\b`, 'g')

/** Guids and secrets by the order in which they appear. */
function numbered(value: unknown, numbers: Map<string, number>): unknown {
  if (Array.isArray(value)) return value.map((each) => numbered(each, numbers))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => [key, random.has(key) ? '#' : numbered(each, numbers)])
    return Object.fromEntries(entries)
  }
  if (typeof value !== 'string') return value
  // The place in a list, and the end of an address that a copy of a site finds by itself.
  const text = value.replace(/(?<=[?&]search_after=)[\w-]+|(?<=\/page-)\w{5}$/, '#')
  return text.replace(guidOrSecret, (found) => {
    const number = numbers.get(found) ?? numbers.size
    numbers.set(found, number)
    return `#${number}`
  })
}

/** Everything in the other word, except for the name of the program, what users wrote and the sentences of errors. */
function translated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translated)
  if (typeof value === 'string') return inWord(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [
    inWord(key),
    (key === 'description' && 'message' in value) || (key === 'name' && 'version' in value) ? each : translated(each),
  ])
  return Object.fromEntries(entries)
}

function inWord(text: string): string {
  return text
    .split(written)
    .map((part) => part.replaceAll('shortlink', 'bitlink').replaceAll('SHORTLINK', 'BITLINK'))
    .join(written)
}

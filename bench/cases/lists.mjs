// Lists of a group of 1,000,000 links over HTTP, one request after another, on both engines: the first page and the 1000th,
// filtered by a tag, searched, and sorted by clicks.
import { amount } from '../brief.mjs'
import { onEachEngine } from '../engines.mjs'
import { summary } from '../rounds.mjs'
import { address, commonTag } from '../seed-links.mjs'
import { fill } from './metrics.mjs'

/** Half of them are in the group. */
const links = amount(2_000_000, 12_000)
const clicks = amount(2_000_000, 20_000)
const deepPage = amount(1000, 20)
const deepPageOfTag = amount(50, 5)
const requests = amount(100, 3)
const goal = 50
const name = 'lists'

export function run({ directory, say }) {
  return onEachEngine(directory, say, async (engineName, engine) => {
    await engine.make(name)
    const first = await engine.serve(name)
    const groupGuid = (await ask(first, '/v4/groups')).groups[0].guid
    await first.stop()
    say(`${engineName}: ${links / 2} links in a group`)
    await engine.seed(name, links, groupGuid)
    const clicked = Array.from({ length: amount(200_000, 6000) }, (_, index) => address(2 * (index + 1)))
    await fill(first.dataDir, clicks, { ids: clicked, groupGuid }, () => {})
    const service = await engine.serve(name)
    try {
      const rows = []
      for (const [what, path] of Object.entries(await listsOf(service, groupGuid))) {
        const { figure, spread } = await timesOf(service, path)
        say(`${engineName}, ${what}: ${figure.toFixed(1)} ms`)
        const row = { what: `${engineName}: ${what}, p95`, figure, spread, unit: 'ms' }
        rows.push({ ...row, goal: `<= ${goal} ms`, met: figure <= goal })
      }
      return rows
    } finally {
      await service.stop()
    }
  })
}

/** The paths of what is measured; each can depend on the number of the request. */
async function listsOf(service, groupGuid) {
  const list = `/v4/groups/${groupGuid}/shortlinks`
  const [deep, deepOfTag] = [
    await pageOf(service, list),
    await pageOf(service, `${list}?tags=${commonTag}`, deepPageOfTag),
  ]
  return {
    'list, page 1': () => list,
    [`list, page ${deepPage}`]: () => deep,
    'a tag, page 1': () => `${list}?tags=${commonTag}`,
    [`a tag, page ${deepPageOfTag}`]: () => deepOfTag,
    'a word of every link': () => `${list}?query=products`,
    'a word of few links': (number) => `${list}?query=${Math.floor(links / 3) + number}%3Futm`,
    'a word of no link': (number) => `${list}?query=nowhere${number}`,
    'sorted by clicks of 30 days': () => `${list}/clicks?unit=day&units=30&size=50`,
  }
}

/** Pages through the list like a client. */
async function pageOf(service, list, number = deepPage) {
  let path = list
  for (let at = 1; at < number; at++) path = (await ask(service, path)).pagination.next.replace(/^https?:\/\/[^/]*/, '')
  return path
}

async function timesOf(service, pathOf) {
  const times = []
  for (let number = -3; number < requests; number++) {
    const began = performance.now()
    await ask(service, pathOf(number + 4))
    if (number >= 0) times.push(performance.now() - began)
  }
  const sorted = times.toSorted((one, other) => one - other)
  return { ...summary(times), figure: sorted[Math.floor(sorted.length * 0.95)] }
}

async function ask(service, path) {
  const answer = await service.request('GET', path)
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

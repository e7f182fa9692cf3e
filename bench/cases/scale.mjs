// Does the service slow down as its tables grow? On both engines, with 10,000 and 2,000,000 links: new links and
// lookups in the stores alone, and new links through the API. The case `lists` is about lists.
import { randomHash } from '../../dist-modules/core/values/random.js'
import { amount } from '../brief.mjs'
import { onEachEngine } from '../engines.mjs'
import { median } from '../rounds.mjs'
import { address, bigGroup, domain } from '../seed-links.mjs'
import { newLinks } from './shorten.mjs'

const few = amount(10_000, 1000)
const many = amount(2_000_000, 4000)
const measuredRounds = amount(7, 1)

export function run({ directory, say }) {
  return onEachEngine(directory, say, async (name, engine) => {
    const records = {}
    const services = {}
    try {
      for (const count of [few, many]) {
        const started = performance.now()
        await engine.make(nameOf(count))
        await engine.seed(nameOf(count), count)
        records[count] = await engine.open(nameOf(count))
        say(`${name}: ${count} links seeded in ${((performance.now() - started) / 1000).toFixed(1)} s`)
      }
      const rows = await growth(name, records[few], records[many], say)
      for (const count of [few, many]) {
        await records[count].close()
        delete records[count]
        services[count] = await engine.serve(nameOf(count))
      }
      return [...rows, await creation(name, services[few], services[many], say)]
    } finally {
      for (const each of Object.values(records)) await each.close()
      for (const each of Object.values(services)) await each.stop()
    }
  })
}

function nameOf(count) {
  return `links_${count}`
}

async function growth(engine, small, big, say) {
  const tasks = {
    'new links': (records) => perSecond(amount(1000, 50), () => records.links.findOrInsert(newDraft(), randomHash)),
    'redirect lookups': (records, existing) => perSecond(amount(5000, 50), () => records.links.target(anyOf(existing))),
    'links read in full': (records, existing) => perSecond(amount(5000, 50), () => records.links.get(anyOf(existing))),
  }
  const rows = []
  for (const [what, task] of Object.entries(tasks)) {
    const ratios = []
    const figures = []
    // The first rounds fill caches and warm up the compiler.
    for (let round = -2; round < measuredRounds; round++) {
      const atFew = await task(small, few)
      const atMany = await task(big, many)
      say(`${engine}, ${what}: ${Math.round(atFew)}/s at ${few}, ${Math.round(atMany)}/s at ${many}`)
      if (round < 0) continue
      ratios.push(atFew / atMany)
      figures.push(atMany)
    }
    rows.push(slowdown(atBoth(engine, `${what}, store alone,`), figures, ratios, 1.5))
  }
  return rows
}

async function creation(engine, small, big, say) {
  const ratios = []
  const figures = []
  for (let round = -2; round < measuredRounds; round++) {
    const atFew = await newLinks(small.url, 1)
    const atMany = await newLinks(big.url, 1)
    say(`${engine}, POST /v4/shorten: ${Math.round(atFew)}/s at ${few}, ${Math.round(atMany)}/s at ${many}`)
    if (round < 0) continue
    ratios.push(atFew / atMany)
    figures.push(atMany)
  }
  return slowdown(atBoth(engine, 'POST /v4/shorten'), figures, ratios, 1.5)
}

function atBoth(engine, what) {
  return `${engine}: ${what} at ${many.toLocaleString('en')} against ${few.toLocaleString('en')}`
}

/** Operations per second of several callers that each wait for their result. */
async function perSecond(count, operation, callers = 32) {
  let left = count
  const started = performance.now()
  const call = async () => {
    while (left-- > 0) await operation()
  }
  await Promise.all(Array.from({ length: callers }, call))
  return count / ((performance.now() - started) / 1000)
}

function slowdown(what, figures, ratios, goal) {
  const ratio = median(ratios)
  return { what, figure: median(figures), unit: '/s', ratio, goal: `<= ${goal}`, met: ratio <= goal }
}

function anyOf(existing) {
  return address(1 + Math.floor(Math.random() * existing))
}

let made = 0
function newDraft() {
  const longUrl = `https://example.com/new/${process.pid}/${made++}/${Math.random()}?utm_source=bench`
  return {
    groupGuid: bigGroup,
    organizationGuid: 'Oscale',
    domain,
    longUrl,
    createdBy: 'bench',
    clientId: undefined,
    at: Date.now(),
  }
}

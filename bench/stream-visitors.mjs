// Visitors at a constant rate, in their own process.
import { Agent, get } from 'node:http'
import { readArguments } from '../scripts/arguments.mjs'
import { browser } from './load.mjs'

const usage = 'node bench/stream-visitors.mjs URL PER_SECOND SECONDS [timed]'
const [url, perSecond, seconds, timed] = readArguments(usage, { allowPositionals: true }).positionals
const agent = new Agent({ keepAlive: true, maxSockets: 32 })
const began = performance.now()
let sent = 0
let answered = 0

const timer = setInterval(() => {
  const elapsed = (performance.now() - began) / 1000
  const due = Math.min(elapsed, Number(seconds)) * Number(perSecond)
  for (; sent < due; sent++) {
    // With `timed`, the referrer says when the visit began.
    const headers = timed ? { ...browser, referer: `https://visit.example/${Date.now()}` } : browser
    get(url, { agent, headers }, (response) => {
      response.resume()
      if (response.statusCode === 301 && ++answered === Number(perSecond) * Number(seconds)) {
        console.log(JSON.stringify({ answered, seconds: (performance.now() - began) / 1000 }))
        agent.destroy()
      }
    })
  }
  if (elapsed >= Number(seconds)) clearInterval(timer)
}, 5)

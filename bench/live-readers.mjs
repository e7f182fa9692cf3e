// Live readers of one group, in their own process. Answers each line on standard input with the clicks that readers were
// told of since the last: the fewest and the most of a reader. The number in a line is how many readers to open first.
import { get } from 'node:http'
import { createInterface } from 'node:readline'
import { readArguments } from '../scripts/arguments.mjs'

const usage = 'node bench/live-readers.mjs URL TOKEN'
const [url, token] = readArguments(usage, { allowPositionals: true }).positionals
const counts = []

for await (const line of createInterface({ input: process.stdin })) {
  for (let opened = 0; opened < Number(line); opened++) await open()
  console.log(JSON.stringify({ readers: counts.length, fewest: Math.min(...counts), most: Math.max(...counts) }))
  counts.fill(0)
}
process.exit()

function open() {
  const index = counts.push(0) - 1
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`a reader was answered with ${response.statusCode}`))
      response.setEncoding('utf8')
      let unread = ''
      response.on('data', (text) => {
        const events = (unread + text).split('\n\n')
        unread = events.pop()
        for (const event of events) counts[index] += clicksIn(event)
      })
      response.on('close', () => reject(new Error('a reader was disconnected')))
      response.once('data', resolve)
    })
    asked.on('error', reject)
  })
}

function clicksIn(event) {
  if (event.includes('event: click\n')) return 1
  return Number(/event: clicks\ndata: {"count":(\d+)}/.exec(event)?.[1] ?? 0)
}

// A minimal receiver of webhooks in its own process. On `report` on standard input it prints its counts as one line of
// JSON and starts again. With `hang` it accepts requests and never answers.
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { readArguments } from '../scripts/arguments.mjs'

const [mode] = readArguments('node bench/webhook-receiver.mjs [hang]', { allowPositionals: true }).positionals
let count = 0
let first = 0
let last = 0
let delays = []

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    if (mode === 'hang') return
    if (count++ === 0) first = performance.now()
    last = performance.now()
    const [, at] = /"referrer":"https:\/\/visit\.example\/(\d+)"/.exec(body) ?? []
    if (at !== undefined) delays.push(Date.now() - Number(at))
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))

createInterface({ input: process.stdin })
  .on('line', () => {
    delays.sort((one, other) => one - other)
    const at = (share) => delays[Math.floor(delays.length * share)] ?? 0
    console.log(JSON.stringify({ count, seconds: (last - first) / 1000, p50: at(0.5), p99: at(0.99) }))
    count = 0
    delays = []
  })
  .on('close', () => process.exit(0))

// A minimal stream consumer in its own process, so that the service is measured and not the client. On `report` on
// standard input it prints its counts as one line of JSON and starts again.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { connect as connectTls } from 'node:tls'
import { readArguments } from '../scripts/arguments.mjs'

const usage = 'node bench/stream-consumer.mjs PORT CA_FILE TOKEN TOPIC CHANNEL IN_FLIGHT'
const [port, caFile, token, topic, channel, inFlight] = readArguments(usage, { allowPositionals: true }).positionals
let count = 0
let first = 0
let last = 0
let delays = []

const plain = connect({ host: '127.0.0.1', port: Number(port), noDelay: true })
plain.write('  V2')
plain.write(withBody('IDENTIFY', JSON.stringify({ feature_negotiation: true, tls_v1: true, client_id: 'bench' })))
plain.once('data', () => {
  const socket = connectTls({ socket: plain, ca: readFileSync(caFile), servername: 'localhost' }, () => {
    socket.write(withBody('AUTH', token))
    socket.write(`SUB ${topic} ${channel}\n`)
    socket.write(`RDY ${inFlight}\n`)
  })
  let unread = Buffer.alloc(0)
  let answers = 0
  socket.on('data', (chunk) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
    const now = Date.now()
    let finished = ''
    let at = 0
    while (unread.length - at >= 4) {
      const size = unread.readUInt32BE(at)
      if (unread.length - at < 4 + size) break
      const type = unread.readUInt32BE(at + 4)
      if (type === 2) {
        finished += `FIN ${unread.latin1Slice(at + 18, at + 34)}\n`
        if (count++ === 0) first = performance.now()
        last = performance.now()
        if (count % 10 === 0) delays.push(now - clickedAt(unread.latin1Slice(at + 34, at + 4 + size)))
      } else if (type === 1) throw new Error(unread.latin1Slice(at + 8, at + 4 + size))
      else if (unread.latin1Slice(at + 8, at + 4 + size) === '_heartbeat_') finished += 'NOP\n'
      else if (++answers === 3) console.log('ready')
      at += 4 + size
    }
    unread = unread.subarray(at)
    if (finished !== '') socket.write(finished)
  })
})

createInterface({ input: process.stdin })
  .on('line', () => {
    delays.sort((one, other) => one - other)
    const p99 = delays[Math.floor(delays.length * 0.99)] ?? 0
    const p50 = delays[Math.floor(delays.length * 0.5)] ?? 0
    console.log(JSON.stringify({ count, seconds: (last - first) / 1000, p50, p99 }))
    count = 0
    delays = []
  })
  .on('close', () => process.exit(0))

function clickedAt(body) {
  const at = body.indexOf('"at":"')
  return Date.parse(body.slice(at + 6, at + 30))
}

function withBody(command, body) {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(Buffer.byteLength(body))
  return Buffer.concat([Buffer.from(`${command}\n`), size, Buffer.from(body)])
}

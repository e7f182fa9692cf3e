import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Closable } from '../../src/lib/closing.js'

/** What a name answers: its records, or a way of failing. A name that is not in the table does not exist. */
export type Zone = Map<string, Records | 'servfail' | 'silence'>

interface Records {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  readonly CNAME?: string
  readonly TXT?: readonly string[]
}

export interface DnsServer extends Closable {
  /** `127.0.0.1:port`, as a resolver is configured. */
  readonly address: string
  /** May be changed at any time. */
  readonly zone: Zone
  /** How many questions came for a name, of whatever type. */
  asked(name: string): number
}

/** A real name server on loopback over UDP: enough of RFC 1035 for A, AAAA, CNAME and TXT. */
export async function startDnsServer(zone: Zone = new Map()): Promise<DnsServer> {
  const questions = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (message, sender) => {
    const question = readQuestion(message)
    questions.set(question.name, (questions.get(question.name) ?? 0) + 1)
    if (zone.get(question.name) !== 'silence') socket.send(answer(message, question, zone), sender.port, sender.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    zone,
    asked: (name) => questions.get(name) ?? 0,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const
const headerLength = 12

interface Question {
  readonly name: string
  readonly type: number
  /** Where the question ends in its message. */
  readonly end: number
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = []
  let at = headerLength
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function answer(message: Buffer, question: Question, zone: Zone): Buffer {
  const found = zone.get(question.name)
  const code = found === 'servfail' ? 2 : found === undefined ? 3 : 0
  const records = typeof found === 'object' ? recordsFor(question, found, zone) : []
  const header = Buffer.alloc(headerLength)
  message.copy(header, 0, 0, 2)
  // An answer, authoritative, recursion wished for and done.
  header.writeUInt16BE(0x8580 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, message.subarray(headerLength, question.end), ...records])
}

/** The records of the type asked for; an alias comes with the addresses of what it stands for, as resolvers do it. */
function recordsFor({ name, type }: Question, records: Records, zone: Zone): Buffer[] {
  const alias = records.CNAME === undefined ? [] : [record(name, types.CNAME, encodeName(records.CNAME))]
  if (type === types.CNAME) return alias
  const behind = records.CNAME === undefined ? undefined : zone.get(records.CNAME)
  const further =
    typeof behind === 'object' ? recordsFor({ name: records.CNAME ?? '', type, end: 0 }, behind, zone) : []
  const own =
    type === types.A
      ? records.A?.map(encodeIpv4)
      : type === types.AAAA
        ? records.AAAA?.map(encodeIpv6)
        : type === types.TXT
          ? records.TXT?.map(encodeText)
          : []
  return [...alias, ...(own ?? []).map((data) => record(name, type, data)), ...further]
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(1, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])
}

function encodeIpv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

function encodeIpv6(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(before).length - groups(after).length
  const all = [...groups(before), ...Array.from({ length: missing }, () => '0'), ...groups(after)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

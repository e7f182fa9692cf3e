import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import { optionNames, options } from '../config/options.js'
import { Refusal } from '../core/values/refusal.js'
import { createLogger } from './logger.js'

function logged(logFormat: 'json' | 'pretty', write: (log: ReturnType<typeof createLogger>) => void): string {
  const destination = new PassThrough()
  write(createLogger({ logLevel: 'info', logFormat }, destination))
  return String(destination.read() ?? '')
}

it('writes one JSON object a line, with the room that wrote it', () => {
  const line = logged('json', (log) => log.child({ room: 'records' }).info({ linkId: 'a/b' }, 'link created'))
  expect(JSON.parse(line)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    room: 'records',
    linkId: 'a/b',
    msg: 'link created',
  })
})

it('writes lines for people when asked to', () => {
  const line = logged('pretty', (log) => log.info({ linkId: 'a/b' }, 'link created'))
  expect(line).toContain('link created')
  expect(line).toContain('a/b')
  expect(line).toMatch(/\[\d\d:\d\d:\d\d\.\d{3}\].*INFO/)
  expect(() => JSON.parse(line)).toThrow()
})

it('writes the stack of an error in lines of their own', () => {
  const line = logged('pretty', (log) => log.error({ err: new Error('no "such" thing') }, 'failed'))
  expect(line).toMatch(/ERROR: failed\n {4}err: \{\n/)
  expect(line).toMatch(/^ +Error: no "such" thing\n +at .*logger\.test/m)
})

it('keeps to its level', () => {
  expect(logged('json', (log) => log.debug('for us'))).toBe('')
})

it.each<[object]>([
  [{ token: 'hunter2' }],
  [{ password: 'hunter2' }],
  [{ user: { passwordHash: 'hunter2' } }],
  [{ visitor: 'hunter2' }],
  [{ config: { databaseUrl: 'hunter2', adminToken: 'hunter2', adminPassword: 'hunter2' } }],
  [{ 'x-forwarded-for': 'hunter2' }],
  [{ req: { remoteAddress: 'hunter2', headers: { authorization: 'hunter2', cookie: 'hunter2' } } }],
  [{ req: { headers: { 'x-forwarded-for': 'hunter2', 'x-real-ip': 'hunter2', forwarded: 'hunter2' } } }],
  [{ headers: [{ 'Set-Cookie': 'hunter2' }] }],
  [{ err: Object.assign(new Error('no'), { config: { password: 'hunter2' } }) }],
  [{ err: { parameters: { access_token: 'hunter2', client_secret: 'hunter2' } } }],
  ...optionNames.filter((name) => options[name].secret).map((name): [object] => [{ config: { [name]: 'hunter2' } }]),
])('never writes a secret (%#)', (fields) => {
  for (const format of ['json', 'pretty'] as const) {
    const line = logged(format, (log) => log.info(fields, 'something happened'))
    expect(line).toContain('[redacted]')
    expect(line).not.toContain('hunter2')
  }
})

it('writes nothing of what lies deeper than it looks', () => {
  const deep = { a: { b: { c: { d: { e: { f: { g: { password: 'hunter2' } } } } } } } }
  expect(logged('json', (log) => log.info(deep, 'something happened'))).not.toContain('hunter2')
})

it('leaves everything else as it is, cycles too', () => {
  const cycle: Record<string, unknown> = { name: 'a' }
  cycle.self = cycle
  const fields = { list: [1, 'two', { three: 3 }], none: null, at: new Date(0), cycle }
  expect(JSON.parse(logged('json', (log) => log.info(fields, 'fine')))).toMatchObject({
    list: [1, 'two', { three: 3 }],
    none: null,
    at: '1970-01-01T00:00:00.000Z',
  })
})

it('writes an error with its stack', () => {
  const line = JSON.parse(logged('json', (log) => log.error({ err: new Error('no such thing') }, 'failed')))
  expect(line.err).toMatchObject({
    type: 'Error',
    message: 'no such thing',
    stack: expect.stringContaining('logger.test'),
  })
})

it('logs what fails while a server is away once a minute, with the number of failures', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const away = new Refusal('TEMPORARILY_UNAVAILABLE', 'The database does not answer.')
  const lines = logged('json', (log) => {
    const room = log.child({ room: 'limits' })
    for (let second = 0; second <= 60; second++) {
      room.error({ err: away }, 'cannot count')
      if (second === 0) log.error({ err: away }, 'request failed')
      vi.advanceTimersByTime(1000)
    }
    for (let round = 0; round < 2; round++) log.error({ err: new Error('a bug') }, 'cannot count')
  })
  const found = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(found.map(({ room, msg, failures }) => [room, msg, failures])).toEqual([
    ['limits', 'cannot count', 1],
    [undefined, 'request failed', 1],
    ['limits', 'cannot count', 60],
    [undefined, 'cannot count', undefined],
    [undefined, 'cannot count', undefined],
  ])
})

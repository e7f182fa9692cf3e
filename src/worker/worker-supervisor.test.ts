import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Pauses, WorkerSupervisor } from './worker-supervisor.js'

/** A thread that does as it is told; the first number in shared memory says how many starts fail yet. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  const failures = new Int32Array(workerData)
  if (Atomics.sub(failures, 0, 1) > 0) {
    parentPort.postMessage({ type: 'broken', message: 'no room' })
  } else {
    parentPort.on('message', ({ id, order }) => {
      if (order === 'echo') parentPort.postMessage({ type: 'answer', id })
      if (order === 'fail') parentPort.postMessage({ type: 'failed', id })
      if (order === 'die') throw new Error('stumbled')
      if (order === 'leave') parentPort.close()
    })
    parentPort.postMessage({ type: 'ready' })
  }`

type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'answer' | 'failed'; readonly id: number }
type Order = 'echo' | 'fail' | 'ignore' | 'die' | 'leave'

let supervisor: WorkerSupervisor<Report>
let events: string[]
let lines: Record<string, unknown>[]
let failures: Int32Array
afterEach(() => supervisor.close((worker) => void worker.terminate(), 5_000))

function keep(pauses: Partial<Pauses> = {}): WorkerSupervisor<Report> {
  events = []
  lines = []
  failures = new Int32Array(new SharedArrayBuffer(4))
  const thread = {
    name: 'the thread',
    sentences: { ended: 'It ended.', died: 'it died', cannotStart: 'it cannot start', back: 'it is back' },
    log: pino(
      { base: null },
      { write: (line) => void lines.push({ ...JSON.parse(line), failure: supervisor.failure }) },
    ),
    begin: () => new Worker(program, { eval: true, workerData: failures.buffer }),
    hear: (report: Report) => {
      if (report.type === 'broken') return new Error(report.message)
      if (report.type === 'answer') supervisor.answer(report.id, 'echo')
      if (report.type === 'failed') supervisor.refuse(report.id, new Error('it will not'))
      return report.type === 'ready' ? 'ready' : undefined
    },
    away: (reason: string) => new Error(`away: ${reason}`),
    onDeath: () => void events.push('death'),
    onBack: () => void events.push('back'),
  } as const
  supervisor = new WorkerSupervisor<Report>(thread, { first: 10, longest: 40, wellAfter: 60_000, ...pauses })
  return supervisor
}

const ask = (order: Order) => supervisor.ask((id) => ({ id, order }))
const tell = (order: Order) => supervisor.worker?.postMessage({ order })
const said = (message: string) => lines.filter(({ msg }) => msg === message)
const restarted = (times: number) => vi.waitFor(() => expect(said('it is back')).toHaveLength(times), 10_000)

describe('a kept thread', () => {
  it('answers and refuses each call by its number', async () => {
    await keep().start()
    const [one, two, three] = await Promise.allSettled([ask('echo'), ask('fail'), ask('echo')])
    expect(one).toEqual({ status: 'fulfilled', value: 'echo' })
    expect(two).toMatchObject({ status: 'rejected', reason: { message: 'it will not' } })
    expect(three).toEqual(one)
  })

  it('passes on why it cannot start, and is not started again by itself', async () => {
    keep()
    failures[0] = 1
    await expect(supervisor.start()).rejects.toThrow('no room')
    await expect(ask('echo')).rejects.toThrow('away: the thread has not started')
    expect([supervisor.restarts, lines]).toEqual([0, []])
  })

  it('refuses waiting calls when it dies, says why until it is back, and answers again', async () => {
    await keep().start()
    const waiting = expect(ask('ignore')).rejects.toThrow('away: stumbled')
    tell('die')
    await waiting
    expect(supervisor.failure).toBe('the thread died: stumbled')
    await expect(ask('echo')).rejects.toThrow('away: the thread died: stumbled')
    await restarted(1)
    expect(await ask('echo')).toBe('echo')
    expect([supervisor.failure, supervisor.restarts, events]).toEqual([undefined, 1, ['death', 'back']])
    expect(said('it died')).toMatchObject([{ level: 50, err: { message: 'stumbled' } }])
    expect(said('it is back')).toMatchObject([{ level: 30, restarts: 1 }])
  })

  it('is started again also when it left without a word', async () => {
    await keep().start()
    tell('leave')
    await restarted(1)
    expect(said('it died')).toMatchObject([{ err: { message: 'It ended.' } }])
  })

  it('is tried again until it starts, with pauses that double up to the longest', async () => {
    await keep().start()
    failures[0] = 4
    tell('die')
    await restarted(1)
    const failure = 'the thread cannot start: no room'
    expect(said('it cannot start')).toMatchObject([20, 40, 40, 40].map((retryIn) => ({ level: 50, retryIn, failure })))
    expect([supervisor.restarts, events]).toEqual([5, ['death', 'back']])
  })

  it.each([
    ['goes on with its long pauses when it died soon after', 60_000, 40],
    ['begins with a short pause again when it was well for a while', 0, 20],
  ])('%s', async (_, wellAfter, retryIn) => {
    await keep({ wellAfter }).start()
    for (const time of [1, 2]) {
      failures[0] = time === 2 ? 1 : 0
      tell('die')
      await restarted(time)
    }
    expect(said('it cannot start').map((line) => line.retryIn)).toEqual([retryIn])
  })

  it('ends when it is asked to, is not started again, and refuses calls from then on', async () => {
    await keep().start()
    const waiting = expect(ask('ignore')).rejects.toThrow('away: It ended.')
    const closed = supervisor.close(() => tell('leave'), 5_000)
    await expect(ask('echo')).rejects.toThrow('away: the service is stopping')
    await closed
    await waiting
    expect([supervisor.worker, supervisor.isClosing, lines]).toEqual([undefined, true, []])
  })

  it('is ended by force when it does not end in time', async () => {
    await keep().start()
    const onLate = vi.fn()
    await supervisor.close(() => tell('ignore'), 20, onLate)
    expect(onLate).toHaveBeenCalledOnce()
    expect(supervisor.worker).toBeUndefined()
  })

  it('can be closed during a pause before it is started again, which is not waited for', async () => {
    await keep({ first: 600_000 }).start()
    tell('die')
    await vi.waitFor(() => expect(said('it died')).toHaveLength(1))
    await supervisor.close(() => tell('leave'), 5_000)
    expect(supervisor.restarts).toBe(0)
  })
})

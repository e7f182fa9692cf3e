import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Refusal } from '../../core/values/refusal.js'
import { OperatorError } from '../../lib/operator-error.js'
import { ThreadCalls } from './thread-calls.js'

const methods = {
  add: (one: number, other: number) => one + other,
  late: async (value: string) => value,
  never: () => new Promise<void>(() => {}),
  size: (bytes: Uint8Array) => bytes.length,
  refuse: () => {
    throw new Refusal('TEMPORARILY_UNAVAILABLE', 'The file is locked.', { retryAfter: 7 })
  },
  misconfigured: async () => {
    throw new OperatorError('Set a password.')
  },
  taken: async () => {
    throw Object.assign(new Error('in use'), { code: 'EADDRINUSE' })
  },
}

function connected(ours: object): { calls: ThreadCalls<typeof methods>; port: MessagePort } {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  new ThreadCalls(port2, ours)
  return { calls: new ThreadCalls<typeof methods>(port1, {}), port: port1 }
}

describe('calls between threads', () => {
  it('each get their own result', async () => {
    const { calls } = connected(methods)
    expect(await Promise.all([calls.call('late', ['later']), calls.call('add', [1, 2])])).toEqual(['later', 3])
  })

  it('keep the class, the code and the details of an error', async () => {
    const { calls } = connected(methods)
    const errors = await Promise.all(
      (['refuse', 'misconfigured', 'taken'] as const).map((name) => calls.call(name, []).catch((error) => error)),
    )
    expect(errors[0]).toEqual(new Refusal('TEMPORARILY_UNAVAILABLE', 'The file is locked.', { retryAfter: 7 }))
    expect(errors[1]).toEqual(new OperatorError('Set a password.'))
    expect(errors[2]).toMatchObject({ message: 'in use', code: 'EADDRINUSE' })
  })

  it('transfer memory instead of copying it', async () => {
    const { calls } = connected(methods)
    const bytes = new Uint8Array(8)
    expect(await calls.call('size', [bytes], [bytes.buffer])).toBe(8)
    expect(bytes.length).toBe(0)
  })

  it('are rejected when the owner ends them', async () => {
    const { calls } = connected(methods)
    const waiting = expect(calls.call('never', [])).rejects.toThrow('the thread is gone')
    calls.end(new Error('the thread is gone'))
    await waiting
  })

  it('without a result run in order', async () => {
    const heard: string[] = []
    const { calls } = connected({ ...methods, late: (value: string) => heard.push(value) })
    calls.tell('late', ['one'])
    calls.tell('late', ['two'])
    await calls.call('add', [1, 1])
    expect(heard).toEqual(['one', 'two'])
  })
})

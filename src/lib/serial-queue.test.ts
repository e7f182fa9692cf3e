import { expect, it } from 'vitest'
import { SerialQueue } from './serial-queue.js'

it('runs one piece of work after the other, also after one that failed', async () => {
  const queue = new SerialQueue()
  const events: string[] = []
  const work = (name: string) => async () => {
    events.push(`${name} begins`)
    await new Promise((done) => setImmediate(done))
    events.push(`${name} ends`)
    if (name === 'one') throw new Error(name)
    return name
  }
  const answers = [queue.run(work('one')), queue.run(work('two'))]
  await queue.idle()
  events.push('idle')
  expect(events).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'idle'])
  expect(await Promise.allSettled(answers)).toMatchObject([{ reason: new Error('one') }, { value: 'two' }])
})

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { png, repeatingSvg, slowSvg, svg } from '../../../test/support/pictures.js'
import { ImageProcesses } from './image-processes.js'

const log = pino({ level: 'silent' })
const slow = Buffer.from(repeatingSvg(6))

describe('the processes that decode images', () => {
  let processes: ImageProcesses
  afterEach(() => processes.close())

  it('give back what each was asked for', async () => {
    processes = new ImageProcesses(log)
    const [one, two, three] = await Promise.all([
      processes.encode(await png(3, 4), 'image/png'),
      processes.encode(Buffer.from(svg()), 'image/svg+xml'),
      processes.encode(Buffer.from('nonsense'), 'image/webp'),
    ])
    expect([one, two, three]).toMatchObject([{ width: 3, height: 4 }, { width: 20, height: 10 }, { fault: 'broken' }])
  })

  it('are stopped when a picture takes too long, and the next one is not affected', async () => {
    processes = new ImageProcesses(log, { timeout: 1, maxRunning: 1 })
    expect(await processes.encode(slow, 'image/svg+xml')).toEqual({ fault: 'too-much-work' })
    expect(await processes.draw(Buffer.from(slowSvg), 'image/svg+xml', 1024)).toEqual({ fault: 'too-much-work' })
    await processes.close()
    processes = new ImageProcesses(log, { maxRunning: 1 })
    expect(await processes.encode(Buffer.from(svg()), 'image/svg+xml')).toMatchObject({ width: 20 })
  })

  it('are few at a time; some wait, and more are refused until there is room', async () => {
    processes = new ImageProcesses(log, { maxRunning: 1, maxWaiting: 2 })
    const encode = () => processes.encode(Buffer.from(svg()), 'image/svg+xml')
    const accepted = [encode(), encode(), encode()]
    await expect(encode()).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE', details: { retryAfter: 5 } })
    for (const each of accepted) expect(await each).toMatchObject({ width: 20 })
    expect(await encode()).toMatchObject({ width: 20 })
  })

  it('end with the service, also in the middle of a picture', async () => {
    for (const pause of [0, 200]) {
      processes = new ImageProcesses(log)
      const running = processes.encode(slow, 'image/svg+xml')
      const refused = expect(running).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
      if (pause > 0) await setTimeout(pause)
      await processes.close()
      await refused
    }
  })

  it.skipIf(process.platform !== 'linux')('do not see the secrets in the environment of the service', async () => {
    process.env.SHORTLINK_SECRETS_KEY = 'for-nobody-else'
    onTestFinished(() => {
      delete process.env.SHORTLINK_SECRETS_KEY
    })
    processes = new ImageProcesses(log)
    const running = processes.encode(slow, 'image/svg+xml')
    let environment = ''
    while (environment === '') {
      for (const pid of children()) environment ||= environmentOf(pid)
      await setTimeout(5)
    }
    expect(environment).toContain('UV_THREADPOOL_SIZE=1')
    expect(environment).not.toContain('SHORTLINK')
    await processes.close()
    await expect(running).rejects.toThrow('The service is stopping')
  })
})

function children(): readonly string[] {
  const threads = readdirSync('/proc/self/task')
  return threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  )
}

/** Of a child that decodes an image; other tests of this process may have others. */
function environmentOf(pid: string): string {
  try {
    const isDecoder = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-worker')
    return isDecoder ? readFileSync(`/proc/${pid}/environ`, 'utf8') : ''
  } catch {
    return ''
  }
}

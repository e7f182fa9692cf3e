/**
 * Publishes over nsqd's HTTP interface: POST /mpub. It has no authentication, so it must not be reachable from outside.
 */
import { OperatorError } from '../../lib/operator-error.js'
import { batchBody, type Daemon, timeouts } from './daemon.js'
import { reasonOf } from './reason.js'

export function httpDaemon(origin: string): Daemon {
  const { host: name } = new URL(origin)
  return {
    name,
    async publish(topic, messages) {
      let answer: Response
      let text: string
      try {
        answer = await fetch(`${origin}/mpub?topic=${encodeURIComponent(topic)}&binary=true`, {
          method: 'POST',
          body: new Uint8Array(batchBody(messages)),
          signal: AbortSignal.timeout(timeouts.answer),
          redirect: 'error',
        })
        text = await answer.text()
      } catch (error) {
        throw new OperatorError(
          `Cannot reach nsqd at ${name} (${reasonOf(error)}). Check nsqdHttpAddresses, and that the daemon runs.`,
        )
      }
      // Another server may answer 200 too: only nsqd answers OK.
      if (answer.ok && text === 'OK') return
      throw new OperatorError(
        `nsqd at ${name} does not accept messages for ${topic} (status ${answer.status}: ${text.slice(0, 200)}). Check nsqdHttpAddresses.`,
      )
    },
    close() {},
  }
}

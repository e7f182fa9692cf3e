/** nsqd's HTTP door: POST /mpub. It asks nobody who they are, so it must not be reachable from outside. */
import { OperatorError } from '../../lib/operator-error.js'
import { batchBody, type Daemon, patience } from './daemon.js'
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
          signal: AbortSignal.timeout(patience.answer),
          redirect: 'error',
        })
        text = await answer.text()
      } catch (error) {
        throw new OperatorError(
          `nsqd at ${name} cannot be reached (${reasonOf(error)}). Check nsqdHttpAddresses, and that the daemon runs.`,
        )
      }
      // Anything else that answers 200 to a POST is not the daemon.
      if (answer.ok && text === 'OK') return
      throw new OperatorError(
        `nsqd at ${name} does not take messages for ${topic} (status ${answer.status}: ${text.slice(0, 200)}). Check nsqdHttpAddresses.`,
      )
    },
    close() {},
  }
}

/**
 * Names each request: in the header `X-Request-Id` of its answer, in the body of an error and in the log, so that a client
 * and an operator can speak of the same one (docs/api/README.md#request-ids).
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** What a client or a proxy may name itself; anything else is replaced. */
const accepted = /^[\w.:/+=-]{1,128}$/

/** Unique over processes and restarts: a random part for the process, and a count. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const process = randomBytes(6).toString('hex')
  let count = 0
  return ({ headers }) => {
    const sent = headers['x-request-id']
    return typeof sent === 'string' && accepted.test(sent) ? sent : `${process}-${(count++).toString(36)}`
  }
}

/**
 * The numbered checks of the protocol, over a raw socket. They are written once and run against anything that claims to
 * be an nsqd; the numbers only tell them apart.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { answerChecks } from './checks-answers.js'
import { connectionChecks } from './checks-connection.js'
import { publishChecks } from './checks-publish.js'
import { receiveChecks } from './checks-receive.js'
import { tlsAndAuthChecks } from './checks-tls-auth.js'
import type { Endpoint, EndpointSettings, Subject } from './subject.js'

export interface CheckContext {
  readonly subject: Subject
  /** Without TLS and AUTH, shared by all checks. */
  readonly plain: () => Endpoint
  /** With settings of its own; stopped at the end. */
  readonly endpoint: (settings: EndpointSettings) => Promise<Endpoint>
}

export function nsqdChecks(subject: Subject): void {
  const opened: Endpoint[] = []
  const open = async (settings: EndpointSettings): Promise<Endpoint> => {
    const endpoint = await subject.start(settings)
    opened.push(endpoint)
    return endpoint
  }
  let shared: Endpoint | undefined
  const context: CheckContext = {
    subject,
    endpoint: open,
    plain() {
      if (!shared) throw new Error('the endpoint is not started yet')
      return shared
    },
  }
  // Side by side: most of the time is spent waiting for time-outs.
  describe.concurrent(subject.name, () => {
    beforeAll(async () => {
      shared = await open({})
    })
    afterAll(async () => {
      for (const endpoint of opened) await endpoint.stop()
    })
    connectionChecks(context)
    tlsAndAuthChecks(context)
    receiveChecks(context)
    answerChecks(context)
    publishChecks(context)
  })
}

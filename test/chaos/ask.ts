import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { processToken } from '../support/start-process.js'

export const host = 's.example.test'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly body: any
}

export interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: object
  /** Without the token. */
  readonly anonymous?: boolean
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Undefined: no answer, so nobody knows whether the request was carried out. */
export function ask(port: number, path: string, question: Question = {}): Promise<Answer | undefined> {
  const { method = 'GET', headers = {}, body, anonymous = false } = question
  return new Promise((resolve) => {
    const sent = request({
      ...{ agent, port, method, path, timeout: 10_000 },
      headers: {
        host,
        ...(!anonymous && { authorization: `Bearer ${processToken}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (some) => (text += some))
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json')
        const { statusCode = 0, headers: answered } = response
        resolve({ status: statusCode, headers: answered, body: isJson ? JSON.parse(text) : text })
      })
      response.on('error', () => resolve(undefined))
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer')))
    sent.on('error', () => resolve(undefined))
    sent.end(body && JSON.stringify(body))
  })
}

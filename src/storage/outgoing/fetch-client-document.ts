import type { DocumentProblem, DocumentSource } from '../../core/oauth/client-documents.js'
import { GuardedClient, type GuardedClientOptions } from './guarded-client.js'
import { OutgoingError, type OutgoingReason } from './outgoing-error.js'

/** Documents that describe applications, from URLs that anybody may have chosen. */
export function guardedClientDocuments(
  options: Pick<GuardedClientOptions, 'allow' | 'lookup' | 'ca'> = {},
): DocumentSource {
  const client = new GuardedClient({ ...options, ports: 'web' })
  return {
    async fetch(url) {
      const headers = { accept: 'application/json', 'user-agent': 'shortlink', connection: 'close' }
      try {
        const answer = await client.request({ url, headers, timeoutMs: 5_000, maxBodyBytes: 5_000 })
        const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = answer.headers
        const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type) && encoding === 'identity'
        return answer.status === 200 && isJson ? { text: answer.body.toString('utf8') } : { problem: 'no-document' }
      } catch (error) {
        if (error instanceof OutgoingError) return { problem: problems[error.reason] ?? 'unreachable' }
        throw error
      }
    },
  }
}

const problems: Partial<Record<OutgoingReason, DocumentProblem>> = {
  forbidden_address: 'refused',
  too_large: 'too-large',
}

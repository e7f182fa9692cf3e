/** Our pages work without scripts; only sign-in has one, for passkeys. The template tag escapes everything except `Html`. */
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../lib/html.js'
import { htmlPage, styleSource } from '../http/look.js'

export interface Page {
  readonly status?: number
  readonly title: string
  readonly content: Html
  /** Additional `form-action` sources of the Content-Security-Policy. */
  readonly formTargets?: readonly string[]
  /** Lets scripts of this service run. */
  readonly hasScript?: boolean | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Trusted HTML that is not escaped. */
export class Html {
  constructor(readonly text: string) {}
}

export type Insert = string | Html | readonly Html[] | undefined

export function html(texts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(texts.reduce((whole, text, index) => whole + written(inserts[index - 1]) + text))
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const targets = ["'self'", ...(page.formTargets ?? [])].join(' ')
  const scripts = page.hasScript ? "; script-src 'self'; connect-src 'self'" : ''
  return reply
    .code(page.status ?? 200)
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src ${styleSource}${scripts}; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`,
      // URLs of our pages contain secrets, which must not leak in the Referer header. With `no-referrer` browsers would
      // send `Origin: null` with our own forms.
      'referrer-policy': 'strict-origin',
      'x-frame-options': 'DENY',
      ...page.headers,
    })
    .type('text/html; charset=utf-8')
    .send(htmlPage(escapeHtml(page.title), page.content.text))
}

function written(insert: Insert): string {
  if (insert === undefined) return ''
  if (typeof insert === 'string') return escapeHtml(insert)
  return insert instanceof Html ? insert.text : insert.map(({ text }) => text).join('')
}

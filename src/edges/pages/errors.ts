/** Error pages that say what to do. */
import type { FastifyError } from 'fastify'
import { isOutage, Refusal } from '../../core/values/refusal.js'
import { html, type Page } from './layout.js'

export class PageError extends Error {
  override readonly name = 'PageError'

  constructor(
    readonly status: number,
    readonly title: string,
    readonly advice: string,
  ) {
    super(title)
  }
}

export function errorPage(error: unknown): Page & { readonly status: number } {
  if (error instanceof PageError) return page(error.status, error.title, error.advice)
  if (error instanceof Refusal && error.code === 'GONE') return page(410, 'This link is no longer valid', error.message)
  if (error instanceof Refusal && error.code === 'RATE_LIMIT_EXCEEDED') {
    return page(429, 'Too many attempts', 'Please wait a few minutes and try again.')
  }
  if (isOutage(error)) {
    const { retryAfter = 1 } = error.details
    return { ...page(503, 'Please try again', error.message), headers: { 'retry-after': String(retryAfter) } }
  }
  const code = error instanceof Error ? ((error as FastifyError).code ?? '') : ''
  const [status, title, advice] = frameworkAnswers[code] ?? unexpected
  return page(status, title, advice)
}

type PageTexts = readonly [status: number, title: string, advice: string]

const unexpected: PageTexts = [
  500,
  'Something went wrong',
  'This is an error of the service, and it was logged. Please try again.',
]

/** Errors that Fastify raises before a handler runs. An error that is not listed is a bug. */
const frameworkAnswers: Readonly<Record<string, PageTexts>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'The input is too long', 'Please shorten what you entered and try again.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'The request was incomplete', 'Please try again.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'This is not a form', 'This address only accepts forms of our own pages.'],
}

function page(status: number, title: string, advice: string): Page & { readonly status: number } {
  return { status, title, content: html`<p>${advice}</p>` }
}

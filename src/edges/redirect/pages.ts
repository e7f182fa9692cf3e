/** Responses for visitors without a redirect. HTML has no external resource, one inline style and at most one script. */
import type { Target } from '../../core/links/link.js'
import { escapeHtml } from '../../lib/html.js'
import { icon } from '../http/icon.js'
import { hashOf, htmlPage, styleSource } from '../http/look.js'

export interface Page {
  readonly status: number
  readonly headers: string[]
  readonly body: Buffer
}

const policy = `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export const notFoundPage = page(
  404,
  'This link does not exist',
  `<p>There is no link at this address. Links are case sensitive, so please check for missing or changed letters,\n   or ask the person who gave it to you.</p>`,
)

export const removedPage = page(
  410,
  'This link has been removed',
  '<p>It existed once, but its owner has deleted it. It will not come back.</p>',
)

export const expiredPage = page(
  410,
  'This link has expired',
  '<p>It was made for a limited time, and that time is over. Please ask its owner for a new one.</p>',
)

export const unavailablePage = page(
  503,
  'Temporarily unavailable',
  '<p>This link could not be looked up. Please try again in a few seconds.</p>',
)

export function welcomePage(baseUrl: string): Page {
  return page(
    200,
    'Short link service',
    `<p>If you were given a link, open it with its complete address.</p>
<a class="go" href="${escapeHtml(baseUrl)}/login">Sign in</a>
<div class="aside"><a href="${escapeHtml(baseUrl)}/docs">API documentation</a></div>`,
  )
}

/** `GET /<back-half>+`: shows where a link leads. */
export function informationPage(target: Target, shortUrl: string): Page {
  const destination = escapeHtml(target.longUrl)
  const created = new Date(target.createdAt).toISOString().slice(0, 10)
  return page(
    200,
    `This link leads to ${escapeHtml(new URL(target.longUrl).host)}`,
    `<dl><div><dt>Short link</dt><dd>${escapeHtml(shortUrl)}</dd></div>
<div><dt>Destination</dt><dd class="url" tabindex="0">${destination}</dd></div>
<div><dt>Created</dt><dd><time datetime="${created}">${created}</time></dd></div></dl>
<a class="go" href="${destination}" rel="nofollow noreferrer">Continue</a>`,
  )
}

/** Title and content are HTML. */
export function page(status: number, title: string, content: string, script?: string): Page {
  const body = Buffer.from(htmlPage(title, content, script))
  const headers = [
    'Content-Type',
    'text/html; charset=utf-8',
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
    'Content-Security-Policy',
    script === undefined ? policy : `${policy}; script-src ${hashOf(script)}`,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
  ]
  return { status, headers, body }
}

export const iconPage: Page = {
  status: 200,
  headers: ['Content-Type', icon.type, 'Content-Length', String(icon.body.length), 'Cache-Control', icon.caching],
  body: icon.body,
}

/** Crawlers may follow links (previews need it, and they are counted separately); the API is not for them. */
export const robotsPage = textPage(
  200,
  `User-agent: *\nDisallow: /v3/\nDisallow: /v4/\nDisallow: /oauth/\nDisallow: /account/\nDisallow: /app/\n`,
)

export const methodPage = textPage(405, 'Method not allowed. Short links answer GET and HEAD.\n', 'Allow', 'GET, HEAD')

function textPage(status: number, text: string, ...headers: string[]): Page {
  const body = Buffer.from(text)
  const type = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(body.length)]
  return { status, headers: [...headers, ...type], body }
}

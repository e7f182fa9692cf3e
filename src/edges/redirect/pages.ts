/** Responses for visitors without a redirect. HTML has no external resource, one inline style and at most one script. */
import { createHash } from 'node:crypto'
import type { Target } from '../../core/links/link.js'
import { escapeHtml } from '../../lib/html.js'
import { icon } from '../http/icon.js'

export interface Page {
  readonly status: number
  readonly headers: string[]
  readonly body: Buffer
}

const style = `:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6577;--paper:#f6f7fb;--card:#fff;--line:#e2e6ef;--accent:#2f5fe0}
@media(prefers-color-scheme:dark){:root{--ink:#eef1f8;--soft:#a3adc2;--paper:#12161f;--card:#1b212d;--line:#2c3444;--accent:#8aabff}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1.05rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:36rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:2.25rem}
h1{margin:0 0 .5rem;font-size:1.6rem;line-height:1.25}p{margin:.5rem 0;color:var(--soft)}a{color:var(--accent);overflow-wrap:anywhere}
dl{margin:1.25rem 0 0;display:grid;grid-template-columns:auto 1fr;gap:.4rem 1.25rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.go{display:inline-block;margin-top:1.5rem;padding:.65rem 1.25rem;border-radius:.6rem;background:var(--accent);color:var(--card);text-decoration:none;font-weight:600}code{font-family:ui-monospace,monospace}
.also{padding:.6rem 1.25rem;border:1px solid var(--line);border-radius:.6rem;text-decoration:none;font-weight:600}
.choices{display:grid;gap:.75rem;margin-top:1.5rem}.choices a{margin:0;text-align:center}`

const policy = `default-src 'none'; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

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
    `<p>This is a <strong>shortlink</strong> service. If you were given a link, open it with its complete address.</p>
     <p>Do you create links? <a href="${escapeHtml(baseUrl)}/login">Sign in</a>, or see the
     <a href="${escapeHtml(baseUrl)}/docs">documentation of the API</a>.</p>`,
  )
}

/** `GET /<back-half>+`: shows where a link leads. */
export function informationPage(target: Target, shortUrl: string): Page {
  const destination = escapeHtml(target.longUrl)
  const created = new Date(target.createdAt).toISOString().slice(0, 10)
  return page(
    200,
    'Where this link leads',
    `<dl><dt>Short link</dt><dd>${escapeHtml(shortUrl)}</dd><dt>Destination</dt><dd>${destination}</dd>
     <dt>Created</dt><dd><time datetime="${created}">${created}</time></dd></dl>
     <a class="go" href="${destination}" rel="nofollow noreferrer">Continue</a>`,
  )
}

/** Title and content are HTML. */
export function page(status: number, title: string, content: string, script?: string): Page {
  const code = script === undefined ? '' : `<script>${script}</script>`
  const body = Buffer.from(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>${content}</main>${code}</body></html>`,
  )
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

function hashOf(inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`
}

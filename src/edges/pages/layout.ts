/**
 * Layout of our pages: one card, light or dark, no external resources and no script. The template tag escapes
 * everything except `Html`.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../lib/html.js'

export interface Page {
  readonly status?: number
  readonly title: string
  readonly content: Html
  /** Additional `form-action` sources of the Content-Security-Policy. */
  readonly formTargets?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Trusted HTML that is not escaped. */
export class Html {
  constructor(readonly text: string) {}
}

export type Insert = string | Html | readonly Html[] | undefined

export function html(deps: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(deps.reduce((text, part, each) => text + written(inserts[each - 1]) + part))
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const targets = ["'self'", ...(page.formTargets ?? [])].join(' ')
  return reply
    .code(page.status ?? 200)
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src ${hashOfStyle}; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`,
      // URLs of our pages contain secrets: do not leak them in the Referer header.
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      ...page.headers,
    })
    .type('text/html; charset=utf-8')
    .send(documentOf(page))
}

function documentOf({ title, content }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · shortlink</title>
<style>${new Html(style)}</style>
</head>
<body>
<p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1.2 1.2M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1.2-1.2"/></svg>shortlink</p>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text
}

function written(insert: Insert): string {
  if (insert === undefined) return ''
  if (typeof insert === 'string') return escapeHtml(insert)
  return insert instanceof Html ? insert.text : insert.map(({ text }) => text).join('')
}

const style = `:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6577;--paper:#f6f7fb;--card:#fff;--line:#e2e6ef;--edge:#8791a5;--accent:#2f5fe0;--deep:#244cb8;--bad:#b3261e;--badly:#fdf1f0}
@media(prefers-color-scheme:dark){:root{--ink:#eef1f8;--soft:#a3adc2;--paper:#12161f;--card:#1b212d;--line:#2c3444;--edge:#6b7690;--accent:#8aabff;--deep:#a9c1ff;--bad:#ffb4ab;--badly:#33201f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;align-content:center;justify-items:center;gap:1.25rem;padding:1.5rem;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.brand{display:flex;align-items:center;gap:.5rem;margin:0;font-weight:600;color:var(--soft)}
.brand svg{width:1.35rem;height:1.35rem;fill:none;stroke:var(--accent);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
main{width:100%;max-width:27rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:2.25rem}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere;text-wrap:balance}
p,ul{margin:.5rem 0;color:var(--soft);overflow-wrap:anywhere}strong{color:var(--ink);font-weight:600}
ul{padding-left:1.2rem}li{margin:.3rem 0}
a{color:var(--accent)}
form{margin:1.5rem 0 0;display:grid;gap:1.25rem}
label{display:block;margin-bottom:.35rem;font-weight:600}
input{width:100%;padding:.65rem .8rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:.6rem}
.hint{margin:.35rem 0 0;font-size:.9rem}
button,.go{display:block;width:100%;padding:.7rem 1.25rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--card);background:var(--accent);border:1px solid var(--accent);border-radius:.6rem;cursor:pointer}
button:hover,.go:hover{background:var(--deep);border-color:var(--deep)}.go{margin-top:1.5rem}
button.also{color:var(--ink);background:none;border-color:var(--edge)}button.also:hover{background:var(--paper);border-color:var(--edge)}
button.plain{display:inline;width:auto;padding:0;font-weight:400;color:var(--accent);background:none;border:0;border-radius:.2rem;text-decoration:underline}
:is(button,a):focus-visible{outline:2px solid var(--accent);outline-offset:3px}input:focus-visible{outline:2px solid var(--accent);outline-offset:-1px;border-color:var(--accent)}
.choices{display:grid;gap:.75rem}.aside{margin:1.25rem 0 0;padding-top:1.25rem;border-top:1px solid var(--line);font-size:.95rem;color:var(--soft)}.aside form{display:inline;margin:0}
.bad{margin:1rem 0 0;padding:.7rem .9rem;color:var(--bad);background:var(--badly);border:1px solid;border-radius:.6rem}
.quote{margin:1rem 0;padding-left:.9rem;border-left:3px solid var(--line);white-space:pre-line}
@media(max-width:30rem){body{padding:1rem;align-content:start;padding-top:2rem}main{padding:1.5rem}}`

const hashOfStyle = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/**
 * How all pages look that the server writes itself: sign-in, consent, and what visitors of short links see. One card, light
 * or dark, in the colours of the dashboard (web/src/theme). No external resources; scripts only where a page has one.
 */
import { createHash } from 'node:crypto'

const style = `:root{color-scheme:light dark;--ground:#f7f7f9;--surface:#fff;--line:#e8eaee;--line-strong:#9299a8;--ink:#1d222e;--ink-soft:#596072;--accent:#3459dd;--second:#d9640a;--accent-text:#2a49bd;--accent-soft:#eff4ff;--bad:#b3261e;--bad-soft:#fdf1f0}
@media(prefers-color-scheme:dark){:root{--ground:#12161e;--surface:#1a1f29;--line:#272d39;--line-strong:#747d91;--ink:#e8eaf0;--ink-soft:#a4acbd;--accent:#6f93fb;--second:#ffa94d;--accent-text:#95b2ff;--accent-soft:#1d2844;--bad:#ff9d94;--bad-soft:#33201f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;align-content:center;justify-items:center;gap:1.5rem;padding:1.5rem;background:var(--ground);color:var(--ink);font:.9375rem/1.6 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
.brand{display:flex;align-items:center;gap:.5rem;margin:0;font-size:1.0625rem;font-weight:600;color:var(--ink)}
.brand svg{width:1.5rem;height:1.5rem;fill:none;stroke:var(--accent);stroke-width:2.2;stroke-linecap:round;stroke-linejoin:round}
main{width:100%;max-width:26rem;background:var(--surface);border:1px solid var(--line);border-radius:1rem;padding:2.25rem}
h1{margin:0 0 .5rem;font-size:1.375rem;font-weight:600;line-height:1.3;overflow-wrap:anywhere;text-wrap:balance}
p,ul{margin:.5rem 0;color:var(--ink-soft);overflow-wrap:anywhere}strong{color:var(--ink);font-weight:600}
ul{padding-left:1.2rem}li{margin:.3rem 0}
a{color:var(--accent-text)}
form{margin:1.5rem 0 0;display:grid;gap:1.125rem}
label{display:block;margin-bottom:.3rem;font-size:.875rem;font-weight:500}
input{width:100%;padding:.6rem .75rem;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--line-strong);border-radius:.5rem}
.hint{margin:.35rem 0 0;font-size:.875rem}
button,.go{display:block;width:100%;padding:.65rem 1.25rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:#fff;background:#3459dd;border:1px solid #3459dd;border-radius:.5rem;cursor:pointer}
button:hover,.go:hover{background:#2a49bd;border-color:#2a49bd}.go{margin-top:1.5rem}
.also{display:block;width:100%;padding:.65rem 1.25rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--ink);background:none;border:1px solid var(--line-strong);border-radius:.5rem}.also:hover{background:var(--ground);border-color:var(--line-strong)}
button.plain{display:inline;width:auto;padding:0;font-weight:400;color:var(--accent-text);background:none;border:0;border-radius:.2rem;text-decoration:underline}
:is(button,a):focus-visible{outline:2px solid var(--accent);outline-offset:3px}input:focus-visible{outline:2px solid var(--accent);outline-offset:-1px;border-color:var(--accent)}
[hidden]{display:none}
.choices{display:grid;gap:.75rem;margin-top:1.5rem}.choices .go,form .choices{margin:0}
.aside{margin:1.5rem 0 0;padding-top:1.25rem;border-top:1px solid var(--line);font-size:.875rem;color:var(--ink-soft)}.aside form{display:inline;margin:0}
.bad{margin:1rem 0 0;padding:.65rem .9rem;color:var(--bad);background:var(--bad-soft);border-radius:.5rem}
.quote{margin:1rem 0;padding-left:.9rem;border-left:3px solid var(--line);white-space:pre-line}
dl{margin:1.25rem 0 0;display:grid;gap:1rem}dt{margin-bottom:.125rem;font-size:.8125rem;color:var(--ink-soft)}dd{margin:0;overflow-wrap:anywhere}
.url{max-height:7.6rem;overflow:auto;padding:.65rem .8rem;font:.8125rem/1.6 ui-monospace,"SF Mono",Menlo,Consolas,monospace;background:var(--ground);border-radius:.5rem}
@media(max-width:30rem){body{padding:1rem;align-content:start;padding-top:2rem}main{padding:1.5rem}}`

/** For `style-src` in the Content-Security-Policy. */
export const styleSource = hashOf(style)

const brand =
  '<header class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path stroke="var(--second)" d="M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1.2 1.2"/><path d="M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1.2-1.2"/></svg>shortlink</header>'

/** Title and content are HTML. */
export function htmlPage(title: string, content: string, script?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · shortlink</title>
<style>${style}</style>
</head>
<body>
${brand}
<main>
<h1>${title}</h1>
${content}
</main>
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`
}

export function hashOf(inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`
}

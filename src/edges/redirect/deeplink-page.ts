/**
 * Deep link pages: one that tries to open the app and continues to a fallback, and one that asks. No external
 * resources; the only script is the same for every link, so the Content-Security-Policy can contain its hash.
 */
import { escapeHtml } from '../../lib/html.js'
import { type Page, page } from './pages.js'

// Long enough for a phone to switch to the app, short enough for visitors without it.
const fallbackDelay = 1500

/** Opening the app hides the page; the fallback must not run then. */
const script = `const href=(name)=>document.querySelector(name).href
const timer=setTimeout(()=>location.replace(href('.also')),${fallbackDelay})
document.addEventListener('visibilitychange',()=>{if(document.hidden)clearTimeout(timer)})
location.href=href('.go')`

export interface TryPage {
  readonly appName: string
  readonly appUri: string
  /** Fallback URL when the app is not installed. */
  readonly otherwise: string
  readonly toStore: boolean
}

export function tryPage({ appName, appUri, otherwise, toStore }: TryPage): Page {
  const lead = `If nothing happens in a moment, you will be taken ${toStore ? 'to the store' : 'to the web page'}.`
  const also = [otherwise, toStore ? 'Get the app' : 'Continue on the web'] as const
  return page(200, `Opening ${escapeHtml(appName)}`, choices(lead, appUri, [also]), script)
}

export interface ChoicePage {
  readonly appName: string
  readonly opensApp: string
  readonly storeUrl: string | undefined
  readonly longUrl: string
}

export function choicePage({ appName, opensApp, storeUrl, longUrl }: ChoicePage): Page {
  const web = [longUrl, 'Continue on the web'] as const
  const also = storeUrl === undefined ? [web] : [[storeUrl, 'Get the app'] as const, web]
  const lead = 'This link opens in the app, or on the web if you prefer.'
  return page(200, `Open in ${escapeHtml(appName)}`, choices(lead, opensApp, also))
}

function choices(lead: string, opensApp: string, also: readonly (readonly [href: string, label: string])[]): string {
  const link = (kind: string, href: string, label: string) =>
    `<a class="${kind}" href="${escapeHtml(href)}" rel="nofollow">${label}</a>`
  const links = [link('go', opensApp, 'Open the app'), ...also.map(([href, label]) => link('also', href, label))]
  return `<p>${lead}</p><div class="choices">${links.join('')}</div>`
}

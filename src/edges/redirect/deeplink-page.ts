/**
 * What a visitor sees on the way into an application: a page that tries to open it and goes on when nothing happens, or
 * one that asks. Nothing from outside; the one script is the same for every link, so the policy can name its hash.
 */
import { escapeHtml } from '../../lib/html.js'
import { type Page, page } from './pages.js'

// Our choice: long enough for a phone to switch to the application, short enough for those who do not have it.
const patience = 1500

/** A phone that opened the application hides the page; then going on would only be in the way on coming back. */
const script = `const href=(name)=>document.querySelector(name).href
const timer=setTimeout(()=>location.replace(href('.also')),${patience})
document.addEventListener('visibilitychange',()=>{if(document.hidden)clearTimeout(timer)})
location.href=href('.go')`

export interface TryPage {
  readonly appName: string
  readonly appUri: string
  /** Where the visitor goes when the application is not there. */
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

/**
 * The API reference: Swagger UI on our own OpenAPI documents, with examples in three languages. "Try it out" uses the
 * session of this browser, or the token that was entered.
 */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import 'virtual:theme-variables.css'
import '../theme/global.css'
import './docs.css'
import { type ApiDocument, forReader, withParameters } from './document.js'
import { samplesPlugin } from './samples-plugin.js'
import { searchPlugin } from './search-plugin.js'
import { currentSession, type Session } from './session.js'

const api = new URLSearchParams(location.search).get('api') === 'v3' ? 'v3' : 'v4'
const url = api === 'v3' ? '/docs/v3.json' : '/openapi.json'

document.documentElement.classList.toggle('dark-mode', document.documentElement.dataset.mantineColorScheme === 'dark')
for (const tab of document.querySelectorAll<HTMLElement>('[data-api]')) {
  if (tab.dataset.api === api) tab.setAttribute('aria-current', 'page')
}

const [session, described] = await Promise.all([currentSession(), load()])
showPerson(session)
const spec = session ? await forReader(described, session) : described
SwaggerUI({
  dom_id: '#reference',
  spec,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 2,
  filter: true,
  persistAuthorization: false,
  syntaxHighlight: { activated: true, theme: 'nord' },
  plugins: [samplesPlugin(spec), searchPlugin],
  requestInterceptor(request) {
    // A token that was entered wins, as in the API.
    if (session && !request.headers.Authorization) request.headers['X-CSRF-Token'] = session.csrf
    return request
  },
})

labelSelects()

/** Swagger UI leaves the menus of parameters without a name. */
function labelSelects(): void {
  const reference = document.getElementById('reference')
  if (!reference) return
  const label = () => {
    for (const select of reference.querySelectorAll('tr[data-param-name] select:not([aria-label])')) {
      select.setAttribute('aria-label', select.closest('tr')?.dataset.paramName ?? '')
    }
  }
  new MutationObserver(label).observe(reference, { childList: true, subtree: true })
  label()
}

async function load(): Promise<ApiDocument> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return withParameters((await response.json()) as ApiDocument)
}

function showPerson(signedIn: Session | undefined): void {
  const person = document.getElementById('person')
  const link = document.createElement('a')
  link.href = signedIn ? '/app' : `/account/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`
  link.textContent = signedIn ? 'Dashboard' : 'Sign in to try it'
  person?.append(signedIn ? `Signed in as ${signedIn.login} ` : '', link)
}

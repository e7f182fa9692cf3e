/**
 * The API reference: the operations of our own OpenAPI documents, with examples in three languages. They can be tried with the
 * session of this browser, or a token that is entered.
 */
import 'virtual:theme-variables.css'
import '../theme/global.css'
import './docs.css'
import { type ApiDocument, type ApiOperation, forReader, withParameters } from './document.js'
import { disclosure, element, prose } from './element.js'
import { operationBody, webhookBody } from './operation.js'
import { currentSession, type Session } from './session.js'
import type { Caller, Described } from './try-it.js'

const api = new URLSearchParams(location.search).get('api') === 'v3' ? 'v3' : 'v4'
const url = api === 'v3' ? '/docs/v3.json' : '/openapi.json'

for (const tab of document.querySelectorAll<HTMLElement>('[data-api]')) {
  if (tab.dataset.api === api) tab.setAttribute('aria-current', 'page')
}

const signingIn = currentSession()
const described = await load().catch(tellWhy)
const session = await signingIn
showPerson(session)
// What is opened later has the reader's own group in its examples.
const own = session ? forReader(described, session) : Promise.resolve(described)

const token = element('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' })
const caller: Caller = { csrf: session?.csrf, token: () => token.value.trim() }
const search = element('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search the operations' })
const none = element('p', { class: 'none', role: 'status' })
const sections = sectionsOf(described)
const places = sections.map(({ name, node, entries }) => ({ node, entries, link: placeLink(name, node.id) }))

document
  .getElementById('reference')
  ?.append(
    element('nav', { class: 'places', 'aria-label': 'Sections' }, ...places.map(({ link }) => link)),
    element(
      'div',
      { class: 'operations' },
      element('h1', {}, described.info?.title ?? 'API reference'),
      element('p', { class: 'about' }, ...prose(described.info?.description)),
      element(
        'div',
        { class: 'tools' },
        search,
        element('label', { class: 'token' }, element('span', {}, 'Access token'), token),
      ),
      ...places.map(({ node }) => node),
      none,
    ),
  )
search.addEventListener('input', filter)
markSeen()
window.addEventListener('hashchange', openNamed)
openNamed()

interface Section {
  readonly name: string
  readonly node: HTMLElement
  readonly entries: readonly { readonly node: HTMLElement; readonly text: string }[]
}

function sectionsOf({ tags = [], paths, webhooks = {} }: ApiDocument): readonly Section[] {
  const all = operationsIn(paths)
  const sections = tags.map(({ name, description }) =>
    section(
      name,
      description,
      all.filter(({ operation }) => operation.tags?.[0] === name),
      (one) => own.then((document) => operationBody(withDocument(document, one), caller)),
    ),
  )
  const events = operationsIn(webhooks)
  if (events.length === 0) return sections
  const about = 'What the service sends to webhooks'
  return [...sections, section('Events', about, events, async (one) => webhookBody({ ...one, document: described }))]
}

type Listed = Omit<Described, 'document'>

function operationsIn(paths: ApiDocument['paths']): readonly Listed[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  )
}

/** As the reader's own document describes it. */
function withDocument(document: ApiDocument, { path, method, operation }: Listed): Described {
  return { document, path, method, operation: document.paths[path]?.[method] ?? operation }
}

function section(
  name: string,
  description: string | undefined,
  operations: readonly Listed[],
  bodyOf: (one: Listed) => Promise<readonly (Node | undefined)[]>,
): Section {
  const entries = operations.map((one) => entry(name, one, bodyOf))
  const node = element(
    'section',
    { id: `section-${name.replaceAll(' ', '-')}` },
    element('h2', {}, name),
    element('p', {}, ...prose(description)),
    element('div', { class: 'list' }, ...entries.map((each) => each.node)),
  )
  return { name, node, entries }
}

function entry(tag: string, one: Listed, bodyOf: (one: Listed) => Promise<readonly (Node | undefined)[]>) {
  const { path, method, operation } = one
  const id = idOf(operation, path)
  const body = element('div', { class: 'body' })
  const node = disclosure(
    { class: 'operation', id, 'data-method': method },
    [
      element('span', { class: 'method' }, method.toUpperCase()),
      element('h3', {}, element('code', {}, ...breakable(path))),
      element('span', { class: 'summary' }, operation.summary ?? ''),
    ],
    () => {
      void bodyOf(one).then((nodes) => body.replaceChildren(...nodes.filter((each) => each !== undefined)))
      return [body]
    },
  )
  node.addEventListener('toggle', () => {
    if (node.open) history.replaceState(null, '', `#${id}`)
  })
  return { node, text: [tag, method, path, operation.summary].join(' ').toLowerCase() }
}

/** A long path goes on in the next line before a slash. */
function breakable(path: string): readonly (string | Node)[] {
  return path.split(/(?=\/)/).flatMap((part) => [element('wbr'), part])
}

function idOf({ operationId }: ApiOperation, path: string): string {
  return operationId ?? path
}

function placeLink(name: string, id: string): HTMLElement {
  return element('a', { href: `#${id}` }, name)
}

/** Marks the section that is read: the one below the upper edge. */
function markSeen(): void {
  const observer = new IntersectionObserver(
    (changes) => {
      const read = changes.find(({ isIntersecting }) => isIntersecting)?.target
      if (!read) return
      for (const { node, link } of places) {
        if (node === read) link.setAttribute('aria-current', 'location')
        else link.removeAttribute('aria-current')
      }
    },
    { rootMargin: '-20% 0px -80%' },
  )
  for (const { node } of places) observer.observe(node)
}

/** Shows the operations that have all words in their path, summary or section. */
function filter(): void {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const { node, entries, link } of places) {
    let inSection = 0
    for (const each of entries) {
      each.node.hidden = !words.every((word) => each.text.includes(word))
      if (!each.node.hidden) inSection += 1
    }
    node.hidden = inSection === 0
    link.hidden = inSection === 0
    found += inSection
  }
  none.textContent = found === 0 ? `No operation has "${search.value}". Try a word of its path or its summary.` : ''
}

/** The address may name an operation: `#shorten`, or as it once was, `#/Links/shorten`. */
function openNamed(): void {
  const name = decodeURIComponent(location.hash).replace(/^#(.*\/)?/, '')
  const named = name === '' ? null : document.getElementById(name)
  if (named instanceof HTMLDetailsElement) named.open = true
  named?.scrollIntoView()
}

async function load(): Promise<ApiDocument> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return withParameters(await response.json())
}

function tellWhy(error: unknown): never {
  const why = `The description of the API cannot be loaded. Reload the page. (${String(error)})`
  document.getElementById('reference')?.append(element('p', { class: 'docs-note', role: 'alert' }, why))
  throw error
}

function showPerson(signedIn: Session | undefined): void {
  const next = encodeURIComponent(location.pathname + location.search)
  const link = element('a', { href: signedIn ? '/app' : `/account/sign-in?next=${next}` })
  link.textContent = signedIn ? 'Dashboard' : 'Sign in to try it'
  document.getElementById('person')?.append(signedIn ? `Signed in as ${signedIn.login} ` : '', link)
}

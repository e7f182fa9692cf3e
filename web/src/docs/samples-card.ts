/** The examples of an operation in three languages. */
import { copyText } from '../parts/copy-text.js'
import type { ApiDocument } from './document.js'
import { element } from './element.js'
import { type Language, languages, sampleOf } from './samples.js'

const remembered = 'shortlink-docs-language'

export function samplesCard(document: ApiDocument, path: string, method: string): HTMLElement {
  const code = element('code')
  const lines = element('pre', { tabindex: 0 }, code)
  const copy = element('button', { type: 'button' }, 'Copy')
  const tabs = languages.map((language) =>
    element('button', { type: 'button', click: () => choose(language) }, language),
  )
  const choose = (language: Language) => {
    localStorage.setItem(remembered, language)
    code.textContent = sampleOf(document, { path, method, origin: location.origin }, language)
    lines.setAttribute('aria-label', `Example in ${language}`)
    copy.textContent = 'Copy'
    for (const tab of tabs) tab.setAttribute('aria-pressed', String(tab.textContent === language))
  }
  copy.addEventListener('click', async () => {
    if (await copyText(code.textContent ?? '')) copy.textContent = 'Copied'
  })
  const stored = localStorage.getItem(remembered)
  choose(languages.find((each) => each === stored) ?? 'curl')
  return element(
    'section',
    { class: 'samples', 'aria-label': 'Examples' },
    element('div', { class: 'bar' }, element('div', { role: 'group', 'aria-label': 'Language' }, tabs), copy),
    lines,
  )
}

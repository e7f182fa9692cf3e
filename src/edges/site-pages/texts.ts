/** What can be told from a text alone: whether a page may lead to it, and how it is read. */

/** URLs that a page may lead to, whatever is stored. Undefined for all others. */
export function safeUrl(text: string): string | undefined {
  const url = text.trim()
  if (!/^(?:https?:\/\/|mailto:|tel:|sms:)/i.test(url)) return undefined
  return URL.canParse(url) ? url : undefined
}

/** Of a URL as people read it. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : ''
}

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** By the first letter, as `dir="auto"` does. */
export function directionOf(text: string): 'ltr' | 'rtl' {
  const [first] = /\p{L}/u.exec(text) ?? []
  return first !== undefined && rightToLeft.test(first) ? 'rtl' : 'ltr'
}

/** Languages that are known by their script; screen readers and hyphenation need one. */
const languages: readonly (readonly [language: string, script: RegExp])[] = [
  ['he', /\p{Script=Hebrew}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['el', /\p{Script=Greek}/u],
  ['ru', /\p{Script=Cyrillic}/u],
  ['hi', /\p{Script=Devanagari}/u],
  ['th', /\p{Script=Thai}/u],
  ['ko', /\p{Script=Hangul}/u],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['zh', /\p{Script=Han}/u],
]

/** English when the letters do not tell, as our own words are. */
export function languageOf(text: string): string {
  return languages.find(([, script]) => script.test(text))?.[0] ?? 'en'
}

/** The texts of the dashboard: one catalogue per language, checked to have the same entries. */
import { en } from './en.js'

export type Texts = typeof en

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const storageKey = 'shortlink-language'

/** The language the person chose, or the browser's if we have it. */
export function preferredLanguage(): Language {
  const candidates = [localStorage.getItem(storageKey), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return candidates.find((tag): tag is Language => tag !== null && tag in languages) ?? 'en'
}

/** Texts that only some pages load. */
export function inLanguage<Catalogue>(catalogues: Readonly<Record<Language, Catalogue>>): Catalogue {
  return catalogues[preferredLanguage()]
}

export function chooseLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  location.reload()
}

/** The chosen catalogue; set once before the first page is shown. */
export let texts: Texts = en

export async function loadTexts(language: Language): Promise<void> {
  if (language === 'de') texts = (await import('./de.js')).de
  document.documentElement.lang = language
}

import { compareDe } from './compare-de.js'
import { compareEn } from './compare-en.js'
import { inLanguage } from './texts.js'

export type CompareTexts = typeof compareEn

export const compareTexts: CompareTexts = inLanguage({ en: compareEn, de: compareDe })

import { importDe } from './import-de.js'
import { importEn } from './import-en.js'
import { inLanguage } from './texts.js'

export type ImportTexts = typeof importEn

export const importTexts: ImportTexts = inLanguage({ en: importEn, de: importDe })

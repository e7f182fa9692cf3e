import { importDe } from './import-de.js'
import { importEn } from './import-en.js'
import { preferredLanguage } from './texts.js'

export type ImportTexts = typeof importEn

export const importTexts: ImportTexts = preferredLanguage() === 'de' ? importDe : importEn

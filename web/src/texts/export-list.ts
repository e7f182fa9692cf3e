import { exportListDe } from './export-list-de.js'
import { exportListEn } from './export-list-en.js'
import { inLanguage } from './texts.js'

export const exportListTexts: typeof exportListEn = inLanguage({ en: exportListEn, de: exportListDe })

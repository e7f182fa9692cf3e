import { exportsDe } from './exports-de.js'
import { exportsEn } from './exports-en.js'
import { inLanguage } from './texts.js'

export const exportsTexts: typeof exportsEn = inLanguage({ en: exportsEn, de: exportsDe })

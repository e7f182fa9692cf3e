import { historyDe } from './history-de.js'
import { historyEn } from './history-en.js'
import { inLanguage } from './texts.js'

export type HistoryTexts = typeof historyEn

export const historyTexts: HistoryTexts = inLanguage({ en: historyEn, de: historyDe })

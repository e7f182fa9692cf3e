import { historyDe } from './history-de.js'
import { historyEn } from './history-en.js'
import { preferredLanguage } from './texts.js'

export type HistoryTexts = typeof historyEn

export const historyTexts: HistoryTexts = preferredLanguage() === 'de' ? historyDe : historyEn

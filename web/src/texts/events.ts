import { eventsDe } from './events-de.js'
import { eventsEn } from './events-en.js'
import { inLanguage } from './texts.js'

export const eventsTexts: typeof eventsEn = inLanguage({ en: eventsEn, de: eventsDe })

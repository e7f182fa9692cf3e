import { eventsDe } from './events-de.js'
import { eventsEn } from './events-en.js'
import { preferredLanguage } from './texts.js'

export const eventsTexts: typeof eventsEn = preferredLanguage() === 'de' ? eventsDe : eventsEn

import { peopleDe } from './people-de.js'
import { peopleEn } from './people-en.js'
import { preferredLanguage } from './texts.js'

export type PeopleTexts = typeof peopleEn

export const people: PeopleTexts = preferredLanguage() === 'de' ? peopleDe : peopleEn

import { peopleDe } from './people-de.js'
import { peopleEn } from './people-en.js'
import { inLanguage } from './texts.js'

export type PeopleTexts = typeof peopleEn

export const people: PeopleTexts = inLanguage({ en: peopleEn, de: peopleDe })

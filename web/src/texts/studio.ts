import { studioDe } from './studio-de.js'
import { studioEn } from './studio-en.js'
import { preferredLanguage } from './texts.js'

export type StudioTexts = typeof studioEn

export const studio: StudioTexts = preferredLanguage() === 'de' ? studioDe : studioEn

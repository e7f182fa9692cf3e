import { studioDe } from './studio-de.js'
import { studioEn } from './studio-en.js'
import { inLanguage } from './texts.js'

export type StudioTexts = typeof studioEn

export const studio: StudioTexts = inLanguage({ en: studioEn, de: studioDe })

import { sitesDe } from './sites-de.js'
import { sitesEn } from './sites-en.js'
import { inLanguage } from './texts.js'

export type SiteTexts = typeof sitesEn

export const siteTexts: SiteTexts = inLanguage({ en: sitesEn, de: sitesDe })

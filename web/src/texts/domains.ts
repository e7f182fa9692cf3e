import { domainsDe } from './domains-de.js'
import { domainsEn } from './domains-en.js'
import { inLanguage } from './texts.js'

export type DomainTexts = typeof domainsEn

export const domainTexts: DomainTexts = inLanguage({ en: domainsEn, de: domainsDe })

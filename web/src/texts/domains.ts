import { domainsDe } from './domains-de.js'
import { domainsEn } from './domains-en.js'
import { preferredLanguage } from './texts.js'

export type DomainTexts = typeof domainsEn

export const domainTexts: DomainTexts = preferredLanguage() === 'de' ? domainsDe : domainsEn

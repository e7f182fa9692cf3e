import { auditDe } from './audit-de.js'
import { auditEn } from './audit-en.js'
import { preferredLanguage } from './texts.js'

export type AuditTexts = typeof auditEn

export const auditTexts: AuditTexts = preferredLanguage() === 'de' ? auditDe : auditEn

import { auditDe } from './audit-de.js'
import { auditEn } from './audit-en.js'
import { inLanguage } from './texts.js'

export type AuditTexts = typeof auditEn

export const auditTexts: AuditTexts = inLanguage({ en: auditEn, de: auditDe })

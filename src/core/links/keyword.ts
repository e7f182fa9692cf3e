import type { Domain } from '../domains/domains.js'
import { isKeyword } from '../values/address.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { KeywordHolder } from './link-store.js'

/** A keyword that may be asked for; throws for what can never be one. */
export function readKeyword(text: string, field = 'keyword'): string {
  if (isKeyword(text)) return text
  const message =
    `${quoted(text)} cannot be a back-half: 1 to 50 letters, digits, "-" and "_" can, ` +
    'except names that the service uses itself.'
  throw new Refusal('INVALID_ARG_SHORTLINK', message, { resource: 'shortlinks', field })
}

/** The code depends on where it is taken, and by whom (docs/api/custom-links.md#taken-back-halves). */
export function keywordTaken(domain: Domain, groupGuid: string, holder: KeywordHolder): Refusal {
  const message = `This back-half is taken on ${domain.name}. Choose another.`
  if (!domain.branded) return new Refusal('FORBIDDEN', message, { resource: 'shortlinks' })
  if (holder.groupGuid !== groupGuid) {
    const elsewhere = `This back-half is taken on ${domain.name} by another group. Choose another, or act for that group.`
    return invalid('groupGuid', elsewhere, 'shortlinks')
  }
  return new Refusal('KEYWORD_UNAVAILABLE', message, { resource: 'shortlinks' })
}

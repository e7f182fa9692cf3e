/**
 * The rules for a single link of another product: which domain it gets, whether its back-half can be served, and how its
 * details fit the limits of this service. What cannot be kept of a title, note or tag is shortened, because a link that
 * redirects is worth more than its title; a link that could not redirect is refused with the reason.
 */
import { type Domain, type Domains, domainFor } from '../domains/domains.js'
import { maxNoteLength, maxTitleLength } from '../links/link-fields.js'
import { fittingTags } from '../links/tags.js'
import { foreignEnd, gs1Path, isImportableBackHalf, reservedSegments } from '../values/address.js'
import { normaliseLongUrl } from '../values/long-url.js'
import { quoted, Refusal } from '../values/refusal.js'
import type { LinkToImport } from './import-store.js'
import type { ImportedLink, SourceAddress } from './imported-link.js'

export interface PrepareDeps {
  readonly domains: Domains
}

export interface PrepareOptions {
  readonly groupGuid: string
  /** New domains by old ones, in lower case. `*` stands for all that are not listed. */
  readonly map: ReadonlyMap<string, string>
  readonly now: number
}

/** Turns links of another product into links of this one. Remembers the domains, which few links change. */
export class LinkPreparation {
  readonly #deps: PrepareDeps
  readonly #options: PrepareOptions
  readonly #domains = new Map<string | undefined, Domain | string>()

  constructor(deps: PrepareDeps, options: PrepareOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** Returns the link, or why it cannot be imported. */
  link(imported: ImportedLink): LinkToImport | string {
    const domain = this.#domain(imported.domain)
    if (typeof domain === 'string') return domain
    const problem = backHalfProblem(imported.backHalf)
    if (problem !== undefined) return problem
    const longUrl = this.#longUrl(imported.longUrl)
    if (typeof longUrl !== 'string') return longUrl.reason
    const { now } = this.#options
    const createdAt = Math.min(imported.createdAt ?? now, now)
    const address = `${domain.key}/${imported.backHalf}`
    const custom = (imported.customBackHalves ?? []).flatMap((written) => this.address(written) ?? [])
    return {
      address,
      domain: domain.key,
      backHalf: imported.backHalf,
      // A keyword is on the domain of its link.
      keywords: [...new Set(custom)].filter((other) => other !== address && other.startsWith(`${domain.key}/`)),
      longUrl,
      createdAt,
      title: fittingTitle(imported.title),
      tags: fittingTags(imported.tags ?? []),
      archived: imported.archived ?? false,
      expiresAt: imported.expiresAt,
      note: fittingNote(imported.note),
    }
  }

  /** The stored address here of an address there; undefined if it can have none. */
  address({ domain: written, backHalf }: SourceAddress): string | undefined {
    const domain = this.#domain(written)
    if (typeof domain === 'string' || backHalfProblem(backHalf) !== undefined) return undefined
    return `${domain.key}/${backHalf}`
  }

  #domain(written: string | undefined): Domain | string {
    const known = this.#domains.get(written)
    if (known !== undefined) return known
    const domain = this.#findDomain(written)
    this.#domains.set(written, domain)
    return domain
  }

  #findDomain(written: string | undefined): Domain | string {
    const { groupGuid, map } = this.#options
    const name = map.get(written ?? '') ?? map.get('*') ?? written
    try {
      const domain = domainFor(this.#deps, groupGuid, name)
      if (domain.isProven) return domain
      return `The domain ${domain.name} is not verified yet. Run "shortlink domain verify ${domain.name}" first.`
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const example = map.has(written ?? '') ? '' : ` Add it, or name a domain for its links: --map ${name}=DOMAIN.`
      return `${quoted(name ?? '')} is not a short domain that the group may use.${example}`
    }
  }

  #longUrl(text: string): string | { readonly reason: string } {
    try {
      return normaliseLongUrl(text.trim(), this.#deps.domains)
    } catch (error) {
      if (error instanceof Refusal) return { reason: error.message }
      throw error
    }
  }
}

function backHalfProblem(backHalf: string): string | undefined {
  if (isImportableBackHalf(backHalf)) return undefined
  if (backHalf === '') return 'the link has no back-half'
  return `${quoted(backHalf)} cannot be served as a back-half: ${reasonFor(backHalf)}`
}

function reasonFor(backHalf: string): string {
  const [first = ''] = backHalf.split('/', 1)
  if (reservedSegments.has(first.toLowerCase())) return 'the service itself uses it'
  if (first.startsWith('.')) return 'it begins with a dot'
  if (gs1Path.test(backHalf)) return 'it looks like a GS1 Digital Link, which leads to the link of its first part'
  if (backHalf.length > 255) return 'it is longer than 255 characters'
  if (foreignEnd.test(backHalf)) return 'it ends with punctuation, which is cut off visited URLs'
  return 'it is too long, or it has spaces, empty parts or characters such as ? and #'
}

function fittingTitle(title = ''): string | undefined {
  const line = printableText(title, /[\p{Cc}\p{Cs}]/gu).trim()
  return line === '' ? undefined : cut(line, maxTitleLength)
}

function fittingNote(note = ''): string | undefined {
  const text = printableText(note, /(?![\r\n\t])[\p{Cc}\p{Cs}]/gu).trim()
  return text === '' ? undefined : cut(text, maxNoteLength)
}

function printableText(text: string, forbidden: RegExp): string {
  return text.replace(forbidden, ' ')
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text.slice(0, length)].slice(0, -1).join('')
}

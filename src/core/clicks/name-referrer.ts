/** Parses the referrer: the header as sent, its host, a readable name and its network. */
import { parse } from 'tldts'
import { type Site, siteOfApp, siteOfDomain } from './sites.js'

export interface Referrer {
  readonly raw: string
  readonly domain: string
  readonly name: string
  readonly network: string
}

const direct: Referrer = { raw: 'direct', domain: 'direct', name: 'direct', network: 'direct' }

/** The maximum length of a long URL. */
const maxLength = 2048

export function readReferrer(text: string): Referrer {
  const raw = text.trim().slice(0, maxLength)
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  const domain = url?.hostname.toLowerCase().replace(/\.$/, '') ?? ''
  if (!url || domain === '') return direct
  // Android names the app that opened the link: android-app://com.example.app/
  if (url.protocol === 'android-app:' || url.protocol === 'ios-app:')
    return named(raw, domain, siteOfApp(domain), domain)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return direct
  const parsed = parse(domain)
  return named(raw, domain, siteOfDomain(parsed.domain, parsed.domainWithoutSuffix, domain), parsed.domain ?? domain)
}

function named(raw: string, domain: string, site: Site | undefined, fallback: string): Referrer {
  return { raw, domain, name: site?.name ?? fallback, network: site?.network ?? 'other' }
}

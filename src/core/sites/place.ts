/** Where a site is: `<domain>/m/<keyword>`, or any path of a branded domain, or its root. */
import { type Domain, type Domains, domainFor } from '../domains/domains.js'
import { isBackHalf, isImportableBackHalf } from '../values/address.js'
import { invalid, quoted, type Refusal } from '../values/refusal.js'

export interface PlaceInput {
  readonly domain?: string | undefined
  readonly keyword?: string | undefined
  /** `<domain>/<path>`; wins over the keyword. */
  readonly uri?: string | undefined
}

export interface Place {
  readonly domain: Domain
  /** The stored address. */
  readonly address: string
}

export function readPlace(
  deps: { readonly domains: Domains },
  groupGuid: string,
  { domain, keyword, uri }: PlaceInput,
): Place {
  if (uri === undefined) {
    const found = domainFor(deps, groupGuid, domain)
    return placeOn(found, keyword === '' ? '' : `m/${keyword}`, 'keyword')
  }
  const named = splitUri(uri)
  if (!named) {
    const message = `${quoted(uri)} is not an address. Send uri as <domain>/<path>, without spaces.`
    throw invalid('uri', message, 'sites')
  }
  const found = domainFor(deps, groupGuid, named.host, 'uri')
  if (domain !== undefined && domainFor(deps, groupGuid, domain).key !== found.key) {
    throw invalid('uri', `The uri is on another domain than ${quoted(domain)}. Send one of them.`, 'sites')
  }
  return placeOn(found, named.path, 'uri')
}

/** `<domain>/<path>`, also as a URL. */
export function splitUri(uri: string): { readonly host: string; readonly path: string } | undefined {
  const [, host, path = ''] = /^(?:https?:\/\/)?([^/\s]+)(?:\/([^\s]*))?$/i.exec(uri) ?? []
  return host === undefined ? undefined : { host: host.toLowerCase(), path: path.replace(/\/$/, '') }
}

function placeOn(domain: Domain, path: string, field: string): Place {
  const segments = path.split('/')
  const place = { domain, address: `${domain.key}/${path}` }
  const hasPrefix = segments.length === 2 && segments[0] === 'm'
  if (path === '' && domain.branded) {
    if (domain.rootUrl === undefined) return place
    const message = `The root of ${domain.name} redirects to ${domain.rootUrl}. Remove its root_redirect first.`
    throw invalid(field, message, 'sites')
  }
  const isValid = segments.every(isBackHalf) && isImportableBackHalf(path)
  if (isValid && (domain.branded || hasPrefix)) return place
  const wanted = domain.branded
    ? `On ${domain.name} a site can be at any path`
    : `On ${domain.name} sites are at ${domain.name}/m/<keyword>`
  const message = `${wanted}: 1 to 50 letters, digits, "-" and "_" between slashes; names that the service itself uses are reserved.`
  throw invalid(field, message, 'sites')
}

export function placeTaken(
  { domain }: Place,
  groupGuid: string,
  holder: { readonly groupGuid: string | undefined },
): Refusal {
  const message =
    holder.groupGuid === groupGuid
      ? `A link or a site of this group has this address on ${domain.name} already, or had it. Choose another.`
      : `This address is taken on ${domain.name}. Choose another.`
  return invalid('uri', message, 'sites')
}

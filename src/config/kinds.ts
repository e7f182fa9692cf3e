import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { readCidr } from '../lib/cidr.js'
import { type CredentialRule, emailRule } from '../lib/credentials.js'
import { parseUrl } from '../lib/parse-url.js'
import { urlPerHost } from '../lib/url-per-host.js'
import type { EndpointLimit, NetworkLimit } from './config.js'

/**
 * Types of option values. Flags, environment and files all provide text (numbers and lists of a file are converted
 * first), so each type has one parser.
 */
export interface Kind<Value> {
  /** Completes "allowed: ..." in error messages and in the reference. */
  readonly allowed: string
  /** Placeholder for the value in help. */
  readonly placeholder: string
  /** JSON type accepted in a configuration file, besides string. */
  readonly inFile?: 'number' | 'list'
  /** Parses the text; undefined when it is invalid. Relative paths are resolved against `folder`. */
  read(text: string, folder: string): Value | undefined
  /** Masks the secret part of a value for display. Values without it are shown unchanged or not at all. */
  mask?(text: string): string
}

export const masked = '********'

const maxProcesses = 64

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    allowed: `a whole number from ${least} to ${most}`,
    placeholder: 'NUMBER',
    inFile: 'number',
    read: (text) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      return number >= least && number <= most ? number : undefined
    },
  }
}

/** Windows cannot share a connection between processes. */
export const processes: Kind<number> = {
  allowed: process.platform === 'win32' ? 'only 1 on Windows' : `a whole number from 1 to ${maxProcesses}, or auto`,
  placeholder: 'NUMBER|auto',
  inFile: 'number',
  read: (text) => {
    const number =
      text === 'auto' ? Math.min(availableParallelism(), maxProcesses) : wholeNumber(1, maxProcesses).read(text, '')
    return process.platform === 'win32' && number !== 1 ? (text === 'auto' ? 1 : undefined) : number
  },
}

/** In milliseconds. */
export function duration(least: number): Kind<number> {
  return {
    allowed: `a number and s, m, h or d (90s, 30m, 24h, 7d), at least ${least / 1000}s`,
    placeholder: 'TIME',
    read: (text) => {
      const [, number, unit = ''] = /^(\d{1,6}) ?([smhd])$/.exec(text) ?? []
      const milliseconds = Number(number) * (unitLength[unit] ?? Number.NaN)
      return milliseconds >= least ? milliseconds : undefined
    },
  }
}

/** Milliseconds after midnight. */
export const timeOfDay: Kind<number> = {
  allowed: 'hours and minutes (03:15)',
  placeholder: 'HH:MM',
  read: (text) => (/^([01]\d|2[0-3]):[0-5]\d$/.test(text) ? Date.parse(`1970-01-01T${text}Z`) : undefined),
}

const unitLength: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): Kind<Choice> {
  return {
    allowed: choices.join(', ').replace(/, ([^,]+)$/, ' or $1'),
    placeholder: choices.join('|'),
    read: (text) => choices.find((choice) => choice === text),
  }
}

export function credential(rule: CredentialRule): Kind<string> {
  return {
    allowed: rule.allowed,
    placeholder: 'TEXT',
    read: (text) => (rule.test(text) ? text : undefined),
  }
}

export const listenAddress: Kind<string> = {
  allowed: 'an IP address or a host name',
  placeholder: 'ADDRESS',
  read: (text) => (isIP(text) || isHostName(text.toLowerCase()) ? text : undefined),
}

export const origin: Kind<string> = {
  allowed: 'http:// or https:// and a host, without path or query (https://links.example.com)',
  placeholder: 'URL',
  read: (text) => {
    const url = parseUrl(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
    // Browsers show a single trailing slash; it does not count as a path.
    return /^https?:\/\/[^/?#\\]+\/?$/i.test(text) ? url.origin : undefined
  },
  mask: maskPasswords,
}

export const domainNames: Kind<readonly string[]> = {
  allowed: 'different host names, each with an optional port, separated by commas (go.example.com,s.example.org:8080)',
  placeholder: 'NAME,...',
  inFile: 'list',
  read: (text) => {
    const names = allOrNothing(entries(text).map(domainName))
    return new Set(names).size === names?.length ? names : undefined
  },
}

export const publicAddress: Kind<string> = {
  allowed: 'a host name or an IPv4 address with an optional port (stream.example.com:4150)',
  placeholder: 'HOST',
  read: domainName,
}

export const hostsAndPorts: Kind<readonly string[]> = {
  allowed:
    'different host names or IP addresses, each with its port, separated by commas (nsqd.example.com:4150,[::1]:4150)',
  placeholder: 'HOST:PORT,...',
  inFile: 'list',
  read: (text) => different(entries(text).map(hostAndPort)),
}

export const origins: Kind<readonly string[]> = {
  allowed:
    'different HTTP addresses without path, separated by commas (nsqd.example.com:4151,https://nsqd-2.example.com:4152)',
  placeholder: 'HOST:PORT,...',
  inFile: 'list',
  read: (text) => different(entries(text).map((entry) => origin.read(withScheme(entry), ''))),
  mask: maskPasswords,
}

/** As browsers send them in `Origin`. */
export const pageOrigins: Kind<readonly string[]> = {
  allowed:
    'different origins, each with http:// or https:// and without path, separated by commas ' +
    '(https://app.example.com,http://localhost:5173), or * alone for all',
  placeholder: 'ORIGIN,...',
  inFile: 'list',
  read: (text) => {
    if (text.trim() === '*') return ['*']
    // A URL may have any * in its host, but none is ever an origin.
    return text.includes('*') ? undefined : different(entries(text).map((entry) => origin.read(entry, '')))
  },
  mask: maskPasswords,
}

export const linkWords: Kind<readonly string[]> = {
  allowed:
    'different words of 2 to 30 lower-case letters other than "shortlink", separated by commas, each alone (bitlink) or with the name of the service (bitlink:bitly)',
  placeholder: 'WORD,...',
  inFile: 'list',
  read: (text) => {
    const words = entries(text)
    const isDifferent = different(['shortlink', ...words.map((entry) => entry.split(':')[0])]) !== undefined
    return isDifferent && words.every((entry) => /^[a-z]{2,30}(:[a-z]{2,30})?$/.test(entry)) ? words : undefined
  },
}

export const addressesAndNames: Kind<readonly string[]> = {
  allowed: 'IP addresses and host names, separated by commas (links.example.com,203.0.113.7)',
  placeholder: 'HOST,...',
  inFile: 'list',
  read: (text) => allOrNothing(entries(text).map((entry) => address(entry) ?? portlessName(entry))),
}

export const resolvers: Kind<readonly string[]> = {
  allowed: 'IP addresses, each with an optional port, separated by commas (9.9.9.9,127.0.0.1:5353,[::1]:53)',
  placeholder: 'ADDRESS,...',
  inFile: 'list',
  read: (text) => allOrNothing(entries(text).map(resolver)),
}

export const folder: Kind<string> = {
  allowed: 'a path',
  placeholder: 'PATH',
  read: (text, base) => (text.trim() === '' ? undefined : resolve(base, text)),
}

export const files: Kind<readonly string[]> = {
  allowed: 'paths of files, separated by commas',
  placeholder: 'PATH,...',
  inFile: 'list',
  read: (text, base) => allOrNothing(entries(text).map((entry) => (entry === '' ? undefined : resolve(base, entry)))),
}

export const postgresUrl: Kind<string> = {
  allowed: 'postgres://user:password@host:5432/database, or several hosts with commas (a:5432,b:5432)',
  placeholder: 'URL',
  // Without a host it is a local socket, but the slashes must be there.
  read: (text) =>
    /^postgres(?:ql)?:\/\//i.test(text) && urlPerHost(text).every((url) => parseUrl(url)) ? text : undefined,
  mask: (text) => urlPerHost(text).map(maskUrl).join(' or '),
}

export const clickhouseUrl: Kind<string> = {
  allowed: 'http://user:password@host:8123/database, or https://',
  placeholder: 'URL',
  read: (text) => {
    const url = parseUrl(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return undefined
    return /^\/([\w-]{1,100}\/?)?$/.test(url.pathname) ? text : undefined
  },
  mask: maskUrl,
}

export const s3Url: Kind<string> = {
  allowed:
    'https://ACCESSKEY:SECRETKEY@host/bucket, with percent-encoded keys, and optionally /prefix, ?region=NAME and style=virtual',
  placeholder: 'URL',
  read: (text) => {
    const url = parseUrl(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.hash !== '') return undefined
    const parts = [url.username, url.password, url.pathname]
    if (parts.some((part) => part === '' || !isPercentEncoded(part))) return undefined
    if (!/^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/|$)/.test(url.pathname)) return undefined
    const known = [...url.searchParams].every(([name, value]) => s3Parameters[name]?.test(value))
    return known ? text : undefined
  },
  mask: maskUrl,
}

/** A URL like that of `s3Url`, or a path. */
export const folderOrS3: Kind<string> = {
  allowed: `a path, or ${s3Url.allowed}`,
  placeholder: 'PLACE',
  read: (text, base) => (isUrl(text) ? s3Url.read(text, base) : folder.read(text, base)),
  mask: (text) => (isUrl(text) ? maskUrl(text) : text),
}

/** Or what was meant to be one. */
function isUrl(text: string): boolean {
  return /^(?:\w+:\/\/|https?:)/i.test(text)
}

const s3Parameters: Readonly<Record<string, RegExp>> = { region: /^[\w-]{1,50}$/, style: /^(?:path|virtual)$/ }

export const smtpUrl: Kind<string> = {
  allowed: 'smtp://user:password@host:587 or smtps://user:password@host:465',
  placeholder: 'URL',
  read: (text) => (/^smtps?:$/.test(parseUrl(text)?.protocol ?? '') && parseUrl(text)?.hostname ? text : undefined),
  mask: maskUrl,
}

export const webUrl: Kind<string> = {
  allowed: 'an http:// or https:// URL without user and password',
  placeholder: 'URL',
  read: (text) => {
    const url = parseUrl(text)
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined
  },
  mask: maskPasswords,
}

/** Of an identity provider: plain http would show its tokens to everybody on the way. */
export const oidcIssuerUrl: Kind<string> = {
  allowed: 'an https:// URL without user, query and fragment; http:// only for this machine (http://localhost:9000)',
  placeholder: 'URL',
  read: (text) => {
    const url = parseUrl(text)
    if (!url || url.username || url.password || /[?#]/.test(text)) return undefined
    const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal) ? text : undefined
  },
  mask: maskPasswords,
}

export const plainText: Kind<string> = {
  allowed: '1 to 255 characters, without control characters',
  placeholder: 'TEXT',
  read: (text) => (/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(text) && text.trim() === text ? text : undefined),
}

export const plainTexts: Kind<readonly string[]> = {
  allowed: 'different texts of at most 255 characters, separated by commas',
  placeholder: 'TEXT,...',
  inFile: 'list',
  read: (text) => different(entries(text).map((entry) => plainText.read(entry, ''))),
}

export const scopes: Kind<string> = {
  allowed: 'words separated by spaces, among them openid',
  placeholder: 'SCOPES',
  read: (text) =>
    /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) && text.split(' ').includes('openid')
      ? text
      : undefined,
}

export const groupRoles: Kind<readonly string[]> = {
  allowed:
    'GROUP=ROLE@GUID, separated by commas: reader, member or group-admin with the guid of a group, org-admin or auditor with that of an organization',
  placeholder: 'RULE,...',
  inFile: 'list',
  read: (text) => different(entries(text).map((entry) => (groupRoleRule.test(entry) ? entry : undefined))),
}

const groupRoleRule = /^.{1,255}=(?:(?:reader|member|group-admin)@B|(?:org-admin|auditor)@O)[0-9A-Za-z]{1,63}$/

export const mailAddress: Kind<string> = {
  allowed: emailRule.allowed,
  placeholder: 'ADDRESS',
  read: (text) => (emailRule.test(text) ? text : undefined),
}

export const redisUrl: Kind<string> = {
  allowed: 'redis://user:password@host:6379/0, or rediss:// for TLS',
  placeholder: 'URL',
  read: (text) => (/^rediss?:$/.test(parseUrl(text)?.protocol ?? '') && parseUrl(text)?.hostname ? text : undefined),
  mask: maskUrl,
}

export const endpointLimits: Kind<readonly EndpointLimit[]> = {
  allowed: 'different endpoints as METHOD PATH=NUMBER, separated by commas (POST /v4/shorten=1000)',
  placeholder: 'LIMIT,...',
  inFile: 'list',
  read: (text) => {
    const limits = allOrNothing(entries(text).map(endpointLimit))
    return new Set(limits?.map(({ endpoint }) => endpoint)).size === limits?.length ? limits : undefined
  },
}

export const networks: Kind<readonly string[]> = {
  allowed: 'different networks in CIDR notation or IP addresses, separated by commas (10.0.0.0/8,2001:db8::/32)',
  placeholder: 'NETWORK,...',
  inFile: 'list',
  read: (text) => different(entries(text).map((entry) => readCidr(entry)?.text)),
}

export const networkLimits: Kind<readonly NetworkLimit[]> = {
  allowed: 'different networks as NETWORK=NUMBER, separated by commas (10.0.0.0/8=50,2001:db8::/32=0)',
  placeholder: 'LIMIT,...',
  inFile: 'list',
  read: (text) => {
    const limits = allOrNothing(entries(text).map(networkLimit))
    return new Set(limits?.map(({ network }) => network.text)).size === limits?.length ? limits : undefined
  },
}

export const file: Kind<string> = { ...folder, allowed: 'the path of a file' }

export const fileOrOutput: Kind<string> = {
  ...file,
  allowed: 'the path of a file, or - for standard output',
  read: (text, ...rest) => (text === '-' ? text : file.read(text, ...rest)),
}

export const word: Kind<string> = {
  allowed: 'letters, digits, - and _, at most 50',
  placeholder: 'NAME',
  read: (text) => (/^[\w-]{1,50}$/.test(text) ? text : undefined),
}

/**
 * Keeps everything except the password, to show which server is meant. A value that is no URL of a server is hidden
 * completely.
 */
function maskUrl(text: string): string {
  const url = parseUrl(text)
  if (!url || !text.includes('://')) return masked
  if (url.password) url.password = masked
  return maskPasswords(url.href)
}

/** Masks passwords in values that should have none but may contain one anyway, also after a user name. */
function maskPasswords(text: string): string {
  return text
    .replace(/(\/\/[^/?#@\s,]*:)[^/?#\s,]*@/g, `$1${masked}@`)
    .replace(/:[^/:?#@\s,]+@/g, `:${masked}@`)
    .replace(/([?&][^=&#\s]*(?:pass|secret|token|key)[^=&#\s]*=)[^&#\s]+/gi, `$1${masked}`)
}

function endpointLimit(text: string): EndpointLimit | undefined {
  const [, method, path, number] = /^([A-Z]+) +(\/\S+?) *= *(\d{1,12})$/.exec(text) ?? []
  return number === undefined ? undefined : { endpoint: `${method} ${path}`, perHour: Number(number) }
}

function networkLimit(text: string): NetworkLimit | undefined {
  const [, cidr = '', number] = /^(\S+?) *= *(\d{1,7})$/.exec(text) ?? []
  const network = readCidr(cidr)
  return network && { network, max: Number(number) }
}

function isPercentEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text)
}

function entries(text: string): string[] {
  return text.split(',').map((entry) => entry.trim())
}

function allOrNothing<T>(values: readonly (T | undefined)[]): readonly T[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined
}

function different(values: readonly (string | undefined)[]): readonly string[] | undefined {
  const all = allOrNothing(values)
  return new Set(all).size === all?.length ? all : undefined
}

function withScheme(text: string): string {
  return /^https?:/i.test(text) ? text : `http://${text}`
}

function hostAndPort(text: string): string | undefined {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^\s/?#@:\\]+)):(\d{1,5})$/.exec(text) ?? []
  if (Number(port ?? 0) < 1 || Number(port) > 65535) return undefined
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? `[${bracketed}]:${Number(port)}` : undefined
  return isIP(plain) || isHostName(plain.toLowerCase()) ? `${plain.toLowerCase()}:${Number(port)}` : undefined
}

/** Normalizes to lower case and punycode, and keeps the port as written. */
function domainName(text: string): string | undefined {
  const [, name, port] = /^([^\s/?#@:\\]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = name && parseUrl(`http://${name}`)?.hostname
  if (!host || !isHostName(host) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65535) return undefined
  // URL parsers read `1.2` as 1.0.0.2: accept only IPs written in full.
  if (isIP(host) && host !== name) return undefined
  return port === undefined ? host : `${host}:${Number(port)}`
}

function portlessName(text: string): string | undefined {
  return text.includes(':') ? undefined : domainName(text)
}

/** IPv6 in its shortest form, as resolvers return it. */
function address(text: string): string | undefined {
  if (isIP(text) === 6) return parseUrl(`http://[${text}]`)?.hostname.slice(1, -1)
  return isIP(text) === 4 ? text : undefined
}

function resolver(text: string): string | undefined {
  if (isIP(text)) return text
  const [, bracketed, plain = bracketed, port] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const known = plain !== undefined && isIP(plain) === (bracketed === undefined ? 4 : 6)
  return known && Number(port ?? 1) >= 1 && Number(port ?? 1) <= 65535 ? text : undefined
}

function isHostName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
}

/**
 * Scopes: what a token may be used for (docs/api/identity.md#scopes). Every operation names the scopes of which one is
 * enough. Must not know operations, nor how a token is stored.
 */
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import { type Actor, requireOwnToken, type ScopeSet } from './actor.js'

/** A new scope without a sentence does not compile. The order is that of lists and forms. */
const scopes = {
  'links:read': { allows: 'Read links, QR codes, sites, campaigns, tags, images and domains', isOfContents: true },
  'links:write': {
    allows: 'Create, change and delete links, custom back-halves, campaigns, tags and images',
    includes: ['links:read', 'links:create'],
    isOfContents: true,
  },
  'links:create': { allows: 'Create links, and nothing else', isOfContents: true },
  'analytics:read': { allows: 'Read the clicks, scans and views of links, QR codes and sites', isOfContents: true },
  qr: { allows: 'Create, read, change and delete QR codes', isOfContents: true },
  sites: { allows: 'Create, read, change, publish and delete sites', isOfContents: true },
  domains: { allows: 'Read, add, change and remove domains and mobile apps' },
  webhooks: { allows: 'Read, create, change and delete webhooks' },
  members: { allows: 'Read, invite, change and remove members' },
  exports: { allows: 'Export links and clicks as files', isOfContents: true },
  admin: { allows: 'Change groups, organizations and plans, and read the audit log' },
  all: { allows: 'Everything that the user may do' },
} as const satisfies Readonly<Record<string, Described>>

interface Described {
  /** One phrase: the words of the OpenAPI document and of the page where users allow an application. */
  readonly allows: string
  readonly includes?: readonly string[]
  /** An application may have it: contents stay with their group and give the application nothing. */
  readonly isOfContents?: true
}

export type Scope = keyof typeof scopes

export const scopeNames = Object.keys(scopes) as readonly Scope[]

/** Scopes that an application may have. Of an application, `all` is no more than these. */
export const applicationScopes: readonly Scope[] = scopeNames.filter((name) => describe(name).isOfContents)

export function whatAllows(scope: Scope): string {
  return scopes[scope].allows
}

/** What an operation needs: one of these scopes. `any`: every token is enough. */
export type NeededScope = Scope | readonly [Scope, Scope, ...Scope[]] | 'any'

const anyToken = 1
const bits = new Map(scopeNames.map((name, index) => [name, 2 << index]))

/** With those that they include. */
function setOf(names: readonly Scope[]): ScopeSet {
  return names.reduce((set, name) => {
    const { includes = [] } = describe(name)
    return (
      set | bitOf(name) | setOf((name === 'all' ? scopeNames.filter((other) => other !== 'all') : includes) as Scope[])
    )
  }, anyToken)
}

/** These, and those that they include. */
export function withIncluded(names: readonly Scope[]): readonly Scope[] {
  const set = setOf(names)
  return scopeNames.filter((name) => (set & bitOf(name)) !== 0)
}

const ofContents = setOf(applicationScopes)

/** The bits of which a token needs one. */
export function neededSet(needed: NeededScope): ScopeSet {
  if (needed === 'any') return anyToken
  return namesOf(needed).reduce((set, name) => set | bitOf(name), 0)
}

export interface TokenScopes {
  readonly scopes: readonly Scope[]
  /** Of its application, if it has one: what the application may no longer do, its tokens may not do. */
  readonly ofApplication?: readonly Scope[] | undefined
  /** To groups or domains. */
  readonly isLimited: boolean
}

export function scopesOfToken({ scopes: own, ofApplication, isLimited }: TokenScopes): ScopeSet {
  const set = setOf(own) & (ofApplication ? setOf(ofApplication) & ofContents : ~0)
  // An account is more than its groups: a token for some of them must not make one for all.
  return isLimited ? set & ~bitOf('all') : set
}

/** Callers without a token, such as the dashboard, have no scopes and may do everything. */
export function requireScope(actor: Actor, set: ScopeSet, needed: NeededScope): void {
  if (actor.scopes === undefined || (actor.scopes & set) !== 0) return
  // No scope would help an application.
  if ((set & ofContents) === 0) requireOwnToken(actor)
  const [scope = ''] = namesOf(needed)
  throw new Refusal('INSUFFICIENT_SCOPE', `This token needs the scope ${inWords(needed)}.`, { scope })
}

/** For operations that also do what belongs to another scope (docs/api/identity.md#more-than-one-scope). */
export function requireAlso(actor: Actor, needed: NeededScope): void {
  requireScope(actor, neededSet(needed), needed)
}

export function hasScope(actor: Actor, scope: Scope): boolean {
  return actor.scopes === undefined || (actor.scopes & bitOf(scope)) !== 0
}

/** `links:read` or `qr`. */
function inWords(needed: NeededScope): string {
  if (needed === 'all') return 'all, and must not be limited to groups or domains'
  return namesOf(needed).join(' or ')
}

/** Each scope once, in their order. */
export function requireScopes(
  names: readonly string[],
  allowed: readonly Scope[],
  resource: Resource,
): readonly Scope[] {
  const wrong = names.find((name) => !allowed.includes(name as Scope))
  if (wrong !== undefined || names.length === 0) {
    const problem = wrong === undefined ? 'Choose at least one scope.' : `"${wrong.slice(0, 60)}" is not possible.`
    throw invalid('scopes', `${problem} Scopes are: ${allowed.join(', ')}.`, resource)
  }
  return scopeNames.filter((name) => names.includes(name))
}

function namesOf(needed: NeededScope): readonly string[] {
  return typeof needed === 'string' ? [needed] : needed
}

function bitOf(name: string): number {
  return bits.get(name as Scope) ?? 0
}

function describe(name: Scope): Described {
  return scopes[name]
}

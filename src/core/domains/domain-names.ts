/**
 * Translates between displayed addresses, `<name>/<back-half>`, and stored ones, `<key>/<back-half>`. The key of a
 * built-in domain never changes while its name may; a branded domain's name is its key. Input goes through `addressOf`
 * or `keyOf`, output through `shown` or `nameOf`.
 */
import { isBackHalf } from '../values/address.js'

/** One of the service's own short domains. */
export interface BuiltInDomain {
  /** The first part of stored addresses. It never changes. */
  readonly key: string
  /** Lower case, with a port unless it is the default port. Unique. */
  readonly name: string
  /** Former names that no other domain uses now: they still work. */
  readonly formerNames: readonly string[]
  /** Index in the configuration; 0 is the default domain. Undefined: not configured any more. */
  readonly position: number | undefined
}

declare const shownToPeople: unique symbol

/** An address with the domain's current name. Only `shown` creates one, so the compiler finds a missing translation. */
export type ShownAddress = string & { readonly [shownToPeople]: true }

export class DomainNames {
  readonly #keys = new Map<string, string>()
  readonly #names = new Map<string, string>()

  constructor(builtIn: readonly BuiltInDomain[]) {
    for (const { key, formerNames } of builtIn) for (const name of formerNames) this.#keys.set(name, key)
    // Add current names last: they win over former names.
    for (const { key, name } of builtIn) {
      this.#keys.set(name, key)
      if (name !== key) this.#names.set(key, name)
    }
  }

  /** The stored key of a domain, given its current name or a former one. */
  keyOf(name: string): string {
    const lower = name.toLowerCase()
    return this.#keys.get(lower) ?? lower
  }

  nameOf(key: string): string {
    return this.#names.get(key) ?? key
  }

  /** The stored address; undefined for invalid syntax. Domains are case insensitive, back-halves are not. */
  addressOf(domain: string, backHalf: string): string | undefined {
    if (!isBackHalf(backHalf) || !domainPattern.test(domain)) return undefined
    return `${this.keyOf(domain)}/${backHalf}`
  }

  shown(address: string): ShownAddress {
    if (this.#names.size === 0) return address as ShownAddress
    const slash = address.indexOf('/')
    return `${this.nameOf(address.slice(0, slash))}${address.slice(slash)}` as ShownAddress
  }
}

/** The syntax of the part before the slash. */
export const domainPattern = /^[A-Za-z0-9.:[\]_-]{1,255}$/

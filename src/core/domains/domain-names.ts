/**
 * Both ways between addresses as people see them, `<name>/<back-half>`, and as they are stored, `<key>/<back-half>`. A
 * built-in domain keeps its key for ever while its name may change; a branded domain is its own key. Everything that
 * comes in goes through `addressOf` or `keyOf`, everything that goes out through `shown` or `nameOf`.
 */
import { isBackHalf } from '../values/address.js'

/** One of the service's own short domains. */
export interface BuiltInDomain {
  /** What stored addresses begin with. It never changes. */
  readonly key: string
  /** Lower case, with a port where it is not the scheme's own. No two domains have the same one. */
  readonly name: string
  /** Names it had before and that no other domain has taken since: they are still understood. */
  readonly formerNames: readonly string[]
  /** Its place among the configured ones; 0 is the default. Undefined: it is not configured any more. */
  readonly position: number | undefined
}

declare const shownToPeople: unique symbol

/** An address under the domain's current name. Only `shown` makes one, so a schema that asks for it is never forgotten. */
export type ShownAddress = string & { readonly [shownToPeople]: true }

export class DomainNames {
  readonly #keys = new Map<string, string>()
  readonly #names = new Map<string, string>()

  constructor(builtIn: readonly BuiltInDomain[]) {
    for (const { key, formerNames } of builtIn) for (const name of formerNames) this.#keys.set(name, key)
    // Current names last: they win over names that others gave up.
    for (const { key, name } of builtIn) {
      this.#keys.set(name, key)
      if (name !== key) this.#names.set(key, name)
    }
  }

  /** What is stored for a domain that a caller wrote, by its current name or a former one. */
  keyOf(name: string): string {
    const lower = name.toLowerCase()
    return this.#keys.get(lower) ?? lower
  }

  nameOf(key: string): string {
    return this.#names.get(key) ?? key
  }

  /**
   * The stored address of what a caller wrote; undefined when no address can look like this, whatever the store holds.
   * Domains have no case, back-halves do.
   */
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

/** What may stand before the slash of an address. */
export const domainPattern = /^[A-Za-z0-9.:[\]_-]{1,255}$/

import { DomainNames } from '../domains/domain-names.js'
import type { DomainStore } from '../domains/domain-store.js'

/** Caches the current names of built-in domains for stream messages. */
export class CurrentDomainNames {
  readonly #deps: { readonly domainStore: Pick<DomainStore, 'listBuiltIn'> }
  #names: DomainNames | undefined

  constructor(deps: { readonly domainStore: Pick<DomainStore, 'listBuiltIn'> }) {
    this.#deps = deps
  }

  async known(): Promise<DomainNames> {
    return this.#names ?? this.refresh()
  }

  /** Call it periodically. */
  async refresh(): Promise<DomainNames> {
    this.#names = new DomainNames(await this.#deps.domainStore.listBuiltIn())
    return this.#names
  }
}

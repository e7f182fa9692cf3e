import { DomainNames } from '../domains/domain-names.js'
import type { DomainStore } from '../domains/domain-store.js'

/** The names that short domains have at the moment, for messages: remembered, and read again now and then. */
export class NamesInUse {
  readonly #deps: { readonly domainStore: Pick<DomainStore, 'listBuiltIn'> }
  /** Undefined until they are known. */
  #names: DomainNames | undefined

  constructor(deps: { readonly domainStore: Pick<DomainStore, 'listBuiltIn'> }) {
    this.#deps = deps
  }

  async known(): Promise<DomainNames> {
    return this.#names ?? this.refresh()
  }

  /** To be called now and then. */
  async refresh(): Promise<DomainNames> {
    this.#names = new DomainNames(await this.#deps.domainStore.listBuiltIn())
    return this.#names
  }
}

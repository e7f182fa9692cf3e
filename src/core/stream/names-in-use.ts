import type { BuiltInDomainStore } from '../domains/built-in-store.js'
import { DomainNames } from '../domains/domain-names.js'

/** The names that short domains have at the moment, for messages: remembered, and read again now and then. */
export class NamesInUse {
  readonly #deps: { readonly builtInDomains: Pick<BuiltInDomainStore, 'list'> }
  /** Undefined until they are known. */
  #names: DomainNames | undefined

  constructor(deps: { readonly builtInDomains: Pick<BuiltInDomainStore, 'list'> }) {
    this.#deps = deps
  }

  async known(): Promise<DomainNames> {
    return this.#names ?? this.refresh()
  }

  /** To be called now and then. */
  async refresh(): Promise<DomainNames> {
    this.#names = new DomainNames(await this.#deps.builtInDomains.list())
    return this.#names
  }
}

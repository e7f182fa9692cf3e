/**
 * Where the built-in domains are kept: their keys, names and former names. Each method is one atomic step;
 * built-in-store.contract.ts says what they promise.
 */
import type { BuiltInDomain } from './domain-names.js'

export interface BuiltInDomainStore {
  /** All of them; none before the service was started for the first time. */
  list(): Promise<readonly BuiltInDomain[]>
  /**
   * Reads, decides and writes as one step: racing callers come one after the other, and each sees what the one before
   * has written. `decide` may be called again when the step has to be repeated.
   */
  change<T>(decide: (state: BuiltInState) => Promise<BuiltInDecision<T>>): Promise<T>
}

export interface BuiltInState {
  readonly domains: readonly BuiltInDomain[]
  /** Whether anything is stored under this key. */
  hasLinks(key: string): Promise<boolean>
  /** The organization that has a branded domain of this name, or had one whose links are kept. */
  ownerOf(name: string): Promise<string | undefined>
  /** The keys of links that are on no branded domain, present or removed; the one of the newest link first. Reads all links. */
  keysOfLinks(): Promise<readonly string[]>
}

interface BuiltInDecision<T> {
  /** All domains as they are from now on; undefined changes nothing. */
  readonly domains?: readonly BuiltInDomain[] | undefined
  readonly answer: T
}

import type { Link } from './link.js'

/**
 * All links that lead to one long URL, whoever made them. Deleted links lead nowhere. Each method is one atomic step;
 * long-url-store.contract.ts says what they promise.
 */
export interface LongUrlStore {
  /** Whether any link leads there. */
  isKnown(longUrl: string): Promise<boolean>
  /**
   * The group's link that leads there: the one that shortening on this domain would return, else one that shortening
   * elsewhere would, else the newest.
   */
  ofGroup(groupGuid: string, domain: string, longUrl: string): Promise<Link | undefined>
  /** Every address of these links, hashes and keywords, in no order; not that of the global hash. */
  addresses(longUrl: string): Promise<readonly string[]>
  /** Who made such links, each once and with their first one, the newest first. Private links are not among them. */
  encoders(longUrl: string, input: EncoderInput): Promise<readonly Encoder[]>
  /** How many people made such links, private ones too. */
  encoderCount(longUrl: string): Promise<number>
}

export interface EncoderInput {
  /** Only links of these groups; undefined: of all. */
  readonly groupGuids: readonly string[] | undefined
  readonly size: number
}

/** Somebody who shortened a long URL. */
export interface Encoder {
  readonly linkId: string
  readonly login: string
  readonly at: number
}

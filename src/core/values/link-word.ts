/** Words for short links, for clients of services that call them otherwise (docs/api/README.md#other-names-for-links). */

export const ownWord = 'shortlink'

export interface LinkWordChoice {
  /** All that the service knows, ours first. */
  readonly words: readonly string[]
  /** Where nobody chose one. */
  readonly byDefault: string
}

/** `configured`: `bitlink`, or `bitlink:bitly` with the name of the service. */
export function linkWordChoice(configured: readonly string[], isDefault: boolean): LinkWordChoice {
  const others = configured.map((each) => each.replace(/:.*/, ''))
  return { words: [ownWord, ...others], byDefault: (isDefault ? others[0] : undefined) ?? ownWord }
}

/** A word that is not configured any longer is no choice. */
export function chosenWord({ words, byDefault }: LinkWordChoice, word: string | undefined): string {
  return word !== undefined && words.includes(word) ? word : byDefault
}

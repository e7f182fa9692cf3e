/** Names of topics and channels, and what their ending says. */

const valid = /^[.a-zA-Z0-9_-]+(#ephemeral)?$/

/** The suffix counts in the length. */
export function isValidName(name: string): boolean {
  return name.length >= 1 && name.length <= 64 && valid.test(name)
}

export function isEphemeral(name: string): boolean {
  return name.endsWith('#ephemeral')
}

/** Names of topics and channels. */

const valid = /^[.a-zA-Z0-9_-]+(#ephemeral)?$/

/** The length includes the suffix. */
export function isValidName(name: string): boolean {
  return name.length >= 1 && name.length <= 64 && valid.test(name)
}

export function isEphemeral(name: string): boolean {
  return name.endsWith('#ephemeral')
}

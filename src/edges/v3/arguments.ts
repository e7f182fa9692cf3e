/**
 * The arguments of a v3 request. All come in the query string, names may repeat, and unknown names are ignored.
 * Values are decoded when they are read, so that the error for a malformed one can name it.
 */
import { invalidArgument, missing } from './errors.js'

export class Arguments {
  readonly #sent: readonly (readonly [name: string, encoded: string])[]

  constructor(url: string) {
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
    this.#sent = query.split('&').map((pair) => {
      const at = pair.indexOf('=')
      return at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
    })
  }

  /** The first value of this name (may be empty), or undefined. */
  first(name: string): string | undefined {
    const found = this.#sent.find(([each]) => each === name)
    return found && decode(name, found[1])
  }

  /** The first non-empty value of these names. An empty value counts as absent, as in v4. */
  text(name: string, ...aliases: readonly string[]): string | undefined {
    const values = [name, ...aliases].map((each) => this.first(each))
    return values.find((value) => value !== undefined && value !== '')
  }

  required(name: string, ...aliases: readonly string[]): string {
    const value = this.text(name, ...aliases)
    if (value === undefined) throw missing(name)
    return value
  }

  /** All values of these names in the order they were sent, including empty ones. */
  all(...names: readonly string[]): readonly { readonly name: string; readonly value: string }[] {
    return this.#sent
      .filter(([name]) => names.includes(name))
      .map(([name, value]) => ({ name, value: decode(name, value) }))
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) throw invalidArgument(name)
    return number
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name)?.toLowerCase()
    if (value === undefined) return undefined
    if (value !== 'true' && value !== 'false') throw invalidArgument(name)
    return value === 'true'
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const value = this.text(name)
    const known = values.find((each) => each === value)
    if (value !== undefined && known === undefined) throw invalidArgument(name)
    return known
  }
}

/** Decodes UTF-8, percent-encoding and "+". Rejects NUL, because PostgreSQL cannot store it. */
function decode(name: string, encoded: string): string {
  try {
    const value = decodeURIComponent(encoded.replaceAll('+', ' '))
    if (!value.includes('\0')) return value
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw invalidArgument(name === 'uri' ? 'longUrl' : name)
}

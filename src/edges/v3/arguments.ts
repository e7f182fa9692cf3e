/**
 * The arguments of a request: everything is in the query string, names may repeat, and what nobody asks for is ignored.
 * Values are decoded when they are asked for, so that a broken one is told by its name.
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

  /** The first value of this name, which may be empty; undefined when there is none. */
  given(name: string): string | undefined {
    const found = this.#sent.find(([each]) => each === name)
    return found && decode(name, found[1])
  }

  /** Our choice: an empty value is an absent one, as in v4. The first of several names that has one counts. */
  text(name: string, ...aliases: readonly string[]): string | undefined {
    const values = [name, ...aliases].map((each) => this.given(each))
    return values.find((value) => value !== undefined && value !== '')
  }

  required(name: string, ...aliases: readonly string[]): string {
    const value = this.text(name, ...aliases)
    if (value === undefined) throw missing(name)
    return value
  }

  /** All values of these names, in the order they were sent; empty ones too. */
  all(...names: readonly string[]): readonly { readonly name: string; readonly value: string }[] {
    return this.#sent
      .filter(([name]) => names.includes(name))
      .map(([name, value]) => ({ name, value: decode(name, value) }))
  }

  integer(name: string, least: number, most: number): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= least && number <= most)) throw invalidArgument(name)
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

/** UTF-8, percent-encoded, with a plus for a space. NUL is refused here once and for all: no database keeps it. */
function decode(name: string, encoded: string): string {
  try {
    const value = decodeURIComponent(encoded.replaceAll('+', ' '))
    if (!value.includes('\0')) return value
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw invalidArgument(name === 'uri' ? 'longUrl' : name)
}

import { invalid } from '../refusal.js'

/** A host name that short links live on. */
export interface Domain {
  readonly name: string
}

/** The short domains of this service; the first built-in one is the default. */
export interface Domains {
  readonly builtIn: readonly [string, ...string[]]
}

/** The domain a wish names, or the default when it names none. */
export function domainFor(domains: Domains, wish: string | undefined): Domain {
  if (wish === undefined) return { name: domains.builtIn[0] }
  const name = wish.toLowerCase()
  if (!domains.builtIn.includes(name)) {
    throw invalid('domain', `The domain "${wish}" is not one of this service's short domains.`, 'shortlinks')
  }
  return { name }
}

/**
 * An object whose methods pass their calls on, by name: an interface with many methods is not written out again. Methods of `own`
 * are its own. It has no `then`, which `await` looks for in every object.
 */
export function passOn<Methods extends object>(
  call: (name: keyof Methods & string, args: readonly unknown[]) => unknown,
  own: Partial<Methods> = {},
): Methods {
  const get = (_: object, name: string | symbol) => {
    if (typeof name === 'symbol' || name === 'then') return undefined
    const method = name as keyof Methods & string
    return own[method] ?? ((...args: readonly unknown[]) => call(method, args))
  }
  return new Proxy({}, { get }) as Methods
}

/** The other end of `passOn`, which has typed the arguments. */
export function callByName(object: object, name: string, args: readonly unknown[]): unknown {
  return (object as Record<string, (...args: readonly unknown[]) => unknown>)[name]?.(...args)
}

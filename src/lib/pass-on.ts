/**
 * An object whose methods all pass their calls on, by name: an interface with many methods is not written out again. It has
 * no `then`, which `await` looks for in every object.
 */
export function passOn<Methods extends object>(
  call: (name: keyof Methods & string, args: readonly unknown[]) => unknown,
): Methods {
  const get = (_: object, name: string | symbol) =>
    typeof name === 'symbol' || name === 'then'
      ? undefined
      : (...args: readonly unknown[]) => call(name as keyof Methods & string, args)
  return new Proxy({}, { get }) as Methods
}

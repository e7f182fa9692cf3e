// What the drivers of Node clients share. A driver prints one line of JSON for what a client offers, and one for each call.
import { readFileSync } from 'node:fs'

/** Written by the test: the address of the service, a token, and records to work with. */
export const world = JSON.parse(readFileSync(process.argv[2], 'utf8'))

const print = (line) => console.log(JSON.stringify(line))

/** Public calls of the client, from its own source: the test wants each of them tried. */
export function offers(names) {
  print({ offers: names })
}

/** Tells the test which call follows, so that it can note its requests. `check` says whether the answer is the right one. */
export async function call(name, ask, check = () => true) {
  await fetch(`${world.calls}/${encodeURIComponent(name)}`)
  try {
    const answer = await ask()
    const passed = check(answer) === true
    print({ call: name, passed, ...(!passed && { said: JSON.stringify(answer) ?? 'nothing' }) })
    return answer
  } catch (error) {
    print({ call: name, passed: false, said: error instanceof Error ? error.message : JSON.stringify(error) })
    return undefined
  }
}

/** Methods that a class defines itself. */
export function methodsOf(prototype) {
  return Object.getOwnPropertyNames(prototype).filter(
    (name) => name !== 'constructor' && typeof prototype[name] === 'function',
  )
}

import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { invalid } from '../refusal.js'
import { createToken, listTokens, revokeToken, type TokenParts } from './tokens.js'
import { createUser, type UserParts } from './users.js'

/**
 * What an operator can do from the command line, by name. The running service (control socket) and a command on a
 * stopped one run this same table, so that both do exactly the same. It must not know which of the two is asking.
 */
export type AdministrationParts = TokenParts & UserParts

const text = Type.String({ maxLength: 1000 })

const operations = {
  createToken: operation(Type.Object({ login: text, label: Type.Optional(text) }), createToken),
  listTokens: operation(Type.Object({ login: Type.Optional(text) }), listTokens),
  revokeToken: operation(Type.Object({ guid: text }), revokeToken),
  createUser: operation(
    Type.Object({
      login: text,
      name: Type.Optional(text),
      email: Type.Optional(text),
      password: Type.Optional(text),
      groupGuid: Type.Optional(text),
    }),
    createUser,
  ),
}

export type OperationName = keyof typeof operations
export type OperationArguments<Name extends OperationName> = Parameters<(typeof operations)[Name]['run']>[1]
export type OperationResult<Name extends OperationName> = Awaited<ReturnType<(typeof operations)[Name]['run']>>

/** Runs one operation with arguments that came from outside. */
export async function operate(parts: AdministrationParts, name: string, given: unknown): Promise<unknown> {
  const found = Object.entries(operations).find(([known]) => known === name)
  if (!found) throw invalid('operation', `There is no operation "${name}".`, 'users')
  return found[1].start(parts, given)
}

function operation<Schema extends TSchema, Wish, Result>(
  schema: Schema & (Static<Schema> extends Wish ? unknown : never),
  run: (parts: AdministrationParts, wish: Wish) => Promise<Result>,
) {
  return {
    run,
    async start(parts: AdministrationParts, given: unknown): Promise<Result> {
      const [problem] = Value.Errors(schema, given)
      if (problem) {
        const where = problem.instancePath.slice(1) || 'arguments'
        throw invalid(where, `${where} ${problem.message}.`, 'users')
      }
      // Just checked; that what the schema lets through is a Wish is in the type of the schema above.
      return run(parts, given as Wish)
    },
  }
}

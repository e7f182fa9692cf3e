import { type Static, Type } from 'typebox'
import { named } from './named.js'

export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: 'Machine-readable code' }),
    resource: Type.String({ description: 'The collection the failing object belongs to' }),
    description: Type.String({ description: 'What went wrong and what to do, for people' }),
    code: Type.Optional(Type.String({ description: 'The code again, on 417 only' })),
    errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), error_code: Type.String() }))),
  },
  { $id: 'Error' },
)
export type V4Error = Static<typeof ErrorBody>

const meanings = {
  400: 'An argument is missing or wrong; `errors` names it',
  402: 'The plan of the organization does not include this',
  403: 'The token is missing, wrong or revoked, or the group is not yours',
  404: 'There is no such object',
  406: 'The body was not sent as application/json',
  409: 'The name is taken',
  410: 'The object existed and was deleted, or has expired',
  413: 'The body is larger than 1 MiB',
  417: 'The DNS of the domain does not lead to this service; the header `X-Bsd-Error` explains',
  422: 'The body is empty or is not a JSON object',
  429: 'Too many requests, or the allowance of the month is used up; `Retry-After` says when to try again',
  500: 'A fault of the service',
  503: 'The service cannot answer at the moment; try again',
} as const

type Status = keyof typeof meanings

/** Response schemas for the ways an operation says no. 429, 500 and 503 can happen anywhere. */
export function refusals<S extends Status>(
  ...statuses: readonly S[]
): Record<S | 429 | 500 | 503, ReturnType<typeof errorAs>> {
  const entries = [...statuses, 429, 500, 503].map((status) => [status, errorAs(meanings[status as Status])] as const)
  return Object.fromEntries(entries) as Record<S | 429 | 500 | 503, ReturnType<typeof errorAs>>
}

/**
 * A request can be broken before its operation looks at it: its path, the length that it says its body has, the size of
 * a body that nobody wants.
 */
export function brokenRequest(method: string): Readonly<Record<number, ReturnType<typeof errorAs>>> {
  return method === 'GET' ? refusals(400) : refusals(400, 413)
}

function errorAs(description: string) {
  return named(ErrorBody, description)
}

import { type Static, Type } from 'typebox'
import { apiName } from '../../http/link-names.js'
import { named, optionalText } from './fields.js'

export const ErrorBody = Type.Object(
  {
    message: Type.String({ ...apiName, description: 'Machine-readable code' }),
    resource: Type.String({ ...apiName, description: 'The collection that the error is about' }),
    description: Type.String({ description: 'What went wrong and what to do' }),
    code: Type.Optional(Type.String({ ...apiName, description: 'The same code; only on 417' })),
    errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(apiName), error_code: Type.String() }))),
    request_id: optionalText('The same as the header `X-Request-Id`; the log of the service names it too'),
  },
  { $id: 'Error' },
)
export type V4Error = Static<typeof ErrorBody>

const meanings = {
  400: 'An argument is missing or invalid; `errors` names it',
  402: 'The plan of the organization does not include this',
  403: 'The token is missing, invalid or revoked, or you may not access this group',
  404: 'The object does not exist',
  406: 'The body was not sent as application/json',
  409: 'The name is taken, or a request with the same `Idempotency-Key` is still being answered',
  410: 'The object was deleted or has expired',
  412: 'It was changed since you got the ETag of `If-Match`: read it again, apply your change and send the new ETag',
  413: 'The body is larger than 1 MiB',
  415: 'The file is not an image of a supported type, or not of the type it was sent as',
  417: 'The DNS of the domain does not point to this service; see the header `X-Bsd-Error`',
  422: 'The body is empty or is not a JSON object, or the `Idempotency-Key` was used for another request',
  429: 'Rate limit or monthly limit reached; `Retry-After` says when to try again',
  500: 'Internal error',
  503: 'Temporarily unavailable; try again',
} as const

type Status = keyof typeof meanings

/** Error responses of an operation, besides `refusalsOfAll`. Every operation can return 429, 500 and 503. */
export function refusals<S extends Status>(
  ...statuses: readonly S[]
): Record<S | 429 | 500 | 503, ReturnType<typeof errorAs>> {
  const entries = [...statuses, 429, 500, 503].map((status) => [status, errorAs(meanings[status as Status])] as const)
  return Object.fromEntries(entries) as Record<S | 429 | 500 | 503, ReturnType<typeof errorAs>>
}

/** What every operation of its kind refuses before it runs: broken requests, those without access, and other bodies. */
export function refusalsOfAll(method: string, isPublic: boolean, readsJson: boolean) {
  return {
    ...refusals(400),
    ...(method !== 'GET' && refusals(413)),
    ...(!isPublic && refusals(403)),
    ...(readsJson && refusals(406, 422)),
  }
}

/** Of operations that accept an Idempotency-Key. */
export const keyConflicts = refusals(409, 422)

function errorAs(description: string) {
  return named(ErrorBody, description)
}

/** What went wrong with a provider, from the errors of openid-client, jose and fetch. */
import { errors } from 'jose'
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { ProviderFailure } from '../../core/identity-providers/provider.js'
import { isBusy } from './discovery.js'

/** Errors that are no failure of the provider are bugs, and returned as they are. */
export function asFailure(error: unknown, provider: string): unknown {
  const failure = (reason: ProviderFailure['reason'], message: string) =>
    new ProviderFailure(reason, `${provider}: ${message}`, { cause: error })
  if (error instanceof ProviderFailure) return failure(error.reason, error.message)
  if (error instanceof AuthorizationResponseError) {
    return failure(reasonOfRedirect[error.error] ?? 'invalid', described(error.error, error.error_description))
  }
  if (error instanceof ResponseBodyError) {
    const reason = isBusy(error.status) ? 'away' : (reasonOfAnswer[error.error] ?? 'invalid')
    return failure(reason, described(error.error, error.error_description))
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    // Only the token endpoint asks for the client's own credentials.
    const isOfClient = error.cause.some(({ scheme }) => scheme === 'basic')
    if (isOfClient)
      return failure('misconfigured', `its token endpoint answers ${error.status}: check client id and secret`)
    return failure('invalid', `its userinfo endpoint answers ${error.status}`)
  }
  if (error instanceof ClientError) return failure(isAway(error) ? 'away' : 'invalid', chain(error))
  if (error instanceof errors.JWKSTimeout) return failure('away', 'its keys cannot be read in time')
  if (error instanceof errors.JOSEError) return failure('invalid', error.message)
  // How fetch says that there is no connection, or none in time.
  const isFetch = error instanceof TypeError && /fetch failed/.test(error.message)
  const isLate = error instanceof DOMException && /^(?:Timeout|Abort)Error$/.test(error.name)
  if (isFetch || isLate) return failure('away', chain(error))
  return error
}

const reasonOfRedirect: Readonly<Record<string, ProviderFailure['reason']>> = {
  access_denied: 'cancelled',
  login_required: 'cancelled',
  consent_required: 'cancelled',
  interaction_required: 'cancelled',
  server_error: 'away',
  temporarily_unavailable: 'away',
}

const reasonOfAnswer: Readonly<Record<string, ProviderFailure['reason']>> = {
  invalid_grant: 'ended',
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
}

function isAway(error: ClientError): boolean {
  if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT') return true
  return error.cause instanceof Response && isBusy(error.cause.status)
}

function described(code: string, description: string | undefined): string {
  return description === undefined ? code : `${code} (${description.slice(0, 300)})`
}

/** With the causes, of which the innermost says most. */
function chain(error: unknown): string {
  if (!(error instanceof Error)) return error instanceof Response ? `status ${error.status}` : ''
  const cause = error.cause === undefined ? '' : chain(error.cause)
  return cause === '' ? error.message : `${error.message}: ${cause}`
}

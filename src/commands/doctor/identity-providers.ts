/** Asks each identity provider for its discovery document, and names the URLs that have to be registered there. */
import type { Config } from '../../config/config.js'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import { backChannelUrl, callbackUrl, ProviderFailure, scimUrl } from '../../core/identity-providers/provider.js'
import { loadProviders } from '../../storage/oidc/providers-file.js'

export interface ProviderState {
  readonly name: string
  readonly callback: string
  readonly backChannel: string
  /** Undefined without scimToken. */
  readonly scim: string | undefined
  /** As the provider spells it. */
  readonly issuer?: string
  readonly failure?: string
}

export async function askProviders(config: Config): Promise<readonly ProviderState[]> {
  const all = loadProviders(config)
  if (all.length === 0) return []
  const { openidProvider } = await import('../../storage/oidc/openid-provider.js')
  return Promise.all(
    all.map(async (settings) => {
      const { id, name } = settings
      const { baseUrl } = config
      const scim = settings.scimToken === undefined ? undefined : scimUrl(baseUrl)
      const urls = { callback: callbackUrl(baseUrl, id), backChannel: backChannelUrl(baseUrl, id), scim }
      try {
        return { name, ...urls, issuer: await openidProvider(settings).issuer() }
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error
        return { name, ...urls, failure: error.message }
      }
    }),
  )
}

/** One sentence for each provider that cannot be used, as in `config --check`. */
export function providerProblems(providers: readonly ProviderState[]): string[] {
  return providers.flatMap(({ name, callback, failure }) =>
    failure === undefined
      ? []
      : [`Identity provider ${name} cannot be used: ${failure}. Its callback URL is ${callback}.`],
  )
}

export async function examineProviders(config: Config): Promise<Finding[]> {
  const area = 'identity providers'
  const check = 'Check that it runs, and its settings (docs/sso.md#messages).'
  return (await askProviders(config)).flatMap(({ name, callback, backChannel, scim, issuer, failure }) => {
    const urls = `Callback URL: ${callback}, back-channel logout: ${backChannel}`
    return [
      failure === undefined
        ? ok(area, `${name} (${issuer}) answers. ${urls}`)
        : wrong(area, `${name} cannot be used: ${failure}. ${urls}`, check),
      ...(scim === undefined ? [] : [ok(area, `SCIM base URL of ${name}: ${scim}`)]),
      ...(callback.startsWith('http:') && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(callback)
        ? [warning(area, `The callback URL ${callback} is not https.`, 'Set --base-url to an https URL.')]
        : []),
    ]
  })
}

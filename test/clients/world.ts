import { createApiKey } from '../../src/core/sign-in/api-keys.js'
import { firstOrganization, organize } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { anApplication } from '../oauth/people.js'
import type { StartedApp } from '../support/start-app.js'

/** What the drivers need to know, and records for them to work with. */
export async function prepareWorld(
  started: StartedApp,
  address: { url: string; httpsPort: number; httpPort: number; calls: string },
) {
  const organization = await firstOrganization(started)
  const spareGroup = await organize(started).group('Spare')
  const brand = await organize(started).domain('go.brand.example', organization, [started.groupGuid])
  const create = async (body: object) => (await started.request('POST', '/v4/shortlinks', { body })).body
  const longUrl = 'https://example.com/known'
  const { id, link } = await create({ long_url: longUrl })
  const withQrCode = (await create({ long_url: 'https://example.com/with-code' })).id
  await started.request('POST', `/v4/shortlinks/${withQrCode}/qr`, { body: {} })
  for (let visits = 0; visits < 2; visits += 1) await visit(started, id)
  await started.clicksCounted()
  const { clientId, clientSecret } = await anApplication(started)
  const actor = await started.app.tokens.authenticate(started.token)
  const { apiKey } = await createApiKey(started.app, actor, { label: 'old client' })
  return {
    ...address,
    token: started.token,
    login: 'admin',
    password: 'correct horse',
    apiKey,
    clientId,
    clientSecret,
    group: started.groupGuid,
    spareGroup,
    organization,
    /** The default domain; a link on it with two clicks. */
    domain: id.split('/')[0],
    id,
    hash: id.split('/')[1],
    link,
    longUrl,
    withQrCode,
    /** Two links on a branded domain, and a custom back-half there that is free. */
    branded: (await create({ long_url: 'https://example.com/branded', domain: brand })).id,
    brandedOther: (await create({ long_url: 'https://example.com/branded/2', domain: brand })).id,
    custom: `${brand}/word`,
    hook: 'https://hooks.example.com/clicks',
  }
}

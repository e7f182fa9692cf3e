import { beforeAll, describe, expect, it, vi } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { createToken } from '../../src/core/accounts/tokens.js'
import { newGuid } from '../../src/core/values/guid.js'
import { anApplication, aPerson } from '../oauth/people.js'
import { svg } from '../support/pictures.js'
import { type Answer, type StartedApp, useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'
import { operationsIn } from './requests-by-schema.js'

/** Objects for the requests below; all belong to the first user's group or organization. */
interface World {
  readonly group: string
  readonly organization: string
  readonly invitation: string
  readonly login: string
  readonly template: string
  readonly view: string
  readonly annotation: string
  readonly branded: string
  readonly domain: string
  readonly link: string
  readonly spare: string
  /** Of `link`. */
  readonly change: string
  readonly onBranded: string
  readonly keyword: string
  readonly campaign: string
  readonly channel: string
  readonly mobileApp: string
  readonly image: string
  readonly code: string
  readonly spareCode: string
  readonly site: string
  readonly spareSite: string
  readonly block: string
  readonly pictured: string
}

type Role = 'reader' | 'member' | 'group-admin' | 'org-admin'
const roles: readonly Role[] = ['reader', 'member', 'group-admin', 'org-admin']

interface Write {
  /** As in the OpenAPI document. */
  readonly operation: string
  /** The lowest role that may do it. */
  readonly least: Role
  readonly path?: (world: World) => string
  readonly body?: (world: World) => object
  /** Sent instead of a JSON body. */
  readonly file?: { readonly body: string; readonly type: string }
}

const changed = { title: 'Changed' }
const picture = { body: svg(), type: 'image/svg+xml' }

const writes: readonly Write[] = [
  {
    // It needs a body for its arguments, but writes nothing.
    operation: 'POST /v4/groups/{group_guid}/exports',
    least: 'reader',
    path: ({ group }) => `/v4/groups/${group}/exports`,
    body: () => ({ export_type: 'links_list', filter: {} }),
  },
  {
    // They write a file, for whoever may read.
    operation: 'POST /v4/groups/{group_guid}/shortlinks/exports',
    least: 'reader',
    path: ({ group }) => `/v4/groups/${group}/shortlinks/exports`,
    body: () => ({}),
  },
  {
    operation: 'POST /v4/groups/{group_guid}/metrics/latest/exports',
    least: 'reader',
    path: ({ group }) => `/v4/groups/${group}/metrics/latest/exports`,
  },
  {
    operation: 'POST /v4/shortlinks/{domain}/{hash}/metrics/latest/exports',
    least: 'reader',
    path: ({ link }) => `/v4/shortlinks/${link}/metrics/latest/exports`,
  },
  {
    operation: 'POST /v4/campaigns/{campaign_guid}/metrics/latest/exports',
    least: 'reader',
    path: ({ campaign }) => `/v4/campaigns/${campaign}/metrics/latest/exports`,
  },
  {
    operation: 'POST /v4/qr-codes/{qrcode_id}/metrics/latest/exports',
    least: 'reader',
    path: ({ code }) => `/v4/qr-codes/${code}/metrics/latest/exports`,
  },
  {
    // It only reads, too.
    operation: 'POST /v4/groups/{group_guid}/links/clicks/series',
    least: 'reader',
    path: ({ group }) => `/v4/groups/${group}/links/clicks/series`,
    body: (world) => ({ shortlinks: [world.link] }),
  },
  {
    // So does this.
    operation: 'POST /v4/groups/{group_guid}/links/icons',
    least: 'reader',
    path: ({ group }) => `/v4/groups/${group}/links/icons`,
    body: (world) => ({ shortlinks: [world.link] }),
  },
  {
    operation: 'POST /v4/shorten',
    least: 'member',
    body: ({ group }) => ({ long_url: 'https://example.com/roles/1', group_guid: group }),
  },
  {
    operation: 'POST /v4/bulk/shorten',
    least: 'member',
    body: ({ group }) => ({ links: [{ long_url: 'https://example.com/roles/bulk' }], group_guid: group }),
  },
  {
    operation: 'POST /v4/bulk/jobs',
    least: 'member',
    path: ({ group }) => `/v4/bulk/jobs?group_guid=${group}`,
    file: { body: 'long_url\nhttps://example.com/roles/job\n', type: 'text/csv' },
  },
  {
    operation: 'POST /v4/shortlinks',
    least: 'member',
    body: ({ group }) => ({ long_url: 'https://example.com/roles/2', group_guid: group, title: 'Made' }),
  },
  {
    operation: 'PATCH /v4/shortlinks/{domain}/{hash}',
    least: 'member',
    path: (world) => `/v4/shortlinks/${world.link}`,
    body: () => changed,
  },
  {
    operation: 'POST /v4/shortlinks/{domain}/{hash}/restore',
    least: 'member',
    path: (world) => `/v4/shortlinks/${world.link}/restore`,
    body: ({ change }) => ({ guid: change }),
  },
  {
    operation: 'DELETE /v4/shortlinks/{domain}/{hash}',
    least: 'member',
    path: (world) => `/v4/shortlinks/${world.spare}`,
  },
  {
    operation: 'POST /v4/custom_shortlinks',
    least: 'member',
    body: ({ branded, onBranded }) => ({ custom_shortlink: `${branded}/another`, shortlink_id: onBranded }),
  },
  {
    operation: 'PATCH /v4/custom_shortlinks/{domain}/{keyword}',
    least: 'member',
    path: (world) => `/v4/custom_shortlinks/${world.keyword}`,
    body: ({ onBranded }) => ({ shortlink_id: onBranded }),
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}/shortlinks',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/shortlinks`,
    body: (world) => ({ action: 'archive', archive: true, links: [world.link] }),
  },
  {
    operation: 'POST /v4/groups/{group_guid}/shortlinks/jobs',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/shortlinks/jobs?query=roles%20job`,
    body: () => ({ action: 'archive', archive: true, max_links: 10 }),
  },
  {
    operation: 'POST /v4/qr-codes',
    least: 'member',
    body: ({ group }) => ({ group_guid: group, destination: { long_url: 'https://example.com/roles/3' } }),
  },
  {
    // Nothing is stored.
    operation: 'POST /v4/qr-codes/static',
    least: 'reader',
    body: ({ group }) => ({ group_guid: group, content: 'Hello' }),
  },
  {
    // Here, too.
    operation: 'POST /v4/qr-codes/preview',
    least: 'reader',
    body: ({ group }) => ({ group_guid: group, content: 'Hello', render_customizations: {} }),
  },
  {
    operation: 'PATCH /v4/qr-codes/{qrcode_id}',
    least: 'member',
    path: ({ code }) => `/v4/qr-codes/${code}`,
    body: () => ({ title: 'Changed' }),
  },
  {
    operation: 'PATCH /v4/qr-codes/{qrcode_id}/redirect',
    least: 'member',
    path: ({ code }) => `/v4/qr-codes/${code}/redirect`,
    body: () => ({ long_url: 'https://example.com/roles/4' }),
  },
  {
    operation: 'PUT /v4/qr-codes/{qrcode_id}/to-shortlink',
    least: 'member',
    path: ({ code }) => `/v4/qr-codes/${code}/to-shortlink`,
  },
  {
    operation: 'DELETE /v4/qr-codes/{qrcode_id}',
    least: 'member',
    path: ({ spareCode }) => `/v4/qr-codes/${spareCode}`,
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}/qr-codes',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/qr-codes`,
    body: ({ code }) => ({ action: 'archive', archive: true, qr_code_ids: [code] }),
  },
  {
    operation: 'POST /v4/sites',
    least: 'member',
    body: ({ group, domain }) => ({ group_guid: group, domain, keyword: 'roles' }),
  },
  {
    operation: 'PATCH /v4/sites/{site_id}',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}`,
    body: () => ({ display_name: 'Changed' }),
  },
  {
    operation: 'PUT /v4/sites/{site_id}/appearance',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/appearance`,
    body: () => ({}),
  },
  {
    // Nothing is stored. What is not saved yet needs more: test/api/site-preview.test.ts.
    operation: 'POST /v4/sites/{site_id}/preview',
    least: 'reader',
    path: ({ site }) => `/v4/sites/${site}/preview`,
    body: () => ({}),
  },
  {
    operation: 'POST /v4/sites/{site_id}/publish',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/publish`,
  },
  {
    operation: 'DELETE /v4/sites/{site_id}/draft',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/draft`,
  },
  {
    operation: 'DELETE /v4/sites/{site_id}',
    least: 'member',
    path: ({ spareSite }) => `/v4/sites/${spareSite}`,
  },
  {
    operation: 'POST /v4/sites/{site_id}/blocks',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/blocks`,
    body: () => ({ type: 'text_block', content: { text: 'Hello' } }),
  },
  {
    operation: 'POST /v4/sites/{site_id}/clone',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/clone`,
    body: () => ({}),
  },
  {
    operation: 'POST /v4/sites/{site_id}/template',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/template`,
    body: () => ({ template_guid: 'Tpaper' }),
  },
  {
    operation: 'POST /v4/sites/{site_id}/images',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/images`,
    body: ({ pictured }) => ({ image_guid: pictured, image_use: 'profile' }),
  },
  {
    operation: 'DELETE /v4/sites/{site_id}/redirects/{domain}/{keyword}',
    least: 'member',
    path: ({ spareSite, domain }) => `/v4/sites/${spareSite}/redirects/${domain}/m%2Fworld-two`,
  },
  {
    operation: 'POST /v4/sites/{site_id}/buttons/youtubeVideo/prevalidate',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/buttons/youtubeVideo/prevalidate`,
    body: () => ({ video_id: 'dQw4w9WgXcQ' }),
  },
  {
    operation: 'POST /v4/sites/{site_id}/containers',
    least: 'member',
    path: ({ site }) => `/v4/sites/${site}/containers`,
    body: () => ({ type: 'grid' }),
  },
  {
    operation: 'PATCH /v4/sites/{site_id}/blocks/{block_id}',
    least: 'member',
    path: ({ spareSite, block }) => `/v4/sites/${spareSite}/blocks/${block}`,
    body: () => ({ is_pinned: true }),
  },
  {
    operation: 'PUT /v4/sites/{site_id}/blocks/order',
    least: 'member',
    path: ({ spareSite }) => `/v4/sites/${spareSite}/blocks/order`,
    body: ({ block }) => ({ block_order: [{ block_id: block, sort_order: 0 }] }),
  },
  {
    operation: 'DELETE /v4/sites/{site_id}/blocks/{block_id}',
    least: 'member',
    path: ({ spareSite, block }) => `/v4/sites/${spareSite}/blocks/${block}`,
  },
  {
    operation: 'POST /v4/shortlinks/{domain}/{hash}/qr',
    least: 'member',
    path: (world) => `/v4/shortlinks/${world.link}/qr`,
    body: () => ({}),
  },
  {
    operation: 'PATCH /v4/shortlinks/{domain}/{hash}/qr',
    least: 'member',
    path: (world) => `/v4/shortlinks/${world.link}/qr`,
    body: () => ({ color: '1133ff' }),
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}',
    least: 'group-admin',
    path: ({ group }) => `/v4/groups/${group}`,
    body: () => ({ name: 'Renamed' }),
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}/preferences',
    least: 'group-admin',
    path: ({ group }) => `/v4/groups/${group}/preferences`,
    body: ({ domain }) => ({ domain_preference: domain }),
  },
  {
    operation: 'POST /v4/campaigns',
    least: 'member',
    body: ({ group }) => ({ group_guid: group, name: 'Made' }),
  },
  {
    operation: 'PATCH /v4/campaigns/{campaign_guid}',
    least: 'member',
    path: ({ campaign }) => `/v4/campaigns/${campaign}`,
    body: () => ({ name: 'Changed' }),
  },
  {
    operation: 'POST /v4/channels',
    least: 'member',
    body: ({ group }) => ({ group_guid: group, name: 'Made' }),
  },
  {
    operation: 'PATCH /v4/channels/{channel_guid}',
    least: 'member',
    path: ({ channel }) => `/v4/channels/${channel}`,
    body: () => ({ name: 'Changed' }),
  },
  {
    operation: 'POST /v4/channels/{channel_guid}/shortlinks',
    least: 'member',
    path: ({ channel }) => `/v4/channels/${channel}/shortlinks`,
    body: ({ campaign, link }) => ({ campaign_guid: campaign, shortlinks: [link] }),
  },
  {
    operation: 'POST /v4/custom_domains',
    least: 'org-admin',
    body: ({ organization }) => ({ organization_guid: organization, custom_domain: 'custom.example' }),
  },
  {
    operation: 'PATCH /v4/custom_domains/{custom_domain}',
    least: 'org-admin',
    path: ({ branded }) => `/v4/custom_domains/${branded}`,
    body: () => ({ root_redirect: 'https://example.com/' }),
  },
  {
    operation: 'POST /v4/organizations/{organization_guid}/domains',
    least: 'org-admin',
    path: ({ organization }) => `/v4/organizations/${organization}/domains`,
    body: () => ({ domain: 'made.example' }),
  },
  {
    operation: 'PATCH /v4/organizations/{organization_guid}',
    least: 'org-admin',
    path: ({ organization }) => `/v4/organizations/${organization}`,
    body: () => ({ name: 'Renamed' }),
  },
  {
    operation: 'PATCH /v4/organizations/{organization_guid}/domains/{domain}',
    least: 'org-admin',
    path: ({ organization, branded }) => `/v4/organizations/${organization}/domains/${branded}`,
    body: () => ({ root_url: 'https://example.com/' }),
  },
  {
    operation: 'POST /v4/organizations/{organization_guid}/domains/{domain}/verify',
    least: 'org-admin',
    path: ({ organization, branded }) => `/v4/organizations/${organization}/domains/${branded}/verify`,
  },
  {
    operation: 'DELETE /v4/organizations/{organization_guid}/domains/{domain}',
    least: 'org-admin',
    path: ({ organization, branded }) => `/v4/organizations/${organization}/domains/${branded}`,
  },
  {
    operation: 'POST /v4/images',
    least: 'member',
    path: ({ group }) => `/v4/images?group_guid=${group}`,
    file: picture,
  },
  {
    operation: 'PATCH /v4/images/{image_guid}',
    least: 'member',
    path: ({ image }) => `/v4/images/${image}`,
    body: () => ({ name: 'Changed' }),
  },
  {
    operation: 'DELETE /v4/images/{image_guid}',
    least: 'member',
    path: ({ image }) => `/v4/images/${image}`,
  },
  {
    operation: 'POST /v4/organizations/{organization_guid}/mobile_apps',
    least: 'org-admin',
    path: ({ organization }) => `/v4/organizations/${organization}/mobile_apps`,
    body: () => ({ name: 'Made', os: 'ios', uri_scheme: 'made' }),
  },
  {
    operation: 'PATCH /v4/organizations/{organization_guid}/mobile_apps/{app_guid}',
    least: 'org-admin',
    path: ({ organization, mobileApp }) => `/v4/organizations/${organization}/mobile_apps/${mobileApp}`,
    body: () => ({ name: 'Changed' }),
  },
  {
    operation: 'DELETE /v4/organizations/{organization_guid}/mobile_apps/{app_guid}',
    least: 'org-admin',
    path: ({ organization, mobileApp }) => `/v4/organizations/${organization}/mobile_apps/${mobileApp}`,
  },
  {
    operation: 'POST /v4/organizations/{organization_guid}/invitations',
    least: 'org-admin',
    path: ({ organization }) => `/v4/organizations/${organization}/invitations`,
    body: ({ group }) => ({ email: 'guest@example.com', group_guid: group }),
  },
  {
    operation: 'DELETE /v4/organizations/{organization_guid}/invitations/{invitation_guid}',
    least: 'org-admin',
    path: ({ organization, invitation }) => `/v4/organizations/${organization}/invitations/${invitation}`,
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}/tags/{tag}',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/tags/kept`,
    body: () => ({ color: 'red' }),
  },
  {
    operation: 'DELETE /v4/groups/{group_guid}/tags/{tag}',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/tags/removed`,
  },
  {
    operation: 'POST /v4/groups/{group_guid}/utm_templates',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/utm_templates`,
    body: () => ({ name: 'Made', utm_source: 'newsletter' }),
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}/utm_templates/{template_guid}',
    least: 'member',
    path: ({ group, template }) => `/v4/groups/${group}/utm_templates/${template}`,
    body: () => ({ name: 'Changed' }),
  },
  {
    operation: 'DELETE /v4/groups/{group_guid}/utm_templates/{template_guid}',
    least: 'member',
    path: ({ group, template }) => `/v4/groups/${group}/utm_templates/${template}`,
  },
  {
    operation: 'POST /v4/groups/{group_guid}/views',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/views`,
    body: () => ({ name: 'Made', page: 'links' }),
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}/views/{view_guid}',
    least: 'member',
    path: ({ group, view }) => `/v4/groups/${group}/views/${view}`,
    body: () => ({ name: 'Changed' }),
  },
  {
    operation: 'DELETE /v4/groups/{group_guid}/views/{view_guid}',
    least: 'member',
    path: ({ group, view }) => `/v4/groups/${group}/views/${view}`,
  },
  {
    operation: 'POST /v4/groups/{group_guid}/annotations',
    least: 'member',
    path: ({ group }) => `/v4/groups/${group}/annotations`,
    body: () => ({ happened_at: '2026-11-17T09:00:00+0000', text: 'Made' }),
  },
  {
    operation: 'PATCH /v4/groups/{group_guid}/annotations/{annotation_guid}',
    least: 'member',
    path: ({ group, annotation }) => `/v4/groups/${group}/annotations/${annotation}`,
    body: () => ({ text: 'Changed' }),
  },
  {
    operation: 'DELETE /v4/groups/{group_guid}/annotations/{annotation_guid}',
    least: 'member',
    path: ({ group, annotation }) => `/v4/groups/${group}/annotations/${annotation}`,
  },
  {
    operation: 'POST /v4/organizations/{organization_guid}/groups',
    least: 'org-admin',
    path: ({ organization }) => `/v4/organizations/${organization}/groups`,
    body: () => ({ name: 'Made' }),
  },
  {
    operation: 'PUT /v4/organizations/{organization_guid}/members/{login}',
    least: 'org-admin',
    path: ({ organization, login }) => `/v4/organizations/${organization}/members/${login}`,
    body: () => ({ role: 'member' }),
  },
  {
    operation: 'PUT /v4/groups/{group_guid}/members/{login}',
    least: 'group-admin',
    path: ({ group, login }) => `/v4/groups/${group}/members/${login}`,
    body: () => ({ role: 'reader' }),
  },
  {
    operation: 'DELETE /v4/groups/{group_guid}/members/{login}',
    least: 'group-admin',
    path: ({ group, login }) => `/v4/groups/${group}/members/${login}`,
  },
  {
    operation: 'DELETE /v4/organizations/{organization_guid}/members/{login}',
    least: 'org-admin',
    path: ({ organization, login }) => `/v4/organizations/${organization}/members/${login}`,
  },
  {
    operation: 'DELETE /v4/channels/{channel_guid}',
    least: 'member',
    path: ({ channel }) => `/v4/channels/${channel}`,
  },
  {
    operation: 'DELETE /v4/campaigns/{campaign_guid}',
    least: 'member',
    path: ({ campaign }) => `/v4/campaigns/${campaign}`,
  },
  {
    // The last one: nobody has access to anything of the group afterwards.
    operation: 'DELETE /v4/groups/{group_guid}',
    least: 'org-admin',
    path: ({ group }) => `/v4/groups/${group}`,
  },
]

/** For operators, which is no role in an organization: tested in plan-limits.test.ts and stream-access.test.ts. */
const forTheService = [
  'PATCH /v4/organizations/{organization_guid}/plan',
  'PUT /v4/organizations/{organization_guid}/stream_access',
  'DELETE /v4/organizations/{organization_guid}/stream_access',
]

/** For administrators of the organization; most need a receiver: tested in webhooks.test.ts. */
const forWebhooks = [
  'POST /v4/webhooks',
  'PATCH /v4/webhooks/{webhook_guid}',
  'DELETE /v4/webhooks/{webhook_guid}',
  'POST /v4/webhooks/{webhook_guid}/verify',
  'POST /v4/webhooks/{webhook_guid}/rotate_secret',
  'POST /v4/webhooks/{webhook_guid}/redeliver',
  'POST /v4/webhooks/{webhook_guid}/deliveries/{delivery_id}/redeliver',
]

/** For writers of the group, while there is a job: tested in bulk-jobs.test.ts. */
const forJobs = ['POST /v4/bulk/jobs/{job_guid}/cancel', 'DELETE /v4/bulk/jobs/{job_guid}']

/** For the maker of an export and writers of the group: tested in export-jobs.test.ts. */
const forExports = ['POST /v4/exports/{export_guid}/cancel', 'DELETE /v4/exports/{export_guid}']

/** These need no group: expanding only reads, and everybody may change themselves. */
const forEveryone = ['POST /v4/batch', 'POST /v4/expand', 'PATCH /v4/user']

/** Credentials of an account are for its owner only, in any role: tested in user-*.test.ts. */
const forOwners = [
  'POST /v4/user/tokens',
  'POST /v4/user/tokens/{guid}/rotate',
  'PATCH /v4/user/tokens/{guid}',
  'DELETE /v4/user/tokens/{guid}',
  'DELETE /v4/user/sessions',
  'DELETE /v4/user/sessions/{session_id}',
  'POST /v4/user/api_keys',
  'DELETE /v4/user/api_keys/{guid}',
  'POST /v4/user/email',
  'PATCH /v4/user/password',
  'POST /v4/user/two_factor/app',
  'POST /v4/user/two_factor/app/confirm',
  'POST /v4/user/two_factor/sms',
  'POST /v4/user/two_factor/sms/confirm',
  'POST /v4/user/two_factor/code',
  'POST /v4/user/two_factor/recovery_codes',
  'DELETE /v4/user/two_factor',
  'POST /v4/user/passkeys',
  'POST /v4/user/passkeys/options',
  'POST /v4/user/passkeys/confirmation',
  'PATCH /v4/user/passkeys/{passkey_guid}',
  'DELETE /v4/user/passkeys/{passkey_guid}',
  'POST /v4/user/applications',
  'PATCH /v4/user/applications/{client_id}',
  'DELETE /v4/user/applications/{client_id}',
  'POST /v4/user/applications/{client_id}/secret',
]

describe('roles', () => {
  const started = useApp({
    ...{ oidcIssuer: 'https://id.example', oidcClientId: 'shortlink', oidcClientSecret: 'hidden-oidc' },
    scimToken: 'hidden-scim-token-of-the-provider',
  })
  let world: World
  let tokens: Readonly<Record<Role | 'stranger' | 'auditor', string>>
  beforeAll(async () => {
    world = await aWorld(started)
    tokens = {
      reader: await aMember(started, started.groupGuid, 'reader'),
      member: await aMember(started, started.groupGuid),
      'group-admin': await aMember(started, started.groupGuid, 'admin'),
      'org-admin': started.token,
      // The role in the group has no effect.
      auditor: await anAuditor(started),
      stranger: (await aStranger(started)).token,
    }
    // A group that is the last one of somebody cannot be removed.
    const other = await organize(started).group()
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/members`)
    for (const { login } of body.members as { login: string }[]) {
      await started.request('PUT', `/v4/groups/${other}/members/${login}`, { body: { role: 'reader' } })
    }
  })

  function attempt(write: Write, token: string | null): Promise<Answer> {
    const [method = '', template = ''] = write.operation.split(' ')
    const path = write.path?.(world) ?? template
    const body = write.body?.(world)
    const file = write.file && { body: write.file.body, headers: { 'content-type': write.file.type } }
    return started.request(method, path, { token, ...(body && { body }), ...file })
  }

  it('are declared for every operation that writes', async () => {
    const { body } = await started.request('GET', '/openapi.json')
    const paths = body.paths as Readonly<Record<string, object>>
    const offered = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const writing = offered.filter((operation) => !operation.startsWith('GET '))
    const elsewhere = [...forWebhooks, ...forJobs, ...forExports, ...forEveryone, ...forOwners, ...forTheService]
    const decided = [...writes.map(({ operation }) => operation), ...elsewhere]
    expect(decided.sort()).toEqual(writing.sort())
  })

  /** Values of the parameters of paths; `link` and `keyword` are whole addresses. */
  let known: Readonly<Record<string, string>>
  beforeAll(async () => {
    const { organization, group, link, keyword, branded } = world
    const post = async (path: string, body: unknown, headers = {}) =>
      (await started.request('POST', path, { body, headers })).body
    const hook = {
      ...{ organization_guid: organization, name: 'Hook', event: 'engagement', link_word: '' },
      url: 'https://ada:hidden-1@hook.example/hidden-2?key=hidden-3',
      ...{ oauth_url: 'https://id.example/token?key=hidden-4', client_id: 'us', client_secret: 'hidden-5' },
    }
    const webhook = await post('/v4/webhooks', hook)
    const state = async (guid: string) => (await started.request('GET', `/v4/bulk/jobs/${guid}`)).body.state
    // Its receiver is not there.
    await post(`/v4/webhooks/${webhook.guid}/verify`, {})
    const { body: log } = await started.request('GET', `/v4/webhooks/${webhook.guid}/deliveries`)
    const job = await post(`/v4/bulk/jobs?group_guid=${group}`, 'long_url\n', { 'content-type': 'text/csv' })
    const whenEnded = { timeout: 100_000, interval: 50 }
    await vi.waitUntil(async () => !/waiting|running/.test(await state(job.guid)), whenEnded)
    const made = await post(`/v4/groups/${group}/shortlinks/exports`, {})
    const file = () => started.request('GET', `/v4/exports/${made.guid}/file`)
    await vi.waitUntil(async () => (await file()).status !== 409, whenEnded)
    const { clientId } = await anApplication(started)
    const token = await post('/v4/user/tokens', { label: 'Foreign' })
    const { accounts } = started.app
    const at = Date.now()
    await accounts.addSession({ secretHash: 'f'.repeat(64), login: 'admin', at, expiresAt: at + 60_000 })
    const { body: sessions } = await started.request('GET', '/v4/user/sessions')
    const passkey = {
      guid: newGuid('passkey'),
      credentialId: 'AQIDBA',
      publicKey: 'AQIDBA',
      counter: 0,
      transports: [],
    }
    await accounts.addPasskey({ ...passkey, login: 'admin', name: 'Foreign', createdAt: at }, 20, ['f'.repeat(64)])
    known = {
      ...{ organization_guid: organization, group_guid: group, login: world.login, custom_domain: branded },
      ...{ link, keyword, domain: branded, job_guid: job.guid, qrcode_id: world.code, site_id: world.spareSite },
      export_guid: made.guid,
      ...{ app_guid: world.mobileApp, image_guid: world.image, template_guid: world.template, view_guid: world.view },
      ...{ annotation_guid: world.annotation, invitation_guid: world.invitation, campaign_guid: world.campaign },
      ...{ channel_guid: world.channel, webhook_guid: webhook.guid, delivery_id: log.deliveries[0].id },
      ...{ client_id: clientId, guid: token.guid, session_id: sessions.sessions[0].id, passkey_guid: passkey.guid },
      ...{ block_id: world.block, tag: 'kept', sort: 'clicks', dimension: 'countries' },
    }
  })

  function pathOf(path: string): string {
    return path
      .replace('{domain}/{hash}', known.link ?? '')
      .replace('{site_id}/redirects/{domain}/{keyword}', `${world.spareSite}/redirects/${world.domain}/m%2Fworld-two`)
      .replace('{domain}/{keyword}', known.keyword ?? '')
      .replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? `unknown ${name}`)
  }

  /** The ids of bodies of all operations. */
  function bodyOfAll(): object {
    const { group, organization, link, spare, campaign, channel, branded, keyword, code, image, site } = world
    return {
      ...{ group_guid: group, organization_guid: organization, shortlink_id: link, campaign_guid: campaign },
      ...{
        campaign_guids: [campaign],
        channel_guid: channel,
        channels: [{ guid: channel }],
        shortlinks: [link, spare],
      },
      ...{ destination: { shortlink_id: link }, qr_code_ids: [code], links: [link], action: 'archive', archive: true },
      ...{ custom_shortlink: keyword, custom_domain: branded, domain: branded, image_guid: image, site_ids: [site] },
      ...{ guid: world.change, name: 'Crossed', title: 'Crossed', role: 'admin', email: 'crossed@example.com' },
      ...{
        content: 'Crossed',
        since: '2026-11-02T09:30:00+0000',
        password: 'correct horse',
        is_active: false,
        max_links: 10,
        paths: [],
      },
    }
  }

  /** Everything that there is to read of the organization, as `path` and what is answered there. */
  async function readAll(token: string, of: 'statuses' | 'bodies'): Promise<Readonly<Record<string, unknown>>> {
    const { body } = await started.request('GET', '/openapi.json')
    const query = `?unit=day&units=1&keyword=free&organization_guid=${world.organization}&group_guid=${world.group}&campaign_guid=${world.campaign}`
    const answers: Record<string, unknown> = {}
    for (const { method, path } of operationsIn(body)) {
      // Those of an account and of the operator are for their own; an event stream would stay open.
      const isOther = /^\/v4\/(user|service\/)|\/events$/.test(path)
      if (method !== 'GET' || !path.startsWith('/v4/') || isOther) continue
      const { status, text } = await started.request('GET', pathOf(path) + query, { token, isShown: false })
      const timeless = text.replace(/"request_id":"[^"]*"|"\d{4}-\d\d-\d\dT[^"]*"/g, '')
      // Usage counts these requests.
      const isCounted = /_usage$|\/plan_limits$/.test(path)
      answers[path] = of === 'statuses' || isCounted ? status : timeless
    }
    return answers
  }

  /** Those that are tested elsewhere, without arguments of their own. */
  const others = [...forWebhooks, ...forJobs, ...forExports, ...forTheService].map(
    (operation) => ({ operation, least: 'org-admin' }) as const,
  )

  /** Tries all of these with the token, and returns those that were not refused. */
  async function allowedOf(
    attempts: readonly Write[],
    token: string,
    isRefused: (answer: Answer) => boolean,
  ): Promise<readonly string[]> {
    const allowed: string[] = []
    for (const write of attempts) {
      const [, template = ''] = write.operation.split(' ')
      const usual = {
        path: () => pathOf(template),
        body: () => ({ organization_guid: world.organization }),
      }
      const answer = await attempt({ ...usual, ...write }, token)
      if (!isRefused(answer)) allowed.push(`${write.operation}: ${answer.status} ${answer.text}`)
    }
    return allowed
  }

  describe('of an auditor', () => {
    const sentence = 'You are an auditor of this organization: you may read everything and change nothing.'
    it('is to read everything that an administrator may', async () => {
      const admin = await readAll(started.token, 'statuses')
      const notFound = Object.entries(admin).filter(([, status]) => status !== 200)
      expect(notFound).toEqual([])
      // Only who creates links may ask whether a back-half is free.
      const exceptions = { '/v4/groups/{group_guid}/keyword_availability': 403 }
      expect(await readAll(tokens.auditor, 'statuses')).toEqual({ ...admin, ...exceptions })
      const seen = await readAll(tokens.auditor, 'bodies')
      const shown = await readAll(started.token, 'bodies')
      for (const path of ['audit_log', 'members', 'invitations']) {
        const list = seen[`/v4/organizations/{organization_guid}/${path}`]
        expect(list).toBe(shown[`/v4/organizations/{organization_guid}/${path}`])
      }
    })

    it('is to see no secrets, as readers and members see none', async () => {
      const guest = { email: 'second-guest@example.com', group_guid: world.group }
      const invitations = `/v4/organizations/${world.organization}/invitations`
      const { body: invited } = await started.request('POST', invitations, { body: guest })
      const link = new URL(invited.url).searchParams.get('secret') ?? ''
      const { clientSecret = '' } = await anApplication(started)
      const { signing_secret: signing } = (
        await started.request('POST', `/v4/webhooks/${known.webhook_guid}/rotate_secret`, { body: {} })
      ).body
      expect([link, clientSecret, signing].every((each) => each.length > 20)).toBe(true)
      for (const role of ['auditor', 'reader', 'member'] as const) {
        const seen = JSON.stringify(await readAll(tokens[role], 'bodies'))
        expect([link, clientSecret, signing].filter((secret) => seen.includes(secret))).toEqual([])
        expect(seen.match(/hidden-\w+/g) ?? []).toEqual([])
        for (const path of ['/v4/service/identity_providers', '/v4/service/organizations']) {
          expect((await started.request('GET', path, { token: tokens[role] })).status).toBe(403)
        }
      }
      const webhook = `/v4/webhooks/${known.webhook_guid}`
      const seen = { url: 'https://hook.example/', oauth_url: 'https://id.example/', client_secret: '' }
      expect((await started.request('GET', webhook, { token: tokens.auditor })).body).toMatchObject(seen)
      expect((await started.request('GET', webhook)).body.url).toContain('hidden-1')
      const sent = { id: 'D1', webhookGuid: known.webhook_guid ?? '', at: Date.now(), durationMs: 1, events: [] }
      const answer = 'There is no /hidden-1'
      await started.app.webhookStore.record([{ ...sent, isGone: false, status: 404, failure: 'status 404', answer }], {
        entries: 9,
        deadLetters: 9,
        alertAfter: 9,
        deactivateBefore: 0,
      })
      for (const path of [`${webhook}/deliveries`, `${webhook}/deliveries/D1`]) {
        expect((await started.request('GET', path)).text).toContain(answer)
        const { status, text } = await started.request('GET', path, { token: tokens.auditor })
        expect([status, text.includes('hidden-1')]).toEqual([200, false])
      }
    })

    it('is to change nothing', async () => {
      const before = await readAll(started.token, 'bodies')
      const attempts = [...writes.filter(({ least }) => least !== 'reader'), ...others]
      const isRefused = ({ status, body }: Answer) => status === 403 && body.description === sentence
      const allowed = await allowedOf(attempts, tokens.auditor, isRefused)
      expect(allowed).toEqual([])
      expect(await readAll(started.token, 'bodies')).toEqual(before)
    })

    it.each(['limited to groups', 'of the whole user'])('is the same with a token %s', async (which) => {
      const login = (await started.request('GET', '/v4/user', { token: tokens.auditor })).body.login
      const groupGuids = which === 'limited to groups' ? [world.group] : undefined
      const { secret } = await createToken(started.app, operator, { login, label: 'test', groupGuids })
      const link = `/v4/shortlinks/${world.link}`
      expect((await started.request('GET', link, { token: secret })).status).toBe(200)
      expect((await started.request('PATCH', link, { token: secret, body: changed })).status).toBe(403)
    })
  })

  it.each(['groups', 'domains'])(
    'are none of the organization and the account with a token limited to %s',
    async (to) => {
      const limits = to === 'groups' ? { groupGuids: [world.group] } : { domains: [world.domain] }
      const { secret } = await createToken(started.app, operator, { login: 'admin', label: 'test', ...limits })
      const before = await readAll(started.token, 'bodies')
      const group = { operation: 'PATCH /v4/groups/{group_guid}', least: 'org-admin' } as const
      const attempts: readonly Write[] = [
        ...writes.filter(({ least }) => least === 'org-admin'),
        ...others.filter(({ operation }) => ![...forJobs, ...forExports].includes(operation)),
        ...forOwners.map((operation) => ({ operation, least: 'reader' }) as const),
        { ...group, body: () => ({ bsds: [] }) },
        { ...group, body: () => ({ organization_guid: world.organization, bsds: ['brand.example', 'other.example'] }) },
      ]
      // Webhooks do not exist for those who are not in their organization.
      const isRefused = ({ status, text }: Answer) => status === 403 || (status === 404 && text.includes('"webhooks"'))
      expect(await allowedOf(attempts, secret, isRefused)).toEqual([])
      expect(await readAll(started.token, 'bodies')).toEqual(before)
    },
  )

  describe('of another organization', () => {
    /** Whoever asks: these are about the one who asks, or for everybody. */
    const withoutOthers = [
      ...['getService', 'getPlatformLimits', 'listOrganizations', 'listSiteTemplates', 'batchGet'],
      ...['getUser', 'updateUser', 'updateUserEmail', 'updateUserPassword', 'deleteOtherUserSessions'],
      ...['listUserTokens', 'createUserToken', 'listUserApiKeys', 'createUserApiKey', 'listUserSessions'],
      ...['listUserApplications', 'createUserApplication', 'listUserPasskeys', 'startUserPasskey', 'createUserPasskey'],
      ...['confirmWithUserPasskey', 'getUserTwoFactor', 'disableUserTwoFactor', 'renewUserRecoveryCodes'],
      ...['startUserTwoFactorApp', 'confirmUserTwoFactorApp', 'startUserTwoFactorSms', 'confirmUserTwoFactorSms'],
      'sendUserTwoFactorCode',
    ]
    /** Of anything that has an address, for everybody who knows it. */
    const knownByAddress = ['getApp', 'getImageFile', 'expand']
    let stranger: string
    beforeAll(async () => {
      const someone = await aStranger(started)
      stranger = someone.token
      const { body } = await started.request('GET', '/v4/user', { token: stranger })
      await alterRecords(started, 'update organization_members set role = ? where login = ?', 'admin', body.login)
      const hash =
        "update users set password_hash = (select password_hash from users where login = 'admin') where login = ?"
      await alterRecords(started, hash, body.login)
      started.app.tokens.clear()
      expect((await started.request('GET', '/v4/organizations', { token: stranger })).body.organizations).toHaveLength(
        1,
      )
    })

    /** What the administrator has in the account. */
    async function ofTheAccount(): Promise<readonly string[]> {
      const lists = ['tokens', 'applications', 'sessions', 'passkeys']
      const answers = await Promise.all(lists.map((list) => started.request('GET', `/v4/user/${list}`)))
      return answers.map(({ status, text }) => `${status} ${text.replace(/"(last_\w+|request_id)":"[^"]*"/g, '')}`)
    }

    it('reaches nothing by the ids of this one, in no operation of v4', async () => {
      const { body: document } = await started.request('GET', '/openapi.json')
      const before = await readAll(started.token, 'bodies')
      const own = await ofTheAccount()
      const sent = bodyOfAll()
      const query = new URLSearchParams({
        ...{ organization_guid: world.organization, group_guid: world.group, campaign_guid: world.campaign },
        ...{ unit: 'day', units: '1', keyword: 'free', domain: world.branded, site: world.spareSite },
      })
      const surprises: string[] = []
      const answered: string[] = []
      for (const { method, path, operation } of operationsIn(document)) {
        if (!path.startsWith('/v4/')) continue
        const types = Object.keys(operation.requestBody?.content ?? {})
        const isJson = types.length === 0 || types.includes('application/json')
        const type = types.at(-1) ?? ''
        const isEvents = path.endsWith('/events')
        const { status, text } = await started.request(isEvents ? 'HEAD' : method, `${pathOf(path)}?${query}`, {
          token: stranger,
          isShown: false,
          ...(method !== 'GET' &&
            (isJson ? { body: sent } : { body: 'long_url\n', headers: { 'content-type': type } })),
        })
        const documented = Object.keys(operation.responses ?? {})
        const isRefused = (status === 403 || status === 404) && documented.includes(String(status))
        if (!isRefused) answered.push(operation.operationId)
        const isLeak = [world.organization, world.group, 'example.com/world'].some((each) => text.includes(`${each}"`))
        if (isLeak || (!isRefused && path.includes('{') && !knownByAddress.includes(operation.operationId)))
          surprises.push(`${operation.operationId}: ${status} ${text.slice(0, 200)}`)
      }
      expect(surprises).toEqual([])
      expect(answered.toSorted()).toEqual([...withoutOthers, ...knownByAddress].toSorted())
      expect(await readAll(started.token, 'bodies')).toEqual(before)
      expect(await ofTheAccount()).toEqual(own)
    })

    it('reaches nothing by the ids of this one, in no operation of v3', async () => {
      const { body: document } = await started.request('GET', '/docs/v3.json')
      const url = `http://${world.link}`
      const long_url = 'https://example.com/foreign'
      const privately = { long_url, title: 'Foreign title', private: true, tags: ['foreign-tag'] }
      const { body: link } = await started.request('POST', '/v4/shortlinks', { body: privately })
      const { body: mine } = await started.request('GET', '/v4/user')
      const before = await readAll(started.token, 'bodies')
      const surprises: string[] = []
      for (const { path, operation } of operationsIn(document)) {
        for (const each of [url, link.link]) {
          const query = new URLSearchParams({
            ...{ access_token: stranger, link: each, shortUrl: each, hash: String(each).split('/').at(-1) ?? '' },
            ...{
              campaign_id: world.campaign,
              keyword_link: `http://${world.keyword}`,
              target_link: each,
              overwrite: 'true',
            },
            ...{
              edit: 'title',
              title: 'Changed',
              longUrl: long_url,
              url: long_url,
              user: mine.login,
              query: 'foreign',
            },
            ...{ domain: world.branded, hostname: 'example.com', app_id: 'none' },
          })
          const { text } = await started.request('GET', `${path}?${query}`, { token: null, isShown: false })
          if (/Foreign title|foreign-tag|Campaign|"First"/.test(text))
            surprises.push(`${operation.operationId}: ${text.slice(0, 300)}`)
        }
      }
      expect(surprises).toEqual([])
      expect(await readAll(started.token, 'bodies')).toEqual(before)
    })

    it('reaches nothing with its tokens in SCIM', async () => {
      for (const [method, path] of [
        ['GET', 'Users'],
        ['GET', `Users/${world.login}`],
        ['DELETE', `Users/${world.login}`],
        ['POST', 'Groups'],
      ] as const) {
        const { status } = await started.request(method, `/scim/v2/${path}`, { token: stranger })
        expect(status).toBe(401)
      }
    })
  })

  describe.each(writes)('$operation', (write) => {
    it('answers 403 without a token', async () => {
      expect((await attempt(write, null)).status).toBe(403)
    })

    it('answers 403 or 404 to strangers', async () => {
      expect([403, 404]).toContain((await attempt(write, tokens.stranger)).status)
    })

    it.each(roles.slice(0, roles.indexOf(write.least)))('answers 403 to a %s', async (role) => {
      const { status, body } = await attempt(write, tokens[role])
      expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    })

    // Last, to show that only the role was missing.
    it(`lets a ${write.least} do it`, async () => {
      const { status, text } = await attempt(write, tokens[write.least])
      expect(status, text).toBeLessThan(300)
    })
  })
})

/** Of the organization, with a role in the group that administers it. */
async function anAuditor(started: StartedApp): Promise<string> {
  const token = await aMember(started, started.groupGuid, 'admin')
  const { body } = await started.request('GET', '/v4/user', { token })
  await alterRecords(started, 'update organization_members set role = ? where login = ?', 'auditor', body.login)
  started.app.tokens.clear()
  return token
}

async function aWorld(started: StartedApp): Promise<World> {
  const { groupGuid: group, domain } = started
  const organization = await firstOrganization(started)
  const branded = await organize(started).domain('brand.example', organization, [group])
  const made = async (path: string, body: object) => (await started.request('POST', path, { body })).body
  const aLink = async (n: number, fields: object = {}): Promise<string> =>
    (await made('/v4/shorten', { long_url: `https://example.com/world/${n}`, ...fields })).id
  await made('/v4/shortlinks', { long_url: 'https://example.com/world/tags', tags: ['kept', 'removed'] })
  const onBranded = await aLink(3, { domain: branded })
  const keyword = `${branded}/keyword`
  await made('/v4/custom_shortlinks', { custom_shortlink: keyword, shortlink_id: await aLink(4, { domain: branded }) })
  const app = await made(`/v4/organizations/${organization}/mobile_apps`, { name: 'App', os: 'ios', uri_scheme: 'app' })
  const uploaded = { body: picture.body, headers: { 'content-type': picture.type } }
  const { body: image } = await started.request('POST', `/v4/images?group_guid=${group}`, uploaded)
  const { body: pictured } = await started.request('POST', `/v4/images?group_guid=${group}`, uploaded)
  const aCode = async (n: number): Promise<string> =>
    (await made('/v4/qr-codes', { group_guid: group, destination: { long_url: `https://example.com/code/${n}` } }))
      .qrcode_id
  const guest = { email: 'first-guest@example.com', group_guid: group }
  const invitation = await made(`/v4/organizations/${organization}/invitations`, guest)
  const aSite = async (keyword: string): Promise<string> =>
    (await made('/v4/sites', { group_guid: group, domain, keyword })).site_guid
  const [site, spareSite] = [await aSite('world-one'), await aSite('world-two')]
  await made(`/v4/sites/${site}/publish`, {})
  const block = await made(`/v4/sites/${spareSite}/blocks`, { type: 'text_block', content: { text: 'Hello' } })
  await started.request('PATCH', `/v4/sites/${spareSite}`, { body: { uri: `${domain}/m/world-three` } })
  const login = await aPerson(started)
  // The last group of a user cannot be left.
  const second = `/v4/groups/${await organize(started).group()}/members/${login}`
  await started.request('PUT', second, { body: { role: 'member' } })
  const link = await aLink(1)
  await started.request('PATCH', `/v4/shortlinks/${link}`, { body: { title: 'First' } })
  const { body: history } = await started.request('GET', `/v4/shortlinks/${link}/history`)
  return {
    login,
    view: (await made(`/v4/groups/${group}/views`, { name: 'View', page: 'links' })).guid,
    annotation: (
      await made(`/v4/groups/${group}/annotations`, { happened_at: '2026-11-17T09:00:00+0000', text: 'Note' })
    ).guid,
    template: (await made(`/v4/groups/${group}/utm_templates`, { name: 'Template', utm_source: 'mail' })).guid,
    group,
    organization,
    invitation: invitation.guid,
    branded,
    domain,
    link,
    change: history.history[0].guid,
    spare: await aLink(2),
    onBranded,
    keyword,
    campaign: (await made('/v4/campaigns', { group_guid: group, name: 'Campaign' })).guid,
    channel: (await made('/v4/channels', { group_guid: group, name: 'Channel' })).guid,
    mobileApp: app.guid,
    image: image.guid,
    pictured: pictured.guid,
    code: await aCode(1),
    spareCode: await aCode(2),
    site,
    spareSite,
    block: block.block_id,
  }
}

import { expect } from 'vitest'
import { type SettingsTab, settingsTabs } from '../../web/src/pages/settings/search.js'
import { firstOrganization, organize } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { anApplication, aPerson } from '../oauth/people.js'
import type { StartedApp } from '../support/start-app.js'

export interface Place {
  /** Below /app/<group>/, with the names of made things in braces. */
  readonly path: string
  /** What opens over the page: buttons and items of menus that are pressed one after the other, by their names. */
  readonly opens?: readonly (readonly string[])[]
}

const opensOfTab: Readonly<Partial<Record<SettingsTab, Place['opens']>>> = {
  organization: [['Time zone']],
  tags: [
    ['Actions for spring', 'Edit'],
    ['Actions for spring', 'Merge'],
    ['Actions for spring', 'Delete'],
  ],
  members: [['in one group'], ['Remove']],
  apps: [['Register an app'], ['Edit'], ['Delete']],
  webhooks: [['Add a webhook']],
}

/** Every page of the dashboard by its route, with all that opens over it. */
export const places: Readonly<Record<string, readonly Place[]>> = {
  '/account': [
    { path: '/app/account', opens: [['Add a passkey'], ['Register an application'], ['Edit'], ['Revoke'], ['Rotate']] },
  ],
  '/$group/': [
    { path: '', opens: [['Search and commands'], ['Keyboard shortcuts'], ['Create'], ['Theme'], ['admin']] },
  ],
  '/$group/analytics': [
    { path: 'analytics?country=is:GB,US', opens: [['Annotations'], ['Filter'], ['Views'], ['Time range']] },
    { path: 'analytics?view=events', opens: [['Columns']] },
  ],
  '/$group/analytics/sites': [{ path: 'analytics/sites' }],
  '/$group/analytics/compare': [
    { path: 'analytics/compare?kind=campaigns&ids={campaign}&ids={other}', opens: [['Filter'], ['Time range']] },
    { path: 'analytics/compare?kind=periods' },
  ],
  '/$group/links': [{ path: 'links', opens: [['Columns'], ['Views'], ['Tags'], ['Created'], ['Creator'], ['More']] }],
  '/$group/links/$domain/$hash': [
    { path: 'links/{link}', opens: [['Edit'], ['Delete'], ['Add a back-half'], ['Create a QR code']] },
  ],
  '/$group/links/imports': [{ path: 'links/imports' }],
  '/$group/qr-codes': [
    {
      path: 'qr-codes',
      opens: [
        ['Create a QR code'],
        ['Edit Poster'],
        ['More actions for Poster', 'Embed'],
        ['More actions for Poster', 'Delete'],
      ],
    },
  ],
  '/$group/qr-codes/$code/analytics': [{ path: 'qr-codes/{code}/analytics', opens: [['Edit']] }],
  '/$group/sites': [
    { path: 'sites', opens: [['Create a site'], ['Import'], ['More actions for Anna', 'Take offline']] },
  ],
  '/$group/sites/$site': [
    { path: 'sites/{site}', opens: [['Publish'], ['Add a block'], ['More actions', 'Take offline']] },
    { path: 'sites/{site}?tab=look' },
    { path: 'sites/{site}?tab=share' },
    { path: 'sites/{site}?tab=statistics' },
  ],
  '/$group/campaigns': [{ path: 'campaigns', opens: [['Create a campaign'], ['Edit Spring']] }],
  '/$group/campaigns/$campaign': [{ path: 'campaigns/{campaign}', opens: [['Edit']] }],
  '/$group/campaigns/new': [{ path: 'campaigns/new?campaign={campaign}' }],
  '/$group/domains': [{ path: 'domains', opens: [['Add a domain']] }],
  '/$group/domains/$domain': [{ path: 'domains/go.example.com', opens: [['Actions for go.example.com', 'Remove']] }],
  '/$group/settings': settingsTabs.map((tab) => ({ path: `settings?tab=${tab}`, opens: opensOfTab[tab] ?? [] })),
  '/$group/settings/webhooks/$webhook': [
    { path: 'settings/webhooks/{webhook}', opens: [['Edit'], ['More actions', 'Delete']] },
  ],
}

/** Leads on to a group. It shows something of its own, one message, to people without a group alone. */
export const leadsOn = ['/']

/** One of everything, so that no page is empty. Returns the names of what `places` have in braces. */
export async function makeEverything(started: StartedApp): Promise<Readonly<Record<string, string>>> {
  const { groupGuid: group_guid } = started
  const made: Record<string, string> = {}
  const post = async (path: string, body: object) => {
    const answer = await started.request('POST', path, { body })
    expect([path, answer.status, answer.status < 300]).toEqual([path, answer.status, true])
    return answer.body
  }
  const organization = await firstOrganization(started)
  const link = { title: 'A title that is longer than any phone is wide', tags: ['spring', 'summer'], note: 'A note' }
  made.link = (await post('/v4/shortlinks', { long_url: 'https://example.com/one', ...link })).id
  await post('/v4/shortlinks', { long_url: 'https://example.com/two', title: 'Second' })
  for (const name of ['campaign', 'other']) {
    made[name] = (await post('/v4/campaigns', { group_guid, name: name === 'other' ? 'Summer' : 'Spring' })).guid
  }
  const shortlinks = [{ campaign_guid: made.campaign, shortlink_id: made.link }]
  await post('/v4/channels', { group_guid, name: 'Posters', shortlinks })
  const poster = { group_guid, title: 'Poster', destination: { shortlink_id: made.link } }
  made.code = (await post('/v4/qr-codes', poster)).qrcode_id
  const { site_guid: site } = await post('/v4/sites', { group_guid, domain: started.domain, keyword: 'anna' })
  made.site = site
  await started.request('PATCH', `/v4/sites/${site}`, { body: { display_name: 'Anna', description: 'Pottery' } })
  await post(`/v4/sites/${site}/publish`, {})
  const content = { shortlink_id: made.link, link_title: 'A title that is longer than any phone is wide' }
  await post(`/v4/sites/${site}/blocks`, { type: 'shortlink', content, is_pinned: true })
  const { block_id: parent } = await post(`/v4/sites/${site}/containers`, { type: 'grid' })
  await post(`/v4/sites/${site}/blocks`, { type: 'shortlink', content: { url: 'tel:+49301234' }, parent })
  const url = 'http://127.0.0.1:9/hook'
  const hook = { organization_guid: organization, name: 'Data warehouse', event: 'engagement', url }
  made.webhook = (await post('/v4/webhooks', hook)).guid
  const app = { name: 'Shop', os: 'ios', uri_scheme: 'shop', app_id: 'ABCDE12345.com.example.shop' }
  await post(`/v4/organizations/${organization}/mobile_apps`, app)
  await organize(started).domain('go.example.com', organization, [group_guid])
  const member = await aPerson(started)
  await organize(started).role(member, 'member', { groupGuid: group_guid })
  await anApplication(started)
  await visit(started, made.link ?? '')
  await visit(started, made.link ?? '', {
    agent: 'phone',
    from: 'mountainView',
    referrer: 'https://l.instagram.com/',
  })
  await visit(started, made.link ?? '', { agent: 'phone', scan: true })
  await started.clicksCounted()
  return made
}

export function pathOf(path: string, made: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => made[name] ?? '')
}

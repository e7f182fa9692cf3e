import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { components, operations } from '../../api/schema.js'
import type { ShortLink } from '../../api/types.js'
import { copyText } from '../../parts/copy-text.js'
import { openCreate } from '../../shell/create-link.js'
import { useGroup } from '../../shell/current-group.js'
import type { Placement } from './draft.js'

export type Availability = operations['getKeywordAvailability']['responses'][200]['content']['application/json']

type NewLink = NonNullable<operations['createShortlink']['requestBody']>['content']['application/json']

/** Makes a link, puts it on the clipboard and shows it. */
export function useCreateLink(group_guid: string, onMade: (link: ShortLink) => void | Promise<void> = () => undefined) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (link: NewLink) =>
      // Without `force_new_link`, the API would change the link that the group already has.
      ask(api.POST('/v4/shortlinks', { body: { ...link, group_guid, force_new_link: true } })),
    onSuccess: async (link) => {
      const isCopied = await copyText(sharedUrl(link))
      await onMade(link)
      openCreate({ made: { link, isCopied } })
      await refreshGroup(client, group_guid)
    },
    // Somebody may have been faster: look again whether the back-half is free.
    onError: () => client.invalidateQueries({ queryKey: ['groups', group_guid, 'availability'] }),
  })
}

/** What people share: the newest custom back-half, or else the hash. */
export function sharedUrl({ custom_shortlinks: [custom], link }: ShortLink): string {
  return custom ?? link
}

type PictureFormat = 'svg' | 'png'

/** A plain QR code, which the API does not keep, as a data URI. */
export async function plainCode(group_guid: string, content: string, format: PictureFormat): Promise<string> {
  const params = { query: { format, size: 2048 } }
  const { image } = await ask(api.POST('/v4/qr-codes/static', { params, body: { group_guid, content } }))
  return image.startsWith('data:') ? image : `data:image/${format === 'svg' ? 'svg+xml' : format};base64,${image}`
}

export function plainCodeQuery(group_guid: string, content: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'qr-preview', content],
    queryFn: () => plainCode(group_guid, content, 'svg'),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

function preferencesQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'preferences'],
    queryFn: () => ask(api.GET('/v4/groups/{group_guid}/preferences', { params: { path: { group_guid } } })),
    enabled: group_guid !== '',
    staleTime: 60_000,
  })
}

export function utmTemplatesQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'utm_templates'],
    queryFn: async () =>
      (await ask(api.GET('/v4/groups/{group_guid}/utm_templates', { params: { path: { group_guid } } }))).utm_templates,
  })
}

/** The channels of the group, or of one campaign. */
export function channelsQuery(group_guid: string, campaign_guid?: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'channels', campaign_guid ?? 'all'],
    queryFn: async () => {
      const query = { group_guid, ...(campaign_guid && { campaign_guid }) }
      return (await ask(api.GET('/v4/channels', { params: { query } }))).channels
    },
  })
}

/** Puts a link in a channel of a campaign; does nothing while either is not chosen. */
export async function placeLink({ campaign, channel }: Placement, shortlink_id: string): Promise<void> {
  if (!campaign || !channel) return
  const body = { add_shortlinks: [{ campaign_guid: campaign, shortlink_id }] }
  await ask(api.PATCH('/v4/channels/{channel_guid}', { params: { path: { channel_guid: channel } }, body }))
}

/** Takes a link out of a campaign, whichever of its channels it is in. */
export async function leaveCampaign(group_guid: string, campaign_guid: string, shortlink_id: string): Promise<void> {
  const query = { group_guid, campaign_guid }
  const { channels } = await ask(api.GET('/v4/channels', { params: { query } }))
  const body = { remove_shortlinks: [{ campaign_guid, shortlink_id }] }
  for (const { guid } of channels) {
    await ask(api.PATCH('/v4/channels/{channel_guid}', { params: { path: { channel_guid: guid } }, body }))
  }
}

export type MobileApp = components['schemas']['MobileApp']

export function mobileAppsQuery(organization_guid: string) {
  return queryOptions({
    queryKey: ['organizations', organization_guid, 'mobile_apps'],
    queryFn: async () =>
      (
        await ask(
          api.GET('/v4/organizations/{organization_guid}/mobile_apps', { params: { path: { organization_guid } } }),
        )
      ).mobile_apps,
    enabled: organization_guid !== '',
  })
}

/** For a form that is sent before it is known. */
export async function preferredDomain(client: QueryClient, group_guid: string): Promise<string> {
  return (await client.ensureQueryData(preferencesQuery(group_guid))).domain_preference
}

/** The domains that the group makes links on, the preferred one first. None until that is known. */
export function useDomains(group_guid: string): readonly string[] {
  const { data } = useQuery(preferencesQuery(group_guid))
  const branded = useGroup()?.bsds ?? []
  return data ? [...new Set([data.domain_preference, ...branded])] : []
}

/** Whether a back-half is free; asks nothing while there is none. */
export function useAvailability(group_guid: string, domain: string, keyword: string) {
  return useQuery({
    queryKey: ['groups', group_guid, 'availability', domain, keyword],
    queryFn: () => {
      const params = { path: { group_guid }, query: { keyword, ...(domain && { domain }) } }
      return ask(api.GET('/v4/groups/{group_guid}/keyword_availability', { params }))
    },
    enabled: keyword !== '',
    staleTime: 5000,
  })
}

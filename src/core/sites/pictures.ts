/** The pictures of a page: of its owner, behind it, and on its banner. */
import { type Actor, requireWriter } from '../accounts/actor.js'
import { invalid } from '../values/refusal.js'
import { withCrops } from './appearance.js'
import { imageGuidIn, readCrop, requireImage } from './content.js'
import { done, forgetAddresses, type SiteDeps } from './manage.js'
import type { Appearance, Crop, Site } from './site.js'

/** `profile_life` is how the public service spells it. */
export const imageUses = [
  'profile',
  'background',
  'banner',
  'profile_life',
  'profile_live',
  'background_live',
  'banner_live',
] as const
type ImageUse = (typeof imageUses)[number]

export interface AttachInput {
  readonly imageGuid?: string | undefined
  /** Of an uploaded image. */
  readonly url?: string | undefined
  readonly use: ImageUse
  readonly crop?: string | undefined
}

/** In the draft; for a use that is live also in what visitors see, at once. */
export async function attachImage(
  deps: SiteDeps,
  actor: Actor,
  { guid, groupGuid }: Site,
  { imageGuid, url, use, crop: cropText }: AttachInput,
): Promise<{ readonly site: Site; readonly imageGuid: string }> {
  const { organizationGuid } = requireWriter(actor, groupGuid)
  const named = imageGuid ?? (url && (imageGuidIn(url) ?? url))
  if (!named) throw invalid('imageGuid', 'Send the image_guid of an uploaded image.', 'sites')
  const found = await requireImage(deps, organizationGuid, named, 'imageGuid')
  const crop = cropText === undefined ? undefined : readCrop(cropText, 'crop')
  const step = (document: Site['draft']) => ({
    ...document,
    appearance: withImage(document.appearance, use, found, crop),
  })
  const isLive = /_li[fv]e$/.test(use)
  const site = done(await deps.sites.change(guid, step, deps.clock.now(), isLive))
  if (isLive) forgetAddresses(deps, site)
  return { site, imageGuid: found }
}

function withImage(appearance: Appearance, use: ImageUse, imageGuid: string, crop: Crop | undefined): Appearance {
  const { [imageGuid]: _, ...others } = appearance.crops ?? {}
  return withCrops(attached(appearance, use, imageGuid), crop ? { ...others, [imageGuid]: crop } : others)
}

function attached(appearance: Appearance, use: ImageUse, imageGuid: string): Appearance {
  if (use.startsWith('profile')) return { ...appearance, avatarImageGuid: imageGuid }
  if (use.startsWith('background')) {
    return { ...appearance, backgroundImageGuid: imageGuid, backgroundPreference: 'image' }
  }
  return { ...appearance, header: { ...appearance.header, bannerImageGuid: imageGuid } }
}

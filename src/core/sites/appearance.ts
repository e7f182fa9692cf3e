/** How a site looks, as it is saved: colors that can be read, and images of the organization. */
import { invalid, quoted } from '../values/refusal.js'
import { type ContentDeps, imageGuidIn, requireImage } from './content.js'
import {
  type Appearance,
  defaultAppearance,
  defaultHeader,
  type HeaderAppearance,
  type TextAppearance,
} from './site.js'

/** The whole object: what is not sent is as by default. */
export interface AppearanceInput extends Sent<Omit<Appearance, 'header'>> {
  readonly header?: Sent<HeaderAppearance> | undefined
}

type Sent<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined }

/** With images of the organization, whether it can be read or not. `place`: what refused fields are in. */
export async function readAppearance(
  deps: Pick<ContentDeps, 'images'>,
  organizationGuid: string,
  { header = {}, ...page }: AppearanceInput,
  place = '',
): Promise<Appearance> {
  const read = {
    ...defaultAppearance,
    ...given(page, place),
    header: { ...defaultHeader, ...given(header, `${place}headerAppearance.`) },
  } as Appearance
  for (const [guid, field] of [
    [read.avatarImageGuid, 'avatarImageGuid'],
    [read.backgroundImageGuid, 'backgroundImageGuid'],
    [read.header.bannerImageGuid, 'headerAppearance.bannerImageUrl'],
  ] as const) {
    if (guid !== undefined) await requireImage(deps, organizationGuid, guid, place + field)
  }
  return read
}

/** With the shown parts of the images that it has; clients send the images, but not these. */
export function withCrops(appearance: Appearance, crops: Appearance['crops'] = {}): Appearance {
  const { crops: _, ...uncropped } = appearance
  const { avatarImageGuid, backgroundImageGuid, header } = appearance
  const used = [avatarImageGuid, backgroundImageGuid, header.bannerImageGuid]
  const kept = Object.entries(crops).filter(([guid]) => used.includes(guid))
  return kept.length === 0 ? uncropped : { ...uncropped, crops: Object.fromEntries(kept) }
}

/** Of a text block. An empty color is that of the page. */
export function readTextAppearance(sent: TextAppearance): TextAppearance {
  const { backgroundColor, textColor, ...others } = sent
  return {
    ...others,
    ...(backgroundColor !== undefined && {
      backgroundColor: optionalColor(backgroundColor, 'appearance.backgroundColor'),
    }),
    ...(textColor !== undefined && { textColor: optionalColor(textColor, 'appearance.textColor') }),
  }
}

function given(fields: object, place: string): object {
  const entries = Object.entries(fields).flatMap(([field, value]) => {
    if (value === undefined || value === '') return []
    if (field.endsWith('Color')) return [[field, readColor(String(value), place + sentName(field, place))] as const]
    if (field.endsWith('ImageGuid')) return [[field, imageGuidIn(String(value)) ?? value] as const]
    return [[field, value] as const]
  })
  return Object.fromEntries(entries)
}

/** The names of these fields on the wire begin with other words. */
function sentName(field: string, place: string): string {
  const capital = `${field.charAt(0).toUpperCase()}${field.slice(1)}`
  if (place.endsWith('headerAppearance.')) return `header${capital}`
  return /^(?:button|social)/.test(field) ? `default${capital}` : field
}

function optionalColor(text: string, field: string): string | undefined {
  return text === '' ? undefined : readColor(text, field)
}

function readColor(text: string, field: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase()
  throw invalid(field, `${quoted(text)} is not a color. Send #rrggbb, such as #14532d.`, 'sites')
}

/**
 * How a site looks on the wire, the same in requests and answers: each field with the name that it has in core/sites/site.ts,
 * which knows its values. Those of images are fields of the wire alone, as they are URLs or guids.
 */
import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from 'typebox'
import { headerFields, type LookField, pageFields } from '../../../core/sites/site.js'
import { bounds } from '../../http/validation.js'
import { guidBounds } from './bounds.js'
import { optionalChoice, optionalFlag, optionalText } from './fields.js'

export const headerNames = {
  banner_type: ['bannerType', 'What is behind the picture and the texts'],
  profile_image_size: ['profileImageSize', 'Of the picture of the owner'],
  profile_image_shape: ['profileImageShape', 'Of that picture'],
  profile_image_border_size: ['profileImageBorderSize', 'Around that picture'],
  profile_image_type: ['profileImageType', 'Whether that picture is repeated'],
  profile_image_location: ['profileImageLocation', 'Where that picture is'],
  profile_image_overflow: ['profileImageOverflow', 'Whether that picture may leave the banner'],
  text_location: ['textLocation', 'Above, on or below the banner'],
  title_size: ['titleSize', 'Of the name'],
  description_size: ['descriptionSize', 'Of the description'],
  title_alignment: ['titleAlignment', 'Of the name'],
  description_alignment: ['descriptionAlignment', 'Of the description'],
  title_weight: ['titleWeight', 'Of the name'],
  description_weight: ['descriptionWeight', 'Of the description'],
  title_border_type: ['titleBorderType', 'Lines at the name'],
  description_border_type: ['descriptionBorderType', 'Lines at the description'],
  header_background_color: ['backgroundColor', 'Of the banner'],
  banner_image_url: optionalText('URL of an uploaded image, or its guid'),
  header_style_preference: ['stylePreference', 'Where the look of the banner comes from'],
  banner_image_alignment: ['bannerImageAlignment', 'How the image fills the banner'],
} as const satisfies Names<typeof headerFields>

const HeaderAppearance = Type.Object(schemasOf(headerFields, headerNames), { title: 'HeaderAppearance' })

export const pageNames = {
  layout_v2: ['layoutV2', 'Version of the layout'],
  header_appearance: Type.Optional(HeaderAppearance),
  theme_id: ['themeId', 'The theme it was made from'],
  hide_logo: ['hidesLogo', 'Without the name of the service at the end of the page'],
  no_index: ['noIndex', 'Search engines leave the page out'],
  layout: ['layout', 'How much room the blocks have'],
  font: ['font', 'The typeface'],
  style_preference: ['stylePreference', 'Where the look comes from'],
  background_color: ['backgroundColor', 'Of the page'],
  bottom_background_color: ['bottomBackgroundColor', 'Where a gradient ends'],
  text_color: ['textColor', 'Of names and texts'],
  description_color: ['descriptionColor', 'Of descriptions'],
  background_preference: ['backgroundPreference', 'What is behind the page'],
  background_image_alignment: ['backgroundImageAlignment', 'How the image fills the page'],
  background_image_url: optionalText('URL of an uploaded image'),
  background_image_guid: optionalText('Its guid, which wins over the URL', guidBounds),
  avatar_image_url: optionalText('The picture of the owner: URL of an uploaded image'),
  avatar_image_guid: optionalText('Its guid, which wins over the URL', guidBounds),
  default_button_background_color: ['buttonBackgroundColor', 'Of buttons'],
  default_button_text_color: ['buttonTextColor', 'Of the texts of buttons'],
  default_button_shape: ['buttonShape', 'Of buttons'],
  default_button_shadow: ['buttonShadow', 'Of buttons'],
  default_social_icon_color: ['socialIconColor', 'Of icons of networks'],
  default_social_icon_layout: ['socialIconLayout', 'Of icons of networks'],
  default_social_icon_position: ['socialIconPosition', 'Before or after the blocks'],
} as const satisfies Names<typeof pageFields>

export const SiteAppearance = Type.Object(schemasOf(pageFields, pageNames), { $id: 'SiteAppearance' })
export type AppearanceBody = Static<typeof SiteAppearance>

/** By names on the wire: a field of core with its description, or the schema of one that is none. */
export type Names<Fields = Readonly<Record<string, LookField>>> = Readonly<
  Record<string, readonly [name: keyof Fields & string, description: string] | TSchema>
>

type SchemasOf<Fields extends Readonly<Record<string, LookField>>, All extends Names<Fields>> = {
  [Wire in keyof All]: All[Wire] extends readonly [infer Name extends keyof Fields, string]
    ? TOptional<TUnsafe<Fields[Name]['initial']>>
    : All[Wire]
}

function schemasOf<Fields extends Readonly<Record<string, LookField>>, All extends Names<Fields>>(
  fields: Fields,
  names: All,
): SchemasOf<Fields, All> {
  const schemas = Object.entries(names).map(([wire, named]) => {
    if (!isNamed(named)) return [wire, named]
    const field = fields[named[0]]
    return [wire, field && schemaOf(field, named[1])]
  })
  return Object.fromEntries(schemas) as SchemasOf<Fields, All>
}

export function isNamed(named: Names[string]): named is readonly [string, string] {
  return Array.isArray(named)
}

function schemaOf(field: LookField, description: string): TSchema {
  switch (field.kind) {
    case 'choice':
      return optionalChoice(field.values, description)
    case 'color':
      return optionalText(`${description}, \`#rrggbb\``, bounds({ pattern: '^#[0-9A-Fa-f]{6}$' }))
    case 'flag':
      return optionalFlag(description)
    case 'number':
      return Type.Optional(Type.Integer({ minimum: 0, maximum: field.most, description }))
  }
}

/**
 * Lengths, sizes and shapes that core enforces, as the OpenAPI description tells them. Patterns are written for every
 * regular expression engine; where core is finer than a pattern can be (host names, the calendar), the pattern is wider.
 */
import { linksPerChange } from '../../../core/links/bulk.js'
import { longUrlLimit } from '../../../core/links/long-url.js'
import { tagsPerLink } from '../../../core/links/tags.js'
import { bounds } from '../../http/described.js'

const control = '\\x00-\\x1f\\x7f-\\x9f'
const controlButLines = '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f'

/** Also checked by schemas. */
export const noControls = `^[^${control}]*$`
const notBlank = `^[^${control}]*[^${control}\\s][^${control}]*$`

export const nameBounds = bounds({ minLength: 1, maxLength: 255, pattern: notBlank })
export const labelBounds = bounds({ maxLength: 255, pattern: noControls })
export const descriptionBounds = bounds({ maxLength: 2000, pattern: `^[^${controlButLines}]*$` })
export const titleBounds = bounds({ maxLength: 2048, pattern: noControls })

const scheme = '[Hh][Tt][Tt][Pp][Ss]?://'
export const longUrlBounds = bounds({
  maxLength: longUrlLimit,
  pattern: `^${scheme}[^${control}\\s/?#@\\\\]+([/#][^${control}\\s]*)?$`,
})
/** Where an empty text takes the URL away. */
export const webUrlOrNoneBounds = bounds({
  maxLength: longUrlLimit,
  pattern: `^$|^${scheme}[^${control}/][^${control}]*$`,
})

export const keywordBounds = bounds({ minLength: 1, maxLength: 50, pattern: '^[A-Za-z0-9_-]{1,50}$' })
export const addressBounds = bounds({ pattern: `^(${scheme})?[^/\\s]+/[^/\\s]+$` })
export const customAddressBounds = bounds({ pattern: `^(${scheme})?[^/\\s]+/[A-Za-z0-9_-]{1,50}$` })
export const tagBounds = bounds({ minLength: 1, maxLength: 49, pattern: '^[A-Za-z0-9_-]{1,49}$' })
export const tagListBounds = bounds({ maxItems: tagsPerLink })
export const changedLinksBounds = bounds({ minItems: 1, maxItems: linksPerChange })

const date = '(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const time = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?'
const offset = '(Z|[+ -](0[0-9]|1[0-4]):?[0-5][0-9])'
export const dateBounds = bounds({ pattern: `^${date}$` })
export const timestampBounds = bounds({ pattern: `^${date}T${time}${offset}$` })
/** Where an empty text takes the moment away. */
export const timestampOrNoneBounds = bounds({ pattern: `^$|^${date}T${time}${offset}$` })

export const unitsBounds = bounds({ anyOf: [{ enum: [-1] }, { minimum: 1, maximum: 50_000 }] })
export const zoneBounds = bounds({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' })

export const passwordBounds = bounds({ minLength: 8, maxLength: 256 })
export const phoneBounds = bounds({ pattern: '^[\\s().-]*\\+[\\s().-]*[1-9]([\\s().-]*[0-9]){6,14}[\\s().-]*$' })

const label = `[^${control}\\s/?#@:\\\\%\\[\\]]+`
export const domainBounds = bounds({ minLength: 1, maxLength: 253, pattern: `^${label}(\\.${label})+$` })
export const redirectUriBounds = bounds({
  maxLength: longUrlLimit,
  pattern: `^[A-Za-z][A-Za-z0-9+.-]*:[^${control}\\s#]*$`,
})
export const installUrlBounds = bounds({
  maxLength: longUrlLimit,
  pattern: '^([Hh][Tt][Tt][Pp][Ss]?|[Mm][Aa][Rr][Kk][Ee][Tt]|[Ii][Tt][Mm][Ss]-[Aa][Pp][Pp][Ss][Ss]?)://[!-~]+$',
})

const mailPart = `[^${control}\\s@<>(),;:\\\\"\\[\\]]+`
export const emailBounds = bounds({ maxLength: 254, pattern: `^${mailPart}@${mailPart}\\.${mailPart}$` })

/**
 * Lengths, sizes and patterns that core enforces (http/validation.ts). Patterns work in every regular expression engine:
 * no look-around, no \p, no named groups. Where core is stricter than a pattern can be (host names, the calendar), the
 * pattern accepts more.
 */
import { maxLinkLength } from '../../../core/accounts/applications.js'
import { maxLabelLength } from '../../../core/accounts/tokens.js'
import { domainPattern } from '../../../core/domains/domains.js'
import { linksPerChange } from '../../../core/links/bulk.js'
import { maxDeeplinks, maxDeeplinkTextLength } from '../../../core/links/deeplink.js'
import { maxNoteLength, maxTitleLength } from '../../../core/links/link-fields.js'
import { maxRoutingRules, maxRoutingValues } from '../../../core/links/routing-rule.js'
import { maxQueryLength, maxWordLength, maxWords } from '../../../core/links/search.js'
import { maxTagLength, tagsPerLink } from '../../../core/links/tags.js'
import { maxFilterLength } from '../../../core/metrics/filters.js'
import { maxRedirectUriLength, maxRedirectUris } from '../../../core/sign-in/own-applications.js'
import { backHalf } from '../../../core/values/address.js'
import { domainNameLimit } from '../../../core/values/domain-name.js'
import { guidShape } from '../../../core/values/guid.js'
import { longUrlLimit } from '../../../core/values/long-url.js'
import { maxDescriptionLength, maxNameLength } from '../../../core/values/names.js'
import { bucketLimit } from '../../../core/values/window.js'
import { longestEmail, passwordLength } from '../../../lib/credentials.js'
import { bounds } from '../../http/validation.js'

const control = '\\x00-\\x1f\\x7f-\\x9f'
const controlButLines = '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f'

/** Also enforced by the schemas. */
export const noControls = `^[^${control}]*$`
/** Texts with line breaks. */
export const lines = `^[^${controlButLines}]*$`
const notBlank = `^[^${control}]*[^${control}\\s][^${control}]*$`

export const nameBounds = bounds({ minLength: 1, maxLength: maxNameLength, pattern: notBlank })
/** Of a file that is sent. */
export const fileNameBounds = { maxLength: 255, ...bounds({ minLength: 1, pattern: notBlank }) }
export const labelBounds = bounds({ maxLength: maxLabelLength, pattern: noControls })
export const newLabelBounds = bounds({ minLength: 1, maxLength: maxLabelLength, pattern: noControls })
export const descriptionBounds = bounds({ maxLength: maxDescriptionLength, pattern: lines })
export const noteBounds = bounds({ maxLength: maxNoteLength, pattern: lines })
export const titleBounds = bounds({ maxLength: maxTitleLength, pattern: noControls })
const word = `[^${control}\\s]{1,${maxWordLength}}`
const space = `[^${control}\\S]`
export const queryBounds = bounds(
  { maxLength: maxQueryLength, pattern: `^${space}*(${word}(${space}+${word}){0,${maxWords - 1}})?${space}*$` },
  { pattern: noControls },
)
/** Base64url cursors from responses. */
export const cursorBounds = bounds({ pattern: '^[A-Za-z0-9_-]+$' })
export const destinationBounds = bounds({ maxLength: longUrlLimit })

const scheme = '[Hh][Tt][Tt][Pp][Ss]?://'
export const longUrlBounds = bounds({
  maxLength: longUrlLimit,
  pattern: `^${scheme}[^${control}\\s/?#@\\\\]+([/#][^${control}\\s]*)?$`,
})
/** An empty string removes the URL. */
export const webUrlOrNoneBounds = bounds({
  maxLength: longUrlLimit,
  pattern: `^$|^${scheme}[^${control}/][^${control}]*$`,
})
/** The web page of an OAuth application, shown unchanged on the consent page. */
export const webPageOrNoneBounds = bounds({
  maxLength: maxLinkLength,
  pattern: `^$|^${scheme}[^${control}\\s/][^${control}\\s]*$`,
})

/** The inside of an anchored pattern, to compose others. */
const inside = ({ source }: RegExp) => source.slice(1, -1)

export const keywordBounds = bounds({ minLength: 1, pattern: backHalf.source })
export const addressBounds = bounds({ pattern: `^(${scheme})?${inside(domainPattern)}/${inside(backHalf)}$` })
/** No ASCII character but letters, digits, `-` and `_`. Core also refuses the punctuation and symbols of other scripts. */
export const tagBounds = bounds({
  minLength: 1,
  pattern: `^[^\\x00-,./:-@\\[-\\^\`{-\\x9f]{1,${maxTagLength}}$`,
})
export const tagListDescription = `At most ${tagsPerLink}, each of 1 to ${maxTagLength} letters and digits of any script, \`-\` and \`_\``
export const tagListBounds = bounds({ maxItems: tagsPerLink })
export const changedLinksBounds = bounds({ minItems: 1, maxItems: linksPerChange })

const date = '(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const time = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?'
const offset = '(Z|[+ -](0[0-9]|1[0-4]):?[0-5][0-9])'
export const dateBounds = bounds({ pattern: `^${date}$` })
export const timestampBounds = bounds({ pattern: `^${date}T${time}${offset}$` })
/** An empty string removes the time. */
export const timestampOrNoneBounds = bounds({ pattern: `^$|^${date}T${time}${offset}$` })

export const unitsBounds = bounds({ anyOf: [{ enum: [-1] }, { minimum: 1, maximum: bucketLimit }] })
export const zoneBounds = bounds({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' })
/** Of metrics. */
export const filterBounds = bounds({ maxLength: maxFilterLength, pattern: '^is(_not)?:' })

export const routingListBounds = bounds({ maxItems: maxRoutingRules })
export const conditionListBounds = bounds({ maxItems: maxRoutingValues })

export const passwordBounds = bounds({ minLength: passwordLength.least, maxLength: passwordLength.most })
export const phoneBounds = bounds({ pattern: '^[\\s().-]*\\+[\\s().-]*[1-9]([\\s().-]*[0-9]){6,14}[\\s().-]*$' })

const label = `[^${control}\\s/?#@:\\\\%\\[\\]]+`
/** A final dot is accepted, and not counted. */
export const domainBounds = bounds({
  minLength: 1,
  maxLength: domainNameLimit + 1,
  pattern: `^${label}(\\.${label})+$`,
})
/** A domain that was added before. */
export const ownDomainBounds = bounds({ minLength: 1, pattern: '^[A-Za-z0-9.-]{1,253}$' })
export const redirectUriListBounds = bounds({ maxItems: maxRedirectUris })
export const redirectUriBounds = bounds({
  maxLength: maxRedirectUriLength,
  pattern: `^[A-Za-z][A-Za-z0-9+.-]*:[^${control}\\s#]*$`,
})
export const guidBounds = bounds({ pattern: guidShape.source })
/** An app's guid, package name or bundle id. */
export const appBounds = bounds({
  maxLength: 255,
  pattern: `${guidShape.source}|^[A-Za-z0-9][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)+$`,
})
export const deeplinkListBounds = bounds({ maxItems: maxDeeplinks })
export const appPathBounds = bounds({ maxLength: maxDeeplinkTextLength, pattern: noControls })
export const installUrlBounds = bounds({
  maxLength: maxDeeplinkTextLength,
  pattern: '^([Hh][Tt][Tt][Pp][Ss]?|[Mm][Aa][Rr][Kk][Ee][Tt]|[Ii][Tt][Mm][Ss]-[Aa][Pp][Pp][Ss][Ss]?)://[!-~]+$',
})

const mailPart = `[^${control}\\s@<>(),;:\\\\"\\[\\]]+`
export const emailBounds = bounds({ maxLength: longestEmail, pattern: `^${mailPart}@${mailPart}\\.${mailPart}$` })

/** The kinds of content of static QR codes (docs/api/qr-codes.md#kinds-of-content). */
import { type Static, type TSchemaOptions, Type } from 'typebox'
import { maxContentLength, type QrContent } from '../../../core/qr-contents/content.js'
import { maxLineLength, maxNoteLength } from '../../../core/qr-contents/fields.js'
import { wifiSecurities } from '../../../core/qr-contents/wifi.js'
import { bounds } from '../../http/validation.js'
import { emailBounds, longUrlBounds } from './bounds.js'

const number = bounds({ maxLength: 40, pattern: '^[0-9\\s()./+-]+$' })
const line = (options: TSchemaOptions = {}) =>
  Type.Optional(Type.String({ ...bounds({ maxLength: maxLineLength }), ...options }))
const note = (options: TSchemaOptions = {}) =>
  Type.Optional(Type.String({ ...bounds({ maxLength: maxNoteLength }), ...options }))
const optionalPhone = () => Type.Optional(Type.String(number))
const optionalUrl = () => Type.Optional(Type.String(longUrlBounds))
const textBounds = bounds({ minLength: 1, maxLength: maxContentLength })

const Wifi = Type.Object(
  {
    ssid: Type.String({ ...bounds({ minLength: 1, maxLength: 32 }), description: 'Name of the network' }),
    security: Type.Optional(
      Type.String({
        ...bounds({ enum: wifiSecurities }),
        default: 'wpa',
        description: '`wpa` means WPA, WPA2 and WPA3; `none` is an open network',
      }),
    ),
    password: Type.Optional(Type.String({ ...bounds({ minLength: 5, maxLength: 64 }) })),
    hidden: Type.Optional(Type.Boolean({ description: 'The network does not announce its name' })),
  },
  { description: 'A wireless network to join' },
)

const VCard = Type.Object(
  {
    first_name: line(),
    last_name: line(),
    organization: line(),
    job_title: line(),
    mobile: optionalPhone(),
    work_phone: optionalPhone(),
    home_phone: optionalPhone(),
    fax: optionalPhone(),
    email: Type.Optional(Type.String(emailBounds)),
    url: optionalUrl(),
    address: Type.Optional(
      Type.Object({ street: line(), city: line(), region: line(), postal_code: line(), country: line() }),
    ),
    note: note(),
  },
  { description: 'A contact (vCard 3.0); needs a name or an organization' },
)

const moment = 'A timestamp such as `2026-01-31T18:00:00+0100`, or a date for a whole day'

const Event = Type.Object(
  {
    title: Type.String(bounds({ minLength: 1, maxLength: maxLineLength })),
    start: Type.String({ description: moment }),
    end: Type.Optional(Type.String({ description: 'As the start; of whole days the last one' })),
    location: line(),
    description: note(),
    url: optionalUrl(),
  },
  { description: 'An appointment (iCalendar)' },
)

export const StaticContent = Type.Union(
  [
    Type.String({ ...textBounds, description: 'A text, as it is' }),
    Type.Object(
      {
        text: Type.Optional(Type.String({ ...textBounds, description: 'A text, as it is' })),
        url: optionalUrl(),
        wifi: Type.Optional(Wifi),
        v_card: Type.Optional(VCard),
        email: Type.Optional(
          Type.Object(
            { address: Type.String(emailBounds), subject: line(), body: note() },
            { description: 'A message to write' },
          ),
        ),
        phone: Type.Optional(Type.String({ ...number, description: 'A number to call' })),
        sms: Type.Optional(
          Type.Object({ number: Type.String(number), message: note() }, { description: 'A text message to send' }),
        ),
        geo: Type.Optional(
          Type.Object(
            {
              latitude: Type.Number(bounds({ minimum: -90, maximum: 90 })),
              longitude: Type.Number(bounds({ minimum: -180, maximum: 180 })),
            },
            { description: 'A place, in degrees' },
          ),
        ),
        event: Type.Optional(Event),
      },
      { description: 'Exactly one of these' },
    ),
  ],
  { description: 'What scanners read: a text, or one of several kinds of content' },
)

export function contentFrom(sent: Static<typeof StaticContent>): string | QrContent {
  if (typeof sent === 'string') return sent
  const { text, url, wifi, v_card, email, phone, sms, geo, event } = sent
  return { text, url, wifi, vCard: v_card && vCardFrom(v_card), email, phone, sms, geo, event }
}

function vCardFrom(sent: Static<typeof VCard>): QrContent['vCard'] {
  const { first_name: firstName, last_name: lastName, job_title: jobTitle, organization } = sent
  const { mobile, work_phone: workPhone, home_phone: homePhone, fax, email, url, note } = sent
  const { postal_code: postalCode, ...address } = sent.address ?? {}
  const names = { firstName, lastName, jobTitle, organization }
  return { ...names, mobile, workPhone, homePhone, fax, email, url, note, address: { ...address, postalCode } }
}

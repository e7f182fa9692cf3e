import { Type } from 'typebox'
import { guidBounds } from './bounds.js'

const described = (description: string) => Type.String({ description })

/** What the parameters of paths are. A route declares one itself where the name means something else there. */
const parameters: Readonly<Record<string, ReturnType<typeof Type.String>>> = {
  campaign_guid: described('Guid of the campaign'),
  channel_guid: described('Guid of the channel'),
  // The id of a short link is two segments; `%2F` between them works too.
  domain: described('Domain of the short link'),
  group_guid: described('Guid of the group'),
  hash: described('Hash or custom back-half; case-sensitive'),
  image_guid: described('Guid of the image'),
  job_guid: described('Guid of the job'),
  keyword: described('Custom back-half; case-sensitive'),
  login: Type.String({ description: 'Login of the member', examples: ['ben'] }),
  organization_guid: described('Guid of the organization'),
  block_id: Type.String({ description: 'Id of the block', examples: ['Lq7Wd2Jh5Ng'] }),
  qrcode_id: Type.String({ ...guidBounds, description: 'Id of the QR code' }),
  site_id: Type.String({ description: 'Guid of the site', examples: ['Mq7Wd2Jh5Ng'] }),
  webhook_guid: Type.String({ examples: ['Wk2Hs9Rt4Vb'] }),
}

/** The schema of the parameters in a path; undefined if it has none. */
export function pathSchema(path: string, own: object = {}) {
  const names = [...path.matchAll(/\/:(\w+)/g)].map(([, name = '']) => name)
  if (names.length === 0) return undefined
  const known = { ...parameters, ...own }
  return Type.Object(Object.fromEntries(names.map((name) => [name, known[name] ?? Type.String()])))
}

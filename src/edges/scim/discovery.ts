/** What this service can do of SCIM (RFC 7643, 5 to 7). */

import { longestPage } from './requests.js'
import { groupSchema, userSchema } from './resources.js'

const core = 'urn:ietf:params:scim:schemas:core:2.0'
const off = { supported: false }

export function serviceProviderConfig(base: string): object {
  return {
    schemas: [`${core}:ServiceProviderConfig`],
    documentationUri: new URL('/docs', base).href,
    patch: { supported: true },
    bulk: { ...off, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: longestPage },
    changePassword: off,
    sort: off,
    etag: off,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The token of the option scimToken',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

export function resourceTypes(base: string): readonly { readonly id: string }[] {
  const type = (id: string, schema: string) => ({
    schemas: [`${core}:ResourceType`],
    id,
    name: id,
    endpoint: `/${id}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${id}` },
  })
  return [type('User', userSchema), type('Group', groupSchema)]
}

export function schemas(base: string): readonly { readonly id: string }[] {
  const schema = (id: string, name: string, attributes: readonly object[]) => ({
    schemas: [`${core}:Schema`],
    id,
    name,
    attributes,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  })
  return [
    schema(userSchema, 'User', [
      attribute('userName', 'string', { required: true, uniqueness: 'server' }),
      attribute('externalId', 'string', { caseExact: true, uniqueness: 'server' }),
      attribute('displayName', 'string'),
      attribute('name', 'complex', {
        subAttributes: ['formatted', 'givenName', 'familyName'].map((name) => attribute(name, 'string')),
      }),
      attribute('emails', 'complex', {
        multiValued: true,
        subAttributes: [attribute('value', 'string'), attribute('type', 'string'), attribute('primary', 'boolean')],
      }),
      attribute('active', 'boolean'),
    ]),
    schema(groupSchema, 'Group', [
      attribute('displayName', 'string', { required: true, uniqueness: 'server' }),
      attribute('externalId', 'string', { caseExact: true, uniqueness: 'server' }),
      attribute('members', 'complex', {
        multiValued: true,
        subAttributes: [
          attribute('value', 'string', { mutability: 'immutable', caseExact: true }),
          attribute('$ref', 'reference', { mutability: 'readOnly', referenceTypes: ['User'] }),
          attribute('type', 'string', { mutability: 'readOnly' }),
        ],
      }),
    ]),
  ]
}

function attribute(name: string, type: string, more: object = {}): object {
  const usual = { multiValued: false, required: false, caseExact: false, mutability: 'readWrite', returned: 'default' }
  return { name, type, ...usual, uniqueness: 'none', ...more }
}

import type { people } from '../texts/people.js'
import type { components } from './schema.js'

type Schemas = components['schemas']

export type ShortLink = Schemas['ShortLink']
export type Group = Schemas['Group']
export type User = Schemas['User']
export type Campaign = Schemas['Campaign']
export type BrandedDomain = Schemas['BrandedDomain']
export type QrCode = Schemas['QrCode']
export type Webhook = Schemas['Webhook']
export type QrCodeDetails = Schemas['QrCodeDetails']
export type QrDesign = QrCodeDetails['render_customizations']

export type Scope = 'all' | keyof typeof people.account.tokenForm.scopeNames

export interface Token {
  readonly guid: string
  readonly label: string
  readonly hint: string
  readonly created: string
  readonly last_used_at?: string
  /** The application that holds it; absent for the person's own tokens. */
  readonly client_id?: string
  readonly scopes: readonly Scope[]
  /** The only groups that it reaches; absent for all. */
  readonly group_guids?: readonly string[]
  /** The only domains whose links it reaches; absent for all. */
  readonly domains?: readonly string[]
  readonly expiration_at?: string
  /** The token that it was rotated to. */
  readonly replaced_by?: string
}

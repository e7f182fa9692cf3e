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

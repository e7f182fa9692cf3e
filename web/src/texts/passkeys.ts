import { passkeysDe } from './passkeys-de.js'
import { passkeysEn } from './passkeys-en.js'
import { inLanguage } from './texts.js'

export type PasskeyTexts = typeof passkeysEn

export const passkeyTexts: PasskeyTexts = inLanguage({ en: passkeysEn, de: passkeysDe })

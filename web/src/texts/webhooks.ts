import { inLanguage } from './texts.js'
import { webhooksDe } from './webhooks-de.js'
import { webhooksEn } from './webhooks-en.js'

export type WebhookTexts = typeof webhooksEn

export const webhookTexts: WebhookTexts = inLanguage({ en: webhooksEn, de: webhooksDe })

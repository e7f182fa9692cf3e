import { campaignsDe } from './campaigns-de.js'
import { campaignsEn } from './campaigns-en.js'
import { inLanguage } from './texts.js'

export type CampaignTexts = typeof campaignsEn

export const campaignTexts: CampaignTexts = inLanguage({ en: campaignsEn, de: campaignsDe })

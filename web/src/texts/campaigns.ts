import { campaignsDe } from './campaigns-de.js'
import { campaignsEn } from './campaigns-en.js'
import { preferredLanguage } from './texts.js'

export type CampaignTexts = typeof campaignsEn

export const campaignTexts: CampaignTexts = preferredLanguage() === 'de' ? campaignsDe : campaignsEn

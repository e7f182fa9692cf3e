/**
 * Which operations are open to the tokens of applications (docs/api/identity.md#what-applications-may-do). An application
 * works with the contents of groups. It gets no credentials, changes no account and administers nothing, so nothing that
 * it did gives it access or events after its authorization was revoked. What is not listed here is refused.
 */
import type { FastifySchema } from 'fastify'

/** Tags of which every GET is open. */
const readableTags: ReadonlySet<string> = new Set([
  ...['Links', 'Custom short links', 'QR codes', 'Bulk', 'Campaigns', 'Channels', 'Images', 'UTM templates'],
  ...['Views', 'Annotations', 'Metrics', 'Groups', 'Domains', 'Mobile apps'],
])

const openOperations: ReadonlySet<string> = new Set([
  // Reads without lasting value: no credentials, no URLs of receivers, no people but the user.
  ...['getUser', 'getPlatformLimits', 'getApp', 'getService'],
  ...['listOrganizations', 'getOrganization', 'getPlanLimits', 'getStreamAccess'],
  ...['getOrganizationShortenCounts', 'getOrganizationShortenCountsByGroup'],
  // Reads that need a body.
  ...['batchGet', 'expand', 'getClicksOfShortlinks', 'getSiteIcons'],
  ...['createExport', 'createStaticQrCode', 'previewQrCode'],
  // Contents of a group. They stay, belong to the group, and give the application nothing.
  ...['shorten', 'createShortlink', 'updateShortlink', 'restoreShortlink', 'deleteShortlink', 'updateGroupShortlinks'],
  ...['createCustomShortlink', 'updateCustomShortlink'],
  ...['createQrCode', 'updateQrCode', 'deleteQrCode', 'redirectQrCode', 'coupleQrCode', 'updateGroupQrCodes'],
  ...['createShortlinkQrCode', 'updateShortlinkQrCode'],
  ...['createCampaign', 'updateCampaign', 'deleteCampaign', 'createChannel', 'updateChannel', 'deleteChannel'],
  'addChannelShortlinks',
  ...['updateGroupTag', 'deleteGroupTag'],
  ...['createImage', 'updateImage', 'deleteImage', 'createUtmTemplate', 'updateUtmTemplate', 'deleteUtmTemplate'],
  ...['createView', 'updateView', 'deleteView', 'createAnnotation', 'updateAnnotation', 'deleteAnnotation'],
  // A job ends with the authorization of the application that added it (run-jobs.ts).
  ...['bulkShorten', 'createBulkJob', 'cancelBulkJob', 'deleteBulkJob'],
])

export function isOpenToApplications(method: string, { operationId = '', tags = [] }: FastifySchema): boolean {
  return openOperations.has(operationId) || (method === 'GET' && tags.some((tag) => readableTags.has(tag)))
}

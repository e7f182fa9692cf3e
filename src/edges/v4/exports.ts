import { type Static, Type } from 'typebox'
import {
  type Export,
  type ExportDeps,
  type ExportedLink,
  type ExportFilter,
  type ExportType,
  exportLinks,
  exportTypes,
  maxRows,
  maxRowsWithMetrics,
  maxShortlinks,
} from '../../core/exports/export.js'
import { type CsvCell, csvText } from '../../lib/csv.js'
import { absent, bounds, present, together } from '../http/described.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember } from './access.js'
import { type PresentDeps, presentLink, shortUrl, timestamp } from './present.js'
import { route } from './route.js'
import { addressBounds, noControls, queryBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { GroupPath } from './schemas/group.js'

export interface ExportRouteDeps extends ExportDeps {
  readonly config: { readonly baseUrl: string }
}

/** Our choice, as in the list of links: until the end of the year 9999, so that milliseconds are noticed. */
function moment(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }))
}

function text(description: string, more = {}) {
  return Type.Optional(Type.String({ pattern: noControls, ...more, description }))
}

const Filter = Type.Object(
  {
    tags: Type.Optional(Type.Array(Type.String({ pattern: noControls }), { description: 'All of these' })),
    domain: text('On this domain'),
    archived: Type.Optional(
      Type.Enum(['on', 'off', 'both'], { type: 'string', default: 'off', description: 'Archived links' }),
    ),
    query: text(
      'Words that occur in the title, the long URL, a back-half or a tag; all of them, in any case',
      queryBounds,
    ),
    created_after: moment('Made at this moment or later, in epoch seconds'),
    created_before: moment('Made before this moment, in epoch seconds'),
    campaign_guid: text('Links that a campaign carries; not for `qr_codes_list`'),
  },
  { description: 'What to export; needed for the two lists, and {} is everything' },
)

const ExportBody = Type.Object(
  {
    export_type: Type.Enum([...exportTypes], {
      type: 'string',
      description:
        '`link_engagements_batch`: engagements of the short links named or filtered; `links_list`, `qr_codes_list`: ' +
        'what there is, newest first',
    }),
    shortlinks: Type.Optional(
      Type.Array(Type.String(addressBounds), {
        ...bounds({ minItems: 1, maxItems: maxShortlinks }),
        description: `For \`link_engagements_batch\`, instead of a filter: ids of 1 to ${maxShortlinks} short links`,
      }),
    ),
    filter: Type.Optional(Filter),
    unix_from: moment('Engagements from this moment on, in epoch seconds; by default the last thirty days'),
    unix_to: moment('Engagements before this moment, in epoch seconds'),
    include_metrics: Type.Optional(
      Type.Boolean({ default: false, description: 'For the two lists: adds the columns of engagements' }),
    ),
  },
  together(
    { export_type: { enum: ['link_engagements_batch'] }, shortlinks: present('array'), filter: absent },
    { filter: present('object'), shortlinks: absent },
  ),
)

const ExportResult = Type.Object(
  {
    export_type: Type.String(),
    filename: Type.String({ description: 'What to call the file' }),
    media_type: Type.String({ description: '`text/csv`' }),
    data_uri: Type.String({ description: 'The CSV, as a base64 data URI' }),
    row_count: Type.Integer({ description: 'Rows besides the header' }),
    column_count: Type.Integer(),
    size_bytes: Type.Integer({ description: 'Bytes of the CSV itself' }),
    unix_from: Type.Optional(Type.Integer({ description: 'Only where engagements are counted' })),
    unix_to: Type.Optional(Type.Integer({ description: 'Only where engagements are counted' })),
    columns: Type.Array(Type.String()),
    truncated: Type.Boolean({ description: 'There are more than were exported' }),
  },
  { description: 'The export' },
)

export function exportRoutes(http: TypedFastify, deps: ExportRouteDeps): void {
  route(http, 'POST /v4/groups/:group_guid/exports', {
    access: groupMember,
    schema: {
      operationId: 'createExport',
      tags: ['Groups'],
      summary: 'Export short links and their engagements as CSV',
      description:
        `At most ${maxRows} rows, ${maxRowsWithMetrics} with engagements, the newest first; \`truncated\` tells when ` +
        'there are more. Text that a spreadsheet would take for a formula has an apostrophe in front.',
      params: GroupPath,
      body: ExportBody,
      response: { 200: ExportResult, ...refusals(400, 402, 403, 404, 406, 413, 422) },
    },
    answer: async (request) => {
      const { export_type, shortlinks, filter, unix_from, unix_to, include_metrics } = request.body
      const { group_guid } = request.params
      const exported = await exportLinks(deps, request.actor, group_guid, {
        exportType: export_type,
        shortlinks,
        filter: filter && filterFrom(filter),
        unixFrom: unix_from,
        unixTo: unix_to,
        includeMetrics: include_metrics,
      })
      return presentExport(export_type, group_guid, exported, deps)
    },
  })
}

function filterFrom(filter: Static<typeof Filter>): ExportFilter {
  const { tags, domain, archived = 'off', query, created_after, created_before, campaign_guid } = filter
  return {
    tags,
    domain,
    archived: archived === 'both' ? undefined : archived === 'on',
    query,
    createdAfter: created_after,
    createdBefore: created_before,
    campaignGuid: campaign_guid,
  }
}

const engagementColumns = ['clicks', 'scans', 'button_clicks']
const columnsOf: Readonly<Record<ExportType, readonly string[]>> = {
  link_engagements_batch: ['id', 'link', 'long_url', 'title', 'created_at', 'engagements', ...engagementColumns],
  links_list: [
    'id',
    'link',
    'long_url',
    'title',
    'created_at',
    'created_by',
    'archived',
    'tags',
    'custom_shortlinks',
    'campaign_ids',
    'expiration_at',
  ],
  qr_codes_list: [
    'qrcode_id',
    'title',
    'qr_code_type',
    'shortlink_id',
    'long_urls',
    'created',
    'created_by',
    'archived',
    'tags',
    'expiration_at',
  ],
}

function presentExport(
  type: ExportType,
  groupGuid: string,
  { at, rows, truncated, window }: Export,
  deps: PresentDeps,
): Static<typeof ExportResult> {
  const own = columnsOf[type]
  const columns = window ? [...new Set([...own, ...engagementColumns])] : own
  const lines = rows.map((exported) => {
    const row = rowFrom(exported, deps)
    return columns.map((column) => row[column] ?? '')
  })
  const csv = Buffer.from(csvText(columns.join(','), lines))
  return {
    export_type: type,
    filename: `${type}-${groupGuid}-${timestamp(at).slice(0, 19).replaceAll(/\D/g, '')}.csv`,
    media_type: 'text/csv',
    data_uri: `data:text/csv;base64,${csv.toString('base64')}`,
    row_count: rows.length,
    column_count: columns.length,
    size_bytes: csv.length,
    ...(window && { unix_from: window.unixFrom, unix_to: window.unixTo }),
    columns: [...columns],
    truncated,
  }
}

/** By column. Several values in one cell are separated by semicolons, which neither tags nor addresses can hold. */
function rowFrom({ address, link, engagements }: ExportedLink, deps: PresentDeps): Readonly<Record<string, CsvCell>> {
  const shown = presentLink(link, deps)
  const { click = 0, scan = 0, button = 0 } = engagements ?? {}
  return {
    id: deps.domains.shown(address),
    link: shortUrl(address, deps),
    long_url: shown.long_url,
    title: shown.title ?? '',
    created_at: shown.created_at,
    created_by: link.createdBy,
    archived: String(shown.archived),
    tags: shown.tags.join(';'),
    custom_shortlinks: shown.custom_shortlinks.join(';'),
    campaign_ids: shown.campaign_ids.join(';'),
    expiration_at: shown.expiration_at ?? '',
    engagements: click + scan + button,
    clicks: click,
    scans: scan,
    button_clicks: button,
  }
}

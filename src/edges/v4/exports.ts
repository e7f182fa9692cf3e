import { type Static, Type } from 'typebox'
import {
  type Export,
  type ExportDeps,
  type ExportedRow,
  type ExportFilter,
  type ExportType,
  exportRows,
  exportTypes,
  maxRows,
  maxRowsWithMetrics,
  maxShortlinks,
} from '../../core/exports/export.js'
import type { Link } from '../../core/links/link.js'
import type { QrCode } from '../../core/qr-codes/qr-code.js'
import { timestamp } from '../../core/values/time.js'
import { type CsvCell, csvRow, csvText } from '../../lib/csv.js'
import { type NameInWord, namesFor } from '../http/link-words.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { groupMember } from './access.js'
import { type PresentDeps, presentLink, shortUrl } from './present.js'
import { presentQrCode } from './present-qr-code.js'
import { type BaseUrlDeps, route } from './route.js'
import { addressBounds, noControls, queryBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { optionalFlag } from './schemas/fields.js'
import { shownLinkFields } from './schemas/link-fields.js'
import { epochSeconds, text } from './schemas/lists.js'

export type ExportRouteDeps = ExportDeps & BaseUrlDeps

const Filter = Type.Object(
  {
    tags: Type.Optional(
      Type.Array(Type.String({ pattern: noControls }), { description: 'Links with all of these tags' }),
    ),
    domain: text('Links on this domain'),
    archived: Type.Optional(
      Type.Enum(['on', 'off', 'both'], {
        type: 'string',
        default: 'off',
        description: '`on`: only archived links, `off`: only links that are not archived, `both`: all',
      }),
    ),
    query: text(
      'Full-text search: links with all of these words in title, long URL, note, back-halves or tags; case-insensitive',
      queryBounds,
    ),
    created_after: epochSeconds('Created at or after this time, in epoch seconds'),
    created_before: epochSeconds('Created before this time, in epoch seconds'),
    campaign_guid: text('Links in this campaign; not for `qr_codes_list`'),
  },
  { description: 'Which links to export; required for `links_list` and `qr_codes_list`. Send {} for all' },
)

const ExportBody = Type.Object(
  {
    export_type: Type.Enum([...exportTypes], {
      type: 'string',
      description:
        '`link_engagements_batch`: engagements of the given or filtered short links; `links_list`, `qr_codes_list`: ' +
        'all links or QR codes that match the filter, newest first',
    }),
    shortlinks: Type.Optional(
      Type.Array(Type.String(addressBounds), {
        ...bounds({ minItems: 1, maxItems: maxShortlinks }),
        description: `For \`link_engagements_batch\`, instead of \`filter\`: ids of 1 to ${maxShortlinks} short links`,
      }),
    ),
    filter: Type.Optional(Filter),
    unix_from: epochSeconds('Engagements at or after this time, in epoch seconds; by default the last 30 days'),
    unix_to: epochSeconds('Engagements before this time, in epoch seconds'),
    include_metrics: optionalFlag('For `links_list` and `qr_codes_list`: add columns with engagements', {
      default: false,
    }),
  },
  {
    examples: [{ export_type: 'links_list', filter: { tags: ['autumn'], archived: 'both' }, include_metrics: true }],
  },
)

const ExportResult = Type.Object(
  {
    export_type: Type.String(),
    filename: Type.String({ description: 'Suggested file name' }),
    media_type: Type.String({ description: '`text/csv`' }),
    data_uri: Type.String({ description: 'The CSV as a base64 data URI' }),
    row_count: Type.Integer({ description: 'Number of rows without the header' }),
    column_count: Type.Integer(),
    size_bytes: Type.Integer({ description: 'Size of the CSV in bytes' }),
    unix_from: Type.Optional(Type.Integer({ description: 'Present if the export has engagements' })),
    unix_to: Type.Optional(Type.Integer({ description: 'Present if the export has engagements' })),
    columns: Type.Array(Type.String()),
    truncated: Type.Boolean({ description: 'True if more rows match than were exported' }),
  },
  { description: 'The export' },
)

export function exportRoutes(http: TypedFastify, deps: ExportRouteDeps): void {
  route(http, 'Groups', 'createExport: POST /v4/groups/:group_guid/exports', {
    scope: 'exports',
    access: groupMember,
    summary: 'Export short links and their engagements as CSV',
    description:
      `At most ${maxRows} rows, ${maxRowsWithMetrics} with engagements, newest first; \`truncated\` says whether ` +
      'more rows match. Text that a spreadsheet would run as a formula is prefixed with an apostrophe.',
    body: ExportBody,
    response: { 200: ExportResult, ...refusals(402, 404) },
    answer: async (request) => {
      const { export_type, shortlinks, filter, unix_from, unix_to, include_metrics } = request.body
      const { group_guid } = request.params
      const exported = await exportRows(deps, request.actor, group_guid, {
        exportType: export_type,
        shortlinks,
        filter: filter && filterFrom(filter),
        unixFrom: unix_from,
        unixTo: unix_to,
        includeMetrics: include_metrics,
      })
      return presentExport(export_type, group_guid, exported, deps, namesFor(request))
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
    ...Object.keys(shownLinkFields).filter((name) => name !== 'title'),
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
  inWord: NameInWord,
): Static<typeof ExportResult> {
  const own = columnsOf[type]
  const columns = window ? withEngagements(own) : own
  const lines = rows.map((exported) => {
    const row = rowFrom(exported, deps, inWord)
    return columns.map((column) => row[column] ?? '')
  })
  const csv = Buffer.from(csvText(columns.map(inWord).join(','), lines))
  return {
    export_type: type,
    filename: `${type}-${groupGuid}-${timestamp(at).slice(0, 19).replaceAll(/\D/g, '')}.csv`,
    media_type: 'text/csv',
    data_uri: `data:text/csv;base64,${csv.toString('base64')}`,
    row_count: rows.length,
    column_count: columns.length,
    size_bytes: csv.length,
    ...(window && { unix_from: window.unixFrom, unix_to: window.unixTo }),
    columns: columns.map(inWord),
    truncated,
  }
}

function withEngagements(columns: readonly string[]): readonly string[] {
  return [...new Set([...columns, ...engagementColumns])]
}

/** Of an export of links in the background. */
export function linkColumns(includeMetrics: boolean): readonly string[] {
  return includeMetrics ? withEngagements(columnsOf.links_list) : columnsOf.links_list
}

/** A row with these columns, as CSV. */
export function linkLine(row: ExportedRow, deps: PresentDeps): string {
  const cells = rowFrom(row, deps, (name) => name)
  return csvRow(linkColumns(row.engagements !== undefined).map((column) => cells[column] ?? ''))
}

/**
 * One CSV row by column name. Values in one cell are separated by semicolons, which neither tags nor ids can contain;
 * long URLs by spaces.
 */
function rowFrom(row: ExportedRow, deps: PresentDeps, inWord: NameInWord): Readonly<Record<string, CsvCell>> {
  const { click = 0, scan = 0, button = 0 } = row.engagements ?? {}
  return {
    ...('link' in row ? linkCells(row.address, row.link, deps) : codeCells(row.code, deps, inWord)),
    engagements: click + scan + button,
    clicks: click,
    scans: scan,
    button_clicks: button,
  }
}

function linkCells(address: string, link: Link, deps: PresentDeps): Readonly<Record<string, CsvCell>> {
  const cells = Object.entries(presentLink(link, deps)).map(([name, value]) => [name, cellOf(value)])
  return { ...Object.fromEntries(cells), id: deps.domains.shown(address), link: shortUrl(address, deps) }
}

function cellOf(value: unknown): string {
  return Array.isArray(value) ? value.join(';') : String(value)
}

function codeCells(code: QrCode, deps: PresentDeps, inWord: NameInWord): Readonly<Record<string, CsvCell>> {
  const shown = presentQrCode(code, deps)
  return {
    qrcode_id: shown.qrcode_id,
    title: shown.title ?? '',
    qr_code_type: inWord(shown.qr_code_type),
    shortlink_id: shown.shortlink_id,
    long_urls: shown.long_urls.join(' '),
    created: shown.created,
    created_by: shown.created_by,
    archived: String(shown.archived),
    tags: shown.tags.join(';'),
    expiration_at: shown.expiration_at ?? '',
  }
}

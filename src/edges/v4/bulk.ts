/** Many links in one request (docs/api/bulk.md#shorten). */
import { type Static, Type } from 'typebox'
import { isWriter, requireWriter } from '../../core/accounts/actor.js'
import { type CreateLinksDeps, createLinks, type NewLinkRow, type RowResult } from '../../core/bulk/create-links.js'
import {
  firstRows,
  newLinkColumns,
  newLinkRow,
  type ReadTable,
  type RowDefaults,
  requireColumns,
} from '../../core/bulk/table-rows.js'
import { invalid, Refusal } from '../../core/values/refusal.js'
import { isObject } from '../../lib/is-object.js'
import { CsvBody, csvType, readCsvBodies } from '../http/csv-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, checkWith, withoutEmptyStrings } from '../http/validation.js'
import { textIn } from './access.js'
import { answerV4, refusalOf } from './errors.js'
import { type PresentDeps, presentShortened } from './present.js'
import { type RouteRequest, route } from './route.js'
import { keywordBounds, longUrlBounds, tagBounds, tagListBounds } from './schemas/bounds.js'
import { ErrorBody } from './schemas/error.js'
import { named, optionalFlag, optionalText } from './schemas/fields.js'
import { linkInputFrom, sentLinkFields } from './schemas/link-fields.js'
import { ShortenedLink } from './schemas/short-link.js'

export interface BulkRouteDeps extends CreateLinksDeps, PresentDeps {
  readonly readTable: ReadTable
}

/** More are a job. */
const rowsPerRequest = 1000
const bodyLimit = 8 * 1024 * 1024

const Row = Type.Object({
  long_url: Type.String({ ...longUrlBounds, description: 'Destination' }),
  domain: Type.Optional(Type.String({ description: 'A short domain; by default that of the request' })),
  group_guid: Type.Optional(Type.String({ description: 'By default that of the request' })),
  keyword: Type.Optional(Type.String({ ...keywordBounds, description: 'Custom back-half' })),
  ...sentLinkFields,
  tags: Type.Optional(Type.Array(Type.String(tagBounds), tagListBounds)),
  force_new_link: optionalFlag('Create a new link even if the group has one for this URL'),
})

const Defaults = {
  group_guid: optionalText('Group of rows that name none; your default group by default'),
  domain: optionalText('Domain of rows that name none; the one their group prefers by default'),
  strict: optionalFlag(
    'Refuse rows whose `keyword` is taken. Otherwise their links get a random back-half, and a note',
    { default: false },
  ),
}

const BulkBody = Type.Object(
  {
    // Each row is checked alone: a wrong one must not cost the others.
    links: Type.Array(Type.Unknown(), {
      ...bounds({ items: Row, minItems: 1, maxItems: rowsPerRequest }),
      description: `1 to ${rowsPerRequest} links`,
    }),
    ...Defaults,
  },
  {
    examples: [
      {
        links: [
          { long_url: 'https://www.example.com/sale', keyword: 'autumn', title: 'Autumn sale', tags: ['autumn'] },
          { long_url: 'https://www.example.com/contact' },
        ],
      },
    ],
  },
)

const RowAnswer = Type.Object({
  status: Type.Integer({ description: 'What a request for this link alone would have answered' }),
  link: Type.Optional(named(ShortenedLink, 'The link, unless the row was refused')),
  note: Type.Optional(Type.String({ description: 'What is different from what was asked for' })),
  error: Type.Optional(named(ErrorBody, 'Why the row was refused')),
})

const BulkAnswer = Type.Object(
  {
    created: Type.Integer({ description: 'New links' }),
    existing: Type.Integer({ description: 'Links that the group had already' }),
    refused: Type.Integer({ description: 'Rows with an error' }),
    results: Type.Array(RowAnswer, { description: 'One for each row, in the same order' }),
  },
  { description: 'The result of each row' },
)

export function bulkRoutes(http: TypedFastify, deps: BulkRouteDeps): void {
  http.register(async (uploads: TypedFastify) => {
    readCsvBodies(uploads)
    route(uploads, 'Bulk', 'bulkShorten: POST /v4/bulk/shorten', {
      scope: 'links:create',
      access: writerOfRows,
      bodyLimit,
      config: { contentTypes: ['application/json', csvType] },
      summary: 'Create many links',
      description:
        `Up to ${rowsPerRequest} links, as JSON or as CSV with a header. Answers 200 with one result for each row: its link, ` +
        'or the error that a request for this link alone would have got. A row that is refused costs no other row. The ' +
        'whole request counts as one request.',
      querystring: Type.Object(Defaults),
      body: {
        content: {
          'application/json': { schema: BulkBody },
          [csvType]: { schema: Type.Unsafe<CsvBody>(bounds({ type: 'string' })) },
        },
      },
      response: {
        200: BulkAnswer,
        413: named(ErrorBody, 'The body is larger than 8 MiB'),
        415: named(ErrorBody, 'The body is neither JSON nor CSV'),
        422: named(
          ErrorBody,
          'The body cannot be read; `description` says where. Or the `Idempotency-Key` was used for another request',
        ),
      },
      idempotent: true,
      answer: async ({ actor, body, query }) => {
        const { rows, strict = false } = await readBody(deps, query, body as CsvBody | Static<typeof BulkBody>)
        if (rows.length === 0 || rows.length > rowsPerRequest) {
          throw invalid('links', `Send 1 to ${rowsPerRequest} links. More are a job: POST /v4/bulk/jobs.`)
        }
        return presentResults(await createLinks(deps, actor, rows, { strict }), deps)
      },
    })
  })
}

/**
 * Those who may write to the group that the request names, or else to their default group. Where rows name groups of their
 * own, to any group: then each row is checked.
 */
function writerOfRows({ actor, body, query }: RouteRequest): void {
  const groupGuid = textIn(body, 'group_guid') || textIn(query, 'group_guid')
  const writesSomewhere = actor.groups.some(isWriter)
  if (!groupGuid && writesSomewhere && mayNameGroups(body)) return
  requireWriter(actor, groupGuid || actor.defaultGroupGuid)
}

/** Of a table, only the rows will tell. */
function mayNameGroups(body: unknown): boolean {
  if (body instanceof CsvBody) return true
  const links = isObject(body) ? body.links : undefined
  return Array.isArray(links) && links.some((row) => textIn(row, 'group_guid'))
}

interface Defaulted {
  readonly group_guid?: string | undefined
  readonly domain?: string | undefined
  readonly strict?: boolean | undefined
}

interface ReadBody {
  readonly rows: readonly (NewLinkRow | Refusal)[]
  readonly strict: boolean | undefined
}

/** What the body says about all rows wins over the query. */
async function readBody(
  deps: BulkRouteDeps,
  query: Defaulted,
  body: CsvBody | Static<typeof BulkBody>,
): Promise<ReadBody> {
  if (body instanceof CsvBody) {
    const table = await deps.readTable(body.bytes)
    await requireColumns(table, newLinkColumns)
    const defaults = { groupGuid: query.group_guid, domain: query.domain }
    return { rows: await firstRows(table, rowsPerRequest, (row) => newLinkRow(row, defaults)), strict: query.strict }
  }
  const { links, ...own } = withoutEmptyStrings(body, BulkBody)
  const { group_guid: groupGuid, domain, strict } = { ...query, ...own }
  return { rows: links.map((row) => newLinkFrom(row, { groupGuid, domain })), strict }
}

const checkRow = checkWith(Row)

/** Of a row, or why it cannot be one. */
function newLinkFrom(row: unknown, defaults: RowDefaults): NewLinkRow | Refusal {
  if (!isObject(row)) return new Refusal('BAD_REQUEST', 'Send each link as a JSON object.')
  const fields = row as Static<typeof Row>
  const faults = checkRow(fields)
  if (faults) return refusalOf(faults)
  const { long_url, domain = defaults.domain, group_guid = defaults.groupGuid, keyword, tags } = fields
  return {
    longUrl: long_url,
    domain,
    groupGuid: group_guid,
    keyword,
    tags,
    forceNewLink: fields.force_new_link,
    // Spread last: properties that follow a spread took 6 us a row.
    ...linkInputFrom(fields),
  }
}

function presentResults(results: readonly RowResult[], deps: PresentDeps): Static<typeof BulkAnswer> {
  const created = results.filter((result) => 'link' in result && result.created).length
  const refused = results.filter((result) => 'refusal' in result).length
  return {
    created,
    existing: results.length - created - refused,
    refused,
    results: results.map((result) => presentResult(result, deps)),
  }
}

function presentResult(result: RowResult, deps: PresentDeps): Static<typeof RowAnswer> {
  if ('refusal' in result) {
    const { status, body } = answerV4(result.refusal, '/v4/shorten')
    return { status, error: body }
  }
  const { link, created, note } = result
  return { status: created ? 201 : 200, link: presentShortened(link, deps), ...(note !== undefined && { note }) }
}

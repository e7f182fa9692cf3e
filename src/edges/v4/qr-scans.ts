/** The scans of one QR code (docs/api/qr-codes.md#scans): one table, one loop. */
import { reportCities, reportFacet } from '../../core/metrics/facets.js'
import { type ReportDeps, reportSeries, reportTotal } from '../../core/metrics/report.js'
import type { Facet } from '../../core/metrics/report-features.js'
import { qrCodeSubject } from '../../core/metrics/report-subject.js'
import type { ReadQrCodeDeps } from '../../core/qr-codes/read.js'
import type { Clock } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { cityCsv, dated, echo, facetCsv, rankedRows, shaped, texts } from './metric-answers.js'
import { type MetricReport, type Operation, runMetric, schemaOf } from './metric-operation.js'
import { route } from './route.js'
import { ScanCities, ScanMetrics, ScanSeries, ScanSummary } from './schemas/metrics.js'
import { QrCodePath } from './schemas/qr-code.js'

export interface QrScanDeps extends ReportDeps, ReadQrCodeDeps {
  readonly clock: Clock
}

const scanSeries = shaped('series', ScanSeries, texts.series, async (deps, input) => {
  const buckets = await reportSeries(deps, input)
  return { scans: buckets.map(dated(({ count }, date) => ({ date, scans: count }))), ...echo(input) }
})

const scanSummary = shaped('total', ScanSummary, texts.total, async (deps, input) => ({
  total_scans: await reportTotal(deps, input),
  ...echo(input),
}))

/** `name` is the facet's name in the response. */
function scansBy(facet: Facet, name: string, csvHeader: string): MetricReport {
  const report = shaped(facet, ScanMetrics, texts.biggestFirst, async (deps, input) => {
    const found = await reportFacet(deps, input, facet, input.size)
    const metrics = found.map(({ values, count }) => ({ value: values[0] ?? '', scans: count }))
    return { metrics, facet: name, ...echo(input) }
  })
  return { ...report, rows: rankedRows, csv: facetCsv(csvHeader, facet) }
}

const scansByCity: MetricReport = {
  ...shaped('cities', ScanCities, texts.biggestFirst, async (deps, input) => {
    const found = await reportCities(deps, input, input.size)
    return {
      metrics: found.cities.map(({ count, ...place }) => ({ scans: count, ...place })),
      other_metrics: { other_city_scans: found.otherCities, no_city_scans: found.noCity },
      facet: 'cities',
      ...echo(input),
    }
  }),
  rows: rankedRows,
  csv: cityCsv('City, Subregion, Region, Country, Scans'),
}

const kinds = ['scan'] as const

const scanMetrics: readonly Operation[] = [
  {
    path: 'scans',
    operationId: 'getScans',
    summary: 'Get scans of a QR code over time',
    kinds,
    report: scanSeries,
  },
  {
    path: 'scans/summary',
    operationId: 'getScansSummary',
    summary: 'Get the total scans of a QR code',
    kinds,
    report: scanSummary,
  },
  {
    path: 'scans/countries',
    operationId: 'getScansByCountry',
    summary: 'Get scans of a QR code by country',
    kinds,
    report: scansBy('countries', 'countries', 'Country, Scans'),
  },
  {
    path: 'scans/cities',
    operationId: 'getScansByCity',
    summary: 'Get scans of a QR code by city',
    kinds,
    report: scansByCity,
  },
  {
    path: 'scans/device_os',
    operationId: 'getScansByDeviceOs',
    summary: 'Get scans of a QR code by operating system',
    kinds,
    report: scansBy('systems', 'device_os', 'Device OS, Scans'),
  },
  {
    path: 'scans/browsers',
    operationId: 'getScansByBrowser',
    summary: 'Get scans of a QR code by browser',
    kinds,
    report: scansBy('browsers', 'browsers', 'Browser, Scans'),
  },
]

export function qrScanRoutes(http: TypedFastify, deps: QrScanDeps): void {
  for (const operation of scanMetrics) {
    const schema = { ...schemaOf(operation, 'QR code', 400, 403, 404, 410), params: QrCodePath }
    route(http, `GET /v4/qr-codes/:qrcode_id/${operation.path}`, {
      access: ({ actor, params }) => qrCodeSubject(deps, actor, params.qrcode_id),
      schema,
      answer: (request, subject, reply) => runMetric(operation, deps, subject, request, reply),
    })
  }
}

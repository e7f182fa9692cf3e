/** The published clients that the test runs: how each is started, and which of its calls cannot pass, with the reason. */
import type { Language } from '../support/api-clients-for-all.js'
import { versions } from '../support/api-clients-for-all.js'

export interface Client {
  /** As its registry calls it. */
  readonly name: string
  readonly version: string
  readonly language: Language
  /** In the folder `drivers`. */
  readonly driver: string
  /** How a user points it at this service, in code of its language. */
  readonly pointed: string
  /** What else a user must know. */
  readonly note?: string
  /** Why a call fails, by the beginning of its name. */
  readonly failures: readonly (readonly [calls: RegExp, reason: string])[]
}

const bundles = 'not offered: use tags or campaigns'
const publicFigures = 'not offered: figures about all links of a public service'
const pages = 'not offered: pages of destinations are not analysed'
const popular = 'not offered: links of others in a public service'

const { node, python, python2, java } = versions

export const clients: readonly Client[] = [
  {
    name: 'bitly',
    version: node.bitly,
    language: 'node',
    driver: 'bitly.mjs',
    pointed: "new BitlyClient(TOKEN, { apiUrl: 'links.example.com' })",
    note: 'It writes `bit.ly` into most ids, so it needs `--domain-aliases`, and finds links on the default domain only.',
    failures: [[/^lookup$/, 'the client itself refuses it: v4 has no such operation']],
  },
  {
    name: 'bitly-node-api',
    version: node['bitly-node-api'],
    language: 'node',
    driver: 'bitly-node-api.mjs',
    pointed: "bitly.setHost('links.example.com')",
    note: 'With Node 19 and later it needs `https.globalAgent = new https.Agent({ keepAlive: false })`, with any server: it sends nothing on a connection that is used again.',
    failures: [
      [
        /^webhooks\.verify$/,
        'the client asks for a path that the API never had; it is `POST /v4/webhooks/{webhook_guid}/verify`',
      ],
      [
        /^groups\.getQR$/,
        'no documentation has this operation; QR codes are listed by `GET /v4/groups/{group_guid}/qr-codes`',
      ],
    ],
  },
  {
    name: 'node-bitlyapi',
    version: node['node-bitlyapi'],
    language: 'node',
    driver: 'node-bitlyapi.mjs',
    pointed: "bitly.request_config.endpoint = 'https://links.example.com'",
    failures: [
      [/undle/, bundles],
      [/^(getRealtime|getHighvalue)/, publicFigures],
      [/^getLink(Content|Category|Social|Location|Language)$/, pages],
      [/PopularEarned/, popular],
      [/^getOrganization/, 'not offered: v4 has reports of organizations and groups'],
      [/^user\.getInfo$/, 'the client calls a function that it does not have'],
    ],
  },
  {
    name: 'pyshorteners',
    version: python.pyshorteners,
    language: 'python',
    driver: 'pyshorteners.driver.py',
    pointed: "pyshorteners.Shortener(api_key=TOKEN, api_url='https://links.example.com/v4').bitly",
    failures: [],
  },
  {
    name: 'bitlyshortener',
    version: python.bitlyshortener,
    language: 'python',
    driver: 'bitlyshortener.driver.py',
    pointed:
      "bitlyshortener.config.API_URL_SHORTEN = 'https://links.example.com/v4/shorten' (and its other API_ constants)",
    failures: [],
  },
  ...(
    [
      ['bitly_api', python2.bitly_api, 'python2'],
      ['bitly-api-py3', python['bitly-api-py3'], 'python'],
    ] as const
  ).map(([name, version, language]) => ({
    name,
    version,
    language,
    driver: 'bitly_api.driver.py',
    pointed: "connection.host = connection.ssl_host = 'links.example.com'",
    failures: [
      [/bundle/, bundles],
      [/^(realtime_|highvalue$)/, publicFigures],
      [/^link_(content|category|social|location|language)$/, pages],
    ] as const,
  })),
  {
    name: 'com.opsmatters:bitly-java-api',
    version: java['com.opsmatters:bitly-java-api'],
    language: 'java',
    driver: 'BitlyJavaApi.java',
    pointed: 'new BitlinkService(TOKEN, new HttpContext("https", "links.example.com", 443)) (and its other services)',
    failures: [],
  },
]

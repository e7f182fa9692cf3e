// Random requests to the legacy API with odd values for its parameters, from its OpenAPI document. The same seed gives the
// same requests.

const odd = [
  ...[
    '',
    ' ',
    '0',
    '-0',
    '-1',
    '1',
    '2',
    '0.5',
    '-0.5',
    '1.0',
    '1e3',
    '1e30',
    '-1e30',
    '1e-7',
    '1e400',
    '0x10',
    '1_000',
    '+5',
  ],
  ...['NaN', 'Infinity', '-Infinity', 'null', 'undefined', 'true', 'false', 'TRUE', 'on', 'off', 'both', 'now'],
  ...[
    '2147483647',
    '2147483648',
    '4294967296',
    '8640000000000',
    '8640000000001',
    '999999999999999',
    '-999999999999999',
  ],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807', '9223372036854775808'],
  ...[
    '-9223372036854775809',
    '18446744073709551616',
    '9'.repeat(400),
    `0.${'3'.repeat(400)}`,
    '253402300799',
    '253402300800',
  ],
  ...[
    'ä',
    'é',
    '🙂',
    '\u202e',
    '\ufeff',
    '\ud7ff',
    'ß'.repeat(3000),
    'x'.repeat(4000),
    '%',
    "'",
    '"',
    '\\',
    ';',
    '--',
    '\n',
    '\t',
  ],
  ...['hour', 'minute', 'day', 'week', 'month', 'mweek', 'Europe/Berlin', 'America/New_York', '-14', '14', '15', 'Z'],
  ...[
    'http://',
    'https://[::1]:70000/',
    'https://example.com/\u0000',
    'title',
    'title,note,private,user_ts,archived',
    'a/b/c',
    '/',
    '?',
    '#',
    '%00',
  ],
]

/** Raw text for a query, which is not always valid encoding. */
const raw = ['%', '%zz', '%C3%28', '%ED%A0%80', '%00', '+', '%2B', 'a%26b', '[]', 'a[b]']

/**
 * @param {{ paths: Record<string, { get?: { parameters?: { name: string, required?: boolean, schema?: { enum?: string[] } }[] } }> }} document
 * @param {{ seed: number, rounds: number, known: readonly string[] }} options `known`: values that exist
 */
export function* oddRequests(document, { seed, rounds, known }) {
  const random = generator(seed)
  const pick = (values) => values[Math.floor(random() * values.length)]
  const oddValue = (schema) => {
    const kind = random()
    if (kind < 0.15) return pick(raw)
    if (kind < 0.4) return encodeURIComponent(pick(known))
    if (kind < 0.5 && schema?.enum) return encodeURIComponent(pick(schema.enum))
    if (kind < 0.6) return String(Math.floor((random() - 0.5) * 2 ** Math.floor(random() * 70)))
    if (kind < 0.7) return String((random() - 0.5) * 10 ** Math.floor(random() * 40))
    return encodeURIComponent(pick(odd))
  }
  /** Several different words, as a search takes them. */
  const words = () => Array.from({ length: 1 + Math.floor(random() * 11) }, (_, index) => `never${index}`).join('+')
  for (let round = 0; round < rounds; round++) {
    for (const [path, { get }] of Object.entries(document.paths)) {
      const parameters = (get?.parameters ?? []).filter(({ name }) => !credentials.has(name))
      // Each parameter once, mostly alone: many odd values together are refused for the first one.
      for (const tested of parameters) {
        const pairs = parameters.flatMap(({ name, required, schema }) => {
          if (name !== tested.name) {
            if (required) return [`${name}=${encodeURIComponent(pick(known))}`]
            return random() < 0.1 ? [`${name}=${oddValue(schema)}`] : []
          }
          const times = random() < 0.1 ? 2 + Math.floor(random() * 3) : 1
          return Array.from({ length: times }, () => `${name}=${random() < 0.2 ? words() : oddValue(schema)}`)
        })
        yield { path, query: pairs.join('&') }
      }
    }
  }
}

/** In JSON, bugs and outages have HTTP status 200, too. */
export function isInternalError(status, text) {
  return status > 500 || /UNKNOWN_ERROR|TEMPORARILY_UNAVAILABLE/.test(text)
}

/** Sent with every request as they are. */
const credentials = new Set(['access_token', 'login', 'apiKey', 'callback'])

/** Mulberry32: small, and the same on every machine. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

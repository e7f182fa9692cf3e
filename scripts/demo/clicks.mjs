// Clicks as people make them: more in the morning and on weekdays, most in the first days of a link, in waves while a
// campaign runs, and growing over the months. The same seed gives the same clicks.

const day = 24 * 60 * 60 * 1000
/** Clicks in the first days of a link with weight 1. */
const clicksPerDay = 20

/** Relative clicks by hour of the visitor's day: breakfast, lunch, evening. */
const byHour = [1, 1, 0.5, 0.4, 0.5, 1.5, 4, 8, 9, 8, 7, 7, 8, 7, 6, 5, 5, 5.5, 6.5, 8, 8.5, 7, 4.5, 2.5]
/** From Sunday to Saturday. */
const byWeekday = [0.62, 1, 1.05, 1.08, 1.06, 0.98, 0.7]

const places = [
  { weight: 34, country: 'DE', zone: 1, cities: ['Hamburg', 'Berlin', 'Munich', 'Cologne', 'Leipzig'] },
  { weight: 18, country: 'US', zone: -8, cities: ['Portland', 'Seattle', 'San Francisco', 'New York', 'Chicago'] },
  { weight: 15, country: 'DK', zone: 1, cities: ['Copenhagen', 'Aarhus', 'Odense'] },
  { weight: 8, country: 'GB', zone: 0, cities: ['London', 'Manchester', 'Bristol'] },
  { weight: 6, country: 'SE', zone: 1, cities: ['Malmo', 'Stockholm', 'Gothenburg'] },
  { weight: 4, country: 'NL', zone: 1, cities: ['Amsterdam', 'Utrecht'] },
  { weight: 4, country: 'FR', zone: 1, cities: ['Paris', 'Lyon'] },
  { weight: 3, country: 'AT', zone: 1, cities: ['Vienna', 'Graz'] },
  { weight: 2, country: 'CA', zone: -5, cities: ['Toronto', 'Vancouver'] },
  { weight: 2, country: 'JP', zone: 9, cities: ['Tokyo', 'Osaka'] },
  { weight: 2, country: 'AU', zone: 10, cities: ['Melbourne', 'Sydney'] },
  { weight: 1, country: 'BR', zone: -3, cities: ['Sao Paulo'] },
  { weight: 1, country: 'CO', zone: -5, cities: ['Bogota', 'Medellin'] },
]

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0'
const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6'
const browsers = [
  {
    weight: 34,
    phone: true,
    agent: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${webkit} Mobile/15E148 Safari/604.1`,
  },
  { weight: 24, phone: true, agent: `Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36` },
  { weight: 15, agent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36` },
  { weight: 10, agent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Safari/605.1.15` },
  { weight: 6, agent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome} Safari/537.36` },
  { weight: 5, agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0' },
  { weight: 3, agent: `Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) ${webkit} Mobile/15E148 Safari/604.1` },
  { weight: 2, agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0' },
  { weight: 1, agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
]
const phones = browsers.filter(({ phone }) => phone)

const everyReferrer = [
  { weight: 34, url: '' },
  { weight: 22, url: 'https://www.instagram.com/' },
  { weight: 16, url: 'https://www.google.com/' },
  { weight: 9, url: 'https://www.facebook.com/' },
  { weight: 6, url: 'https://www.reddit.com/r/Coffee/' },
  { weight: 5, url: 'https://www.youtube.com/' },
  { weight: 4, url: 'https://www.linkedin.com/' },
  { weight: 4, url: 'https://larkfield.example/' },
]

/**
 * The lines of an import file (docs/import.md). A link has `id`, `createdAt`, `weight`, and if its clicks come in a special
 * way `kind`, `referrers` and `until`, when they end.
 */
export function* clickLines(links, { now, seed }) {
  const random = randomFrom(seed)
  for (const link of links) {
    for (let midnight = startOfDay(link.createdAt); midnight < now; midnight += day) {
      const expected = clicksPerDay * link.weight * interest(link, midnight, now)
      // Whole clicks whose mean is what is expected, with the unevenness of real days.
      const clicks = Math.floor(expected * (0.6 + 0.8 * random()) + random())
      for (let click = 0; click < clicks; click++) {
        const line = oneClick(link, midnight, random)
        if (line.at >= link.createdAt && line.at < now) yield JSON.stringify({ ...line, at: iso(line.at) })
      }
    }
  }
}

function interest({ createdAt, until = Number.POSITIVE_INFINITY }, midnight, now) {
  const age = (midnight - createdAt) / day
  const growth = 0.55 + 0.45 * (1 - (now - midnight) / (270 * day))
  const freshness = Math.exp(-Math.max(0, age) / 6) + 0.08
  const isOver = midnight > until
  return growth * freshness * byWeekday[new Date(midnight).getUTCDay()] * (isOver ? 0.15 : 1)
}

function oneClick({ id, kind = 'click', referrers }, midnight, random) {
  const place = weighted(places, random)
  const hour = weighted(
    byHour.map((weight, hour) => ({ weight, hour })),
    random,
  ).hour
  const { agent } = weighted(kind === 'scan' ? phones : browsers, random)
  const referrer = referrers ? one(referrers, random) : weighted(everyReferrer, random).url
  const visitor = Math.floor(random() * 4_000)
  return {
    link: id,
    at: midnight + ((hour - place.zone + 24) % 24) * 3_600_000 + Math.floor(random() * 3_600_000),
    ip: `198.${18 + (visitor % 2)}.${visitor % 256}.${visitor >> 4}`,
    country: place.country,
    city: one(place.cities, random),
    user_agent: agent,
    ...(kind === 'scan' && { kind }),
    ...(referrer && kind !== 'scan' && { referrer }),
  }
}

function weighted(choices, random) {
  let rest = random() * choices.reduce((sum, { weight }) => sum + weight, 0)
  for (const choice of choices) {
    rest -= choice.weight
    if (rest < 0) return choice
  }
  return choices[0]
}

function one(choices, random) {
  return choices[Math.floor(random() * choices.length)]
}

function startOfDay(at) {
  return at - (at % day)
}

function iso(at) {
  return new Date(at).toISOString()
}

/** Mulberry32. */
export function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

// Pictures of QR codes over HTTP: drawn for the first time, one after another; then redirects while pictures are drawn; then
// one picture from the cache, by the API and by its public address, beside a bare node:http server.
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { amount } from '../brief.mjs'
import { load, measure } from '../load.mjs'
import { rounds, rowsAgainstBare, summary } from '../rounds.mjs'
import { adminToken, startBare, startShortlink } from '../servers.mjs'

const seconds = amount(4, 1)
const styles = [
  {},
  { dot_pattern_type: 'circle', dot_pattern_color: '#1e3a8a' },
  { dot_pattern_type: 'blob', frame: { id: 'text_bottom' } },
  { dot_pattern_type: 'star', text: { center: { content: 'MENU' } }, frame: { id: 'script' } },
  {
    gradient: {
      style: 'linear',
      colors: [
        { color: '#1d4ed8', offset: 0 },
        { color: '#be185d', offset: 100 },
      ],
    },
    frame: { id: 'instagram' },
  },
]
const pictures = [
  { name: 'SVG', query: 'format=svg', goal: 2 },
  { name: 'PNG of 256 pixels', query: 'format=png', size: 256, goal: 12 },
  { name: 'PNG of 1024 pixels', query: 'format=png', size: 1024, goal: 50 },
]

export async function run({ directory, say }) {
  const service = await startShortlink(join(directory, 'data'))
  const bare = await startBare()
  const api = asking(service.url)
  const codes = await Promise.all(styles.map((style, index) => api.code(`https://example.com/${index}`, style)))
  const rows = []

  for (const { name, query, size = 512, goal } of pictures) {
    // Each size is another picture, so none is cached. The first ones warm the compiler up.
    const sizes = Array.from({ length: amount(30, 6) }, (_, index) => size + index)
    const times = []
    for (const each of sizes) for (const code of codes) times.push(await api.took(`${code}?${query}&size=${each}`))
    const { figure, spread } = summary(times.slice(25))
    say(`${name}: ${figure.toFixed(1)} ms`)
    rows.push({ what: `${name}, not cached`, figure, spread, unit: 'ms', goal: `< ${goal} ms`, met: figure < goal })
    // What the API takes without drawing.
    const again = []
    for (const code of sizes.flatMap(() => codes)) again.push(await api.took(`${code}?${query}&size=${sizes.at(-1)}`))
    rows.push({ what: `${name}, cached`, ...summary(again), unit: 'ms' })
  }

  const { link } = await service.shorten('https://example.com/landing')
  const redirects = () => load({ url: service.url + new URL(link).pathname, seconds })
  const undisturbed = async () => {
    const result = await redirects()
    await service.drained()
    return result
  }
  await undisturbed()
  let size = 600
  const whileDrawing = async () => {
    let isMeasured = false
    const drawing = (async () => {
      while (!isMeasured) await api.took(`${codes[size % codes.length]}?format=png&size=${size++}`)
    })()
    const result = await redirects()
    isMeasured = true
    await drawing
    await service.drained()
    return result
  }
  const disturbed = await rounds(amount(5, 1), { undisturbed, whileDrawing }, say)
  const kept = disturbed.ratio('whileDrawing', 'undisturbed').figure
  const what = 'redirects while pictures are drawn'
  const goal = '>= 0.9 of undisturbed'
  rows.push({ what, ...disturbed.of('whileDrawing'), unit: 'redirects/s', ratio: kept, goal, met: kept >= 0.9 })

  const accept = { accept: 'image/png' }
  const byApi = { url: `${service.url}/v4/qr-codes/${codes[1]}?size=256`, headers: { ...accept, ...authorization } }
  const byPublicAddress = { url: await api.publicPng(codes[1], 256), headers: accept }
  const contestants = {
    bare: () => measure(bare, { url: bare.url, headers: accept, seconds }),
    api: () => measure(service, { ...byApi, seconds }),
    shortlink: () => measure(service, { ...byPublicAddress, seconds }),
  }
  await contestants.shortlink()
  const cached = await rounds(amount(5, 1), contestants, say)
  rows.push(...rowsAgainstBare('a cached PNG of 256 pixels by its public address', 'pictures/s', cached, 0.5))
  const { figure: ratio } = cached.ratio('api', 'bare')
  rows.push({ what: 'a cached PNG of 256 pixels by the API', ...cached.of('api'), unit: 'pictures/s', ratio })

  await Promise.all([service.stop(), bare.stop()])
  return rows
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const authorization = { authorization: `Bearer ${adminToken}` }

function asking(url) {
  const headers = { ...authorization, 'content-type': 'application/json' }
  const ask = async (path, options = {}) => {
    const response = await fetch(url + path, { ...options, headers: { ...headers, ...options.headers } })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response
  }
  return {
    /** The path of its picture. */
    async code(longUrl, style) {
      const group_guid = (await (await ask('/v4/user')).json()).default_group_guid
      const body = JSON.stringify({ group_guid, destination: { long_url: longUrl }, render_customizations: style })
      const { qrcode_id } = await (await ask('/v4/qr-codes', { method: 'POST', body })).json()
      return `${qrcode_id}/image`
    },
    /** The public address of a picture. */
    async publicPng(path, size) {
      const { image_url } = await (await ask(`/v4/qr-codes/${path.replace('/image', '')}`)).json()
      return `${url}${new URL(image_url).pathname.replace('.svg', '.png')}?size=${size}`
    },
    /** Milliseconds for a picture. By node:http, as fetch takes a millisecond itself. */
    took(path) {
      const accept = 'image/png;q=0.5, image/svg+xml;q=0.5'
      const began = performance.now()
      return new Promise((resolve, reject) => {
        const options = { agent, headers: { ...headers, accept } }
        const request = get(`${url}/v4/qr-codes/${path}`, options, (response) => {
          if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`))
          response.resume().on('end', () => resolve(performance.now() - began))
        })
        request.on('error', reject)
      })
    },
  }
}

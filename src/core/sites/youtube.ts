/** Videos on YouTube, by the syntax of their URLs: nobody is asked whether they exist. */
import { parseUrl } from '../../lib/parse-url.js'

const id = /^[A-Za-z0-9_-]{11}$/
const hosts = /^(?:www\.|m\.|music\.)?(?:youtube\.com|youtube-nocookie\.com)$/

/** The id in a URL of a video, or alone. */
export function videoIdIn(text: string): string | undefined {
  if (id.test(text)) return text
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  if (!url) return undefined
  const [, first = '', second = ''] = url.pathname.split('/')
  const isPlayer = hosts.test(url.hostname)
  const found = isPlayer ? (first === 'watch' ? url.searchParams.get('v') : players.has(first) && second) : shared(url)
  return typeof found === 'string' && id.test(found) ? found : undefined
}

const players: ReadonlySet<string> = new Set(['embed', 'shorts', 'live', 'v'])

function shared({ hostname, pathname }: URL): string | false {
  return hostname === 'youtu.be' && pathname.slice(1)
}

export function watchUrl(videoId: string): string {
  return `https://www.youtube.com/watch?v=${videoId}`
}

export function embedUrl(videoId: string): string {
  return `https://www.youtube.com/embed/${videoId}`
}

/** Of the public service; our pages never load it. */
export function thumbnailUrl(videoId: string): string {
  return `https://i.ytimg.com/vi/${videoId}/hqdefault.jpg`
}

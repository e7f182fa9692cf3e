/**
 * The dashboard: files that `npm run build` wrote to dist-web, served from memory and compressed already. Every other
 * path below /app is the one page, whose script reads the path.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type DashboardFile, type DashboardFiles, readDashboard } from './files.js'

export interface DashboardDeps {
  /** Where the built files are; for tests. */
  readonly dashboardFolder?: string
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function dashboardRoutes(http: TypedFastify, deps: DashboardDeps): void {
  http.register(async (pages: TypedFastify) => {
    const files = readDashboard(deps.dashboardFolder)
    const hidden = { schema: { hide: true } }
    pages.get('/app', hidden, async (request, reply) => sendPage(files, request, reply))
    // The API reference, from the same build.
    pages.get('/docs', hidden, async (request, reply) => sendPage(files, request, reply, '/app/docs.html'))
    pages.get('/app/*', hidden, async (request, reply) => {
      const file = files.get(request.url.split('?', 1)[0] ?? '')
      // Their names change with their contents.
      const isAsset = request.url.startsWith('/app/assets/')
      if (!file) return isAsset ? reply.callNotFound() : sendPage(files, request, reply)
      reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'public, max-age=86400')
      return send(file, request, reply)
    })
  })
}

function sendPage(
  files: DashboardFiles,
  request: FastifyRequest,
  reply: FastifyReply,
  path = '/app/index.html',
): FastifyReply {
  const page = files.get(path)
  if (!page) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt)
  reply.headers({
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  })
  return send(page, request, reply)
}

const notBuilt = 'The dashboard is not built. Run "npm run build" in the folder of shortlink, then start it again.\n'

function send(file: DashboardFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag: file.etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' }).type(file.type)
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = (['br', 'gzip'] as const).find((each) => file.compressed[each] && accepted.includes(each))
  if (encoding) reply.header('content-encoding', encoding)
  return reply.send((encoding && file.compressed[encoding]) ?? file.body)
}

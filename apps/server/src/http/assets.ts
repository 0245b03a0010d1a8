import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { VERSION } from '@flotilla/contract/version'
import type { RuntimeConfigFiles } from '../runtime/runtime'
import { POWERLESS } from './guards'

type Options = {
  runtime: RuntimeConfigFiles
  websocketPort: number
  siteUrl: () => Promise<string>
  simulated: boolean
  announcement: () => Promise<ServedConfig['announcement']>
  introHtml: () => Promise<string>
  logo: (name: string) => Promise<{ type: string; bytes: Uint8Array } | undefined>
}

/** The build's folder for files whose names change with their content. */
const HASHED = 'static'

/** The types of files that an operator may put beside config.json: pictures and texts, nothing executable. */
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
}
export function serveRuntimeAssets(app: FastifyInstance, options: Options): void {
  const { runtime } = options
  app.get('/assets/config.json', async (_request, reply): Promise<ServedConfig> => {
    void reply.header('cache-control', 'no-cache')
    const [config, problems, announcement] = await Promise.all([
      runtime.config(),
      runtime.problems(),
      options.announcement(),
    ])
    return {
      ...config,
      version: VERSION,
      server: await options.siteUrl(),
      websocketPort: options.websocketPort,
      simulated: options.simulated,
      problems,
      announcement,
    }
  })
  app.get('/assets/providers.json', async (_request, reply) => {
    void reply.header('cache-control', 'no-cache')
    return (await runtime.providers()) ?? reply.callNotFound()
  })
  app.get<{ Params: { file: string } }>('/assets/:file', async ({ params }, reply) => {
    void reply.header('cache-control', 'no-cache')
    const { intro } = await runtime.config()
    const own = await operatorFile(runtime.folder, params.file)
    if (own)
      return reply
        .type(own.type)
        .header('content-security-policy', POWERLESS)
        .send(createReadStream(own.file))
    if (params.file === intro)
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', POWERLESS)
        .send(await options.introHtml())
    const logo = await options.logo(params.file)
    if (!logo) return reply.callNotFound()
    return reply
      .type(logo.type)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', `${POWERLESS}; style-src 'unsafe-inline'`)
      .send(Buffer.from(logo.bytes))
  })
}

/** A regular file directly in the folder: neither a path nor a symlink leads out of it. */
async function operatorFile(folder: string, name: string): Promise<{ file: string; type: string } | null> {
  const type = types[path.extname(name).toLowerCase()]
  if (!type || path.basename(name) !== name) return null
  const [root = '', file = ''] = await Promise.all([
    realpath(folder),
    realpath(path.join(folder, name)),
  ]).catch(() => ['', ''])
  return root && path.dirname(file) === root && (await stat(file)).isFile() ? { file, type } : null
}

/**
 * Serves the web app: hashed files are cached forever, pages are revalidated. Every other path is a page of the app.
 */
export async function serveWebApp(app: FastifyInstance, webFolder: string): Promise<void> {
  const serve = (cacheControl: string) => ({
    cacheControl: false,
    // Compressed at build time.
    preCompressed: true,
    setHeaders: (response: { setHeader(name: string, value: string): unknown }) => {
      response.setHeader('cache-control', cacheControl)
      response.setHeader('vary', 'accept-encoding')
    },
  })
  await app.register(fastifyStatic, {
    ...serve('no-cache'),
    root: webFolder,
    // Each file has a route, so that every other path stays free; hundreds for the hashed ones would slow down the
    // start.
    wildcard: false,
    globIgnore: [`${HASHED}/**`],
  })
  await app.register(fastifyStatic, {
    ...serve('public, max-age=31536000, immutable'),
    root: path.join(webFolder, HASHED),
    prefix: `/${HASHED}/`,
    // These files never change, so they need no revalidation.
    etag: false,
    lastModified: false,
    acceptRanges: false,
    index: false,
    decorateReply: false,
  })
}

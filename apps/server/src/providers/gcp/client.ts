import { JWT } from 'google-auth-library'
import * as z from 'zod/mini'
import { detour } from '../detour'
import type { DriverOptions } from '../provider'
import type { Until } from '../waiting'
import { privateKeyOf } from './variables'

const COMPUTE = 'https://compute.googleapis.com/compute/v1/'
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const TIMEOUT_MS = 150_000
const PAGE_MAX_BYTES = 16 * 1024 * 1024

const Operation = z.object({
  name: z.string(),
  status: z.string(),
  error: z.optional(
    z.object({ errors: z.array(z.object({ code: z.string(), message: z._default(z.string(), '') })) }),
  ),
  httpErrorStatusCode: z.optional(z.number()),
})

type Call = { data?: unknown; signal?: AbortSignal; maxContentLength?: number }
type Method = 'GET' | 'POST' | 'DELETE'

export type Gcp = ReturnType<typeof clientOf>
export function clientOf({ credential, endpoint }: DriverOptions, until: Until) {
  const { client_email = '', private_key_id = '', project_id = '' } = credential
  const jwt = new JWT({
    email: client_email,
    key: privateKeyOf(credential),
    keyId: private_key_id,
    scopes: [SCOPE],
  })
  if (endpoint !== undefined)
    jwt.transporter.interceptors.request.add({
      resolved: async (request) => ({ ...request, url: new URL(detour(endpoint, request.url)) }),
    })

  const call = async (
    method: Method,
    url: string,
    { data, signal, ...rest }: Call = {},
  ): Promise<unknown> => {
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await jwt.request({
      url,
      method,
      ...rest,
      ...(data !== undefined && { data }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    return answer.data
  }

  /** Yields the pages of a list. */
  async function* pagesAt(address: string, name: string, signal: AbortSignal) {
    const url = new URL(address)
    do {
      const page = z
        .object({ [name]: z.optional(z.array(z.unknown())), nextPageToken: z.optional(z.string()) })
        .parse(await call('GET', url.href, { signal, maxContentLength: PAGE_MAX_BYTES }))
      const { nextPageToken, [name]: items = [] } = page
      yield Array.isArray(items) ? items : []
      url.searchParams.set('pageToken', typeof nextPageToken === 'string' ? nextPageToken : '')
    } while (url.searchParams.get('pageToken'))
  }

  return {
    call,
    pagesAt,
    pages: (path: string, signal: AbortSignal) =>
      pagesAt(`${COMPUTE}${path}?maxResults=500`, 'items', signal),
    email: client_email,
    project: `projects/${encodeURIComponent(project_id)}`,
    get: (path: string, signal?: AbortSignal) => call('GET', COMPUTE + path, signal && { signal }),

    /** Collects all pages of a list. */
    async list<Page extends { nextPageToken?: string | undefined }>(
      schema: z.ZodMiniType<Page>,
      path: string,
      filter?: string,
    ): Promise<Page[]> {
      const pages: Page[] = []
      const url = new URL(COMPUTE + path)
      url.searchParams.set('maxResults', '500')
      if (filter !== undefined) url.searchParams.set('filter', filter)
      do {
        const page = schema.parse(await call('GET', url.href))
        pages.push(page)
        url.searchParams.set('pageToken', page.nextPageToken ?? '')
      } while (url.searchParams.get('pageToken'))
      return pages
    },

    /** Starts an operation and waits until it has finished. */
    async carryOut(method: 'POST' | 'DELETE', path: string, signal: AbortSignal): Promise<void> {
      const begun = Operation.parse(await call(method, COMPUTE + path, { signal }))
      // An operation is in the same location as its resource: a zone, a region or neither.
      const [place = ''] = /^projects\/[^/]+\/(?:zones\/[^/]+|regions\/[^/]+|global)/.exec(path) ?? []
      const over = async () => {
        const now = Operation.parse(
          await call('POST', `${COMPUTE}${place}/operations/${begun.name}/wait`, { signal }),
        )
        const [first] = now.error?.errors ?? []
        if (first)
          throw Object.assign(new Error(first.message || first.code), {
            code: first.code,
            status: now.httpErrorStatusCode,
          })
        return now.status === 'DONE'
      }
      await until(`${method} ${path} is done`, over, signal)
    },
  }
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 404

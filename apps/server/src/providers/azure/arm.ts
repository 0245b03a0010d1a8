import * as z from 'zod/mini'
import { detour } from '../detour'
import { readAtMost } from '../read-at-most'

export const ARM = 'https://management.azure.com'

const TIMEOUT_MS = 60_000

/** An error like those of Azure's own clients. */
class ArmError extends Error {
  override name = 'RestError'
  constructor(
    message: string,
    readonly code: string,
    readonly statusCode: number,
  ) {
    super(message)
  }
}

type Method = 'GET' | 'PUT' | 'DELETE'
type Listing = { filter?: string; signal?: AbortSignal }

const Page = z.object({ value: z.array(z.unknown()), nextLink: z.optional(z.nullable(z.string())) })
const Refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/**
 * Calls Azure's REST API directly, because Azure's clients for networks and groups would add many megabytes for a few
 * calls.
 */
export function makeArm(token: () => Promise<string>, endpoint: string | undefined) {
  const call = async (method: Method, url: URL, body?: unknown, signal?: AbortSignal): Promise<unknown> => {
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(endpoint === undefined ? url : detour(endpoint, url), {
      method,
      headers: {
        authorization: `Bearer ${await token()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The token must not be sent anywhere else.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    const { status } = answer
    const text = await readAtMost(answer)
    if (status >= 200 && status <= 299) return text.trim() === '' ? null : JSON.parse(text)
    const { data } = Refusal.safeParse(parsed(text))
    const { code, message } = data?.error ?? {
      code: '',
      message: text.slice(0, 300) || `Azure responded with ${status}`,
    }
    throw new ArmError(message, code, status)
  }
  const address = (path: string, version: string, filter?: string): URL => {
    const url = new URL(path, ARM)
    // Ids come from responses, and could be absolute URLs.
    if (url.origin !== ARM)
      throw new ArmError('Azure returned a resource at a different address', 'InvalidId', 502)
    url.searchParams.set('api-version', version)
    if (filter !== undefined) url.searchParams.set('$filter', filter)
    return url
  }
  async function* pages(path: string, version: string, { filter, signal }: Listing = {}) {
    let next: URL | null = address(path, version, filter)
    while (next) {
      const { value, nextLink }: z.infer<typeof Page> = Page.parse(await call('GET', next, undefined, signal))
      yield value
      next = nextLink ? new URL(nextLink) : null
      if (next && next.origin !== ARM)
        throw new ArmError('The next page of the list is at another address', 'InvalidNextLink', 502)
    }
  }
  return {
    pages,
    get: (path: string, version: string) => call('GET', address(path, version)),
    put: (path: string, version: string, body: unknown) => call('PUT', address(path, version), body),
    delete: (path: string, version: string) => call('DELETE', address(path, version)),
    async list<Item>(item: z.ZodMiniType<Item>, path: string, version: string, filter?: string) {
      const items: Item[] = []
      for await (const page of pages(path, version, filter === undefined ? {} : { filter }))
        items.push(...page.map((one) => item.parse(one)))
      return items
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

import type { DefaultRequestSigner } from 'oci-common'
import * as z from 'zod/mini'
import { readAtMost } from '../read-at-most'

const Refusal = z.object({ code: z._default(z.string(), ''), message: z._default(z.string(), '') })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Sends a signed GET request; each service's client library would be a separate package for a call or two. */
export async function signedGet(
  signer: DefaultRequestSigner,
  url: URL,
  signal: AbortSignal,
): Promise<{ body: unknown; nextPage: string | null }> {
  const request = { method: 'GET' as const, uri: url.href, headers: new Headers() }
  await signer.signHttpRequest(request)
  // fetch sets this header itself.
  request.headers.delete('host')
  const answer = await fetch(url, { headers: request.headers, redirect: 'error', signal })
  const body = parsed(await readAtMost(answer))
  if (answer.ok) return { body, nextPage: answer.headers.get('opc-next-page') }
  const { code, message } = Refusal.safeParse(body).data ?? { code: '', message: '' }
  // An error like those of Oracle's own clients.
  throw Object.assign(new Error(message || `Oracle Cloud responded with ${answer.status}`), {
    serviceCode: code,
    statusCode: answer.status,
  })
}

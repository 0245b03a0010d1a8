import { randomBytes } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { guardedLookup, forbiddenUrlReason } from '../../network/outgoing'
import type { CredentialData } from '../fields/credential-data'

const TIMEOUT_MS = 20_000
/** A large site has some thousand machines of a few KB each. */
const ANSWER_MAX = 64 * 1024 * 1024

/** What MAAS answered instead of what was requested. */
export class MaasError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

interface Request {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below /api/2.0/, with its operation: `machines/?op=release`. */
  path: string
  form?: [string, string][]
}

/** How a call says who makes it: OAuth 1 with the key as it is, the only way MAAS takes. */
function authorization(apiKey: string, nowMs: number): string {
  const [consumer = '', token = '', secret = ''] = apiKey.trim().split(':')
  const fields: Record<string, string> = {
    oauth_version: '1.0',
    oauth_signature_method: 'PLAINTEXT',
    oauth_consumer_key: consumer,
    oauth_token: token,
    // The consumer's own secret is empty.
    oauth_signature: `&${secret}`,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_timestamp: String(Math.floor(nowMs / 1000)),
  }
  const parts = Object.entries(fields).map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
  return `OAuth ${parts.join(', ')}`
}

/** The address of the interface; people give that of MAAS itself, with or without the interface's own path. */
export function baseOf(apiUrl: string): string {
  const wrong = forbiddenUrlReason(apiUrl.trim())
  if (wrong !== null) throw new MaasError(`The API URL is invalid: ${wrong}`, 400)
  return `${apiUrl
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/api\/2\.0$/, '')}/api/2.0/`
}

/** Calls MAAS. Nothing is followed that it redirects to: the address was checked, another was not. */
export async function callMaas(
  credential: CredentialData,
  { method, path, form }: Request,
): Promise<unknown> {
  const { api_url = '', api_key = '' } = credential
  if (api_key.trim().split(':').length !== 3)
    throw new MaasError('The API key must have three parts separated by colons', 401)
  const url = new URL(path, baseOf(api_url))
  const body = form && new URLSearchParams(form).toString()
  const { status, text } = await send(url, method, body, authorization(api_key, Date.now()))
  if (status < 200 || status > 299)
    throw new MaasError(text.slice(0, 300) || `MAAS responded with ${status}`, status)
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new MaasError('The API URL does not belong to a MAAS server', 502)
  }
}

function send(
  url: URL,
  method: string,
  body: string | undefined,
  signed: string,
): Promise<{ status: number; text: string }> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method,
        lookup: guardedLookup,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          authorization: signed,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
      },
      (answer) => {
        const pieces: Buffer[] = []
        let size = 0
        answer.on('data', (piece: Buffer) => {
          size += piece.length
          if (size > ANSWER_MAX) call.destroy(new MaasError('The response from MAAS is too large', 502))
          else pieces.push(piece)
        })
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() }),
        )
      },
    )
    call.on('error', (error) =>
      reject(error.name === 'TimeoutError' ? Object.assign(error, { code: 'ETIMEDOUT' }) : error),
    )
    call.end(body)
  })
}

import { randomBytes } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { guardedLookup, forbiddenUrlReason } from '../../network/outgoing'
import type { CredentialData } from '../fields/credential-data'

const TIMEOUT_MS = 20_000
/** A large site has several thousand machines of a few KB each. */
const ANSWER_MAX = 64 * 1024 * 1024

/** An error response, or a response that is not MAAS's. */
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
  /** The path below /api/2.0/, with its operation: `machines/?op=release`. */
  path: string
  form?: [string, string][]
}

/** The authorization header: OAuth 1 with a plaintext signature, the only method that MAAS accepts. */
function authorization(apiKey: string, nowMs: number): string {
  const [consumer = '', token = '', secret = ''] = apiKey.trim().split(':')
  const fields: Record<string, string> = {
    oauth_version: '1.0',
    oauth_signature_method: 'PLAINTEXT',
    oauth_consumer_key: consumer,
    oauth_token: token,
    // The consumer secret is empty.
    oauth_signature: `&${secret}`,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_timestamp: String(Math.floor(nowMs / 1000)),
  }
  const parts = Object.entries(fields).map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
  return `OAuth ${parts.join(', ')}`
}

/** The base URL of the API; users enter the URL of MAAS itself, with or without the API's path. */
export function baseOf(apiUrl: string): string {
  const wrong = forbiddenUrlReason(apiUrl.trim())
  if (wrong !== null) throw new MaasError(`The API URL is invalid: ${wrong}`, 400)
  return `${apiUrl
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/api\/2\.0$/, '')}/api/2.0/`
}

/** Calls MAAS. Redirects are not followed, because only the configured address was checked. */
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

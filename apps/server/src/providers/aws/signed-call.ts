import { createHash, createHmac } from 'node:crypto'
import { readAtMost } from '../read-at-most'
import type { CredentialData } from '../provider'

/** One of AWS's services for which there is no client here, as it is called: by a form that is signed. */
export interface SignedCall {
  credential: CredentialData
  url: string
  service: string
  region: string
  form: Record<string, string>
  signal: AbortSignal
}

const TYPE = 'application/x-www-form-urlencoded; charset=utf-8'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function signedHeaders({ credential, url, service, region }: SignedCall, body: string, at: Date) {
  const { access_key = '', secret_key = '', session_token } = credential
  const time = at.toISOString().replace(/[:-]|\.\d{3}/g, '')
  const day = time.slice(0, 'yyyymmdd'.length)
  const headers: Record<string, string> = {
    'content-type': TYPE,
    host: new URL(url).host,
    'x-amz-date': time,
    ...(session_token && { 'x-amz-security-token': session_token }),
  }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const request = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret_key}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex')
  const { host: _set, ...sent } = headers
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${access_key}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** The first of an element without elements in it. */
export const textIn = (xml: string, element: string): string =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? ''

/** The answer as XML; a refusal is an error with AWS's own name, as those of its clients are. */
export async function signedCall(call: SignedCall): Promise<string> {
  const body = new URLSearchParams(call.form).toString()
  const answer = await fetch(call.url, {
    method: 'POST',
    headers: signedHeaders(call, body, new Date()),
    body,
    redirect: 'error',
    signal: call.signal,
  })
  const xml = await readAtMost(answer)
  if (answer.ok) return xml
  throw Object.assign(new Error(textIn(xml, 'Message') || `AWS responded with ${answer.status}`), {
    name: textIn(xml, 'Code') || 'Error',
    statusCode: answer.status,
  })
}

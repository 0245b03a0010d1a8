import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BODY_MAX_BYTES } from '@flotilla/contract/limits'
import { Failure } from '../fail'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Files of a form keep their names and bytes; elsewhere they are treated as text. */
    files?: boolean
  }
}

type FormFile = { name: string; bytes: Uint8Array }
const fileOf = async (file: File): Promise<FormFile> => ({
  // Some browsers send the folders too.
  name: file.name.split(/[/\\]/).at(-1) ?? '',
  bytes: new Uint8Array(await file.arrayBuffer()),
})

/** What clients send that put a JSON text into a form with its type. */
const isJsonPart = ({ name, type }: File) => name === 'blob' && type.startsWith('application/json')

/** What may come in: JSON, forms whose fields are text or JSON text, and the bytes of an upload. */
export function addBodyParsers(http: FastifyInstance): void {
  const parseJson = http.getDefaultJsonParser('error', 'error')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    // Clients set the type on calls that have no body too.
    if (body === '') done(null, undefined)
    // Only forms with files may be larger where a call takes them.
    else if (Buffer.byteLength(body) > BODY_MAX_BYTES) done(new Failure('too_large'))
    else void parseJson(request, body, done)
  })
  http.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  http.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
        throw new Failure('bad_json', { message: 'The request body is not a valid form' })
      })
      // Without a prototype, as a field may have any name.
      const fields = Object.create(null) as Record<string, unknown>
      const files = Object.create(null) as Record<string, FormFile[]>
      const keepsFiles = request.routeOptions.config.files === true
      for (const [name, value] of form) {
        if (keepsFiles && typeof value !== 'string' && !isJsonPart(value)) {
          // A field may bring several; an empty one is what a browser sends for none.
          if (value.name !== '') (files[name] ??= []).push(await fileOf(value))
          continue
        }
        const text = typeof value === 'string' ? value : await value.text()
        fields[name] = text.startsWith('{') ? await parsed(text) : text
      }
      for (const [name, list] of Object.entries(files)) fields[name] = list.length === 1 ? list[0] : list
      return fields
    },
  )

  /** The same parser as for JSON bodies, as the same poison can be in a field. */
  const parsed = (text: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // The request is not looked at by the parser.
      void parseJson(undefined as never, text, (error, value) => (error ? reject(error) : resolve(value)))
    })
}

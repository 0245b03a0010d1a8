import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BODY_MAX_BYTES } from '@flotilla/contract/limits'
import { Failure } from '../fail'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the files of a form keep their names and bytes; otherwise they are treated as text. */
    files?: boolean
  }
}

type FormFile = { name: string; bytes: Uint8Array }
const fileOf = async (file: File): Promise<FormFile> => ({
  // Some browsers include the folders in the name.
  name: file.name.split(/[/\\]/).at(-1) ?? '',
  bytes: new Uint8Array(await file.arrayBuffer()),
})

/** Whether a client put JSON text into the form as a part with that type. */
const isJsonPart = ({ name, type }: File) => name === 'blob' && type.startsWith('application/json')

/** Registers the accepted bodies: JSON, forms whose fields are text or JSON text, and the bytes of an upload. */
export function addBodyParsers(http: FastifyInstance): void {
  const parseJson = http.getDefaultJsonParser('error', 'error')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    // Clients also set the type on calls without a body.
    if (body === '') done(null, undefined)
    // A call that takes files has a higher limit, which only forms may use.
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
      // The objects have no prototype, because a field may have any name.
      const fields = Object.create(null) as Record<string, unknown>
      const files = Object.create(null) as Record<string, FormFile[]>
      const keepsFiles = request.routeOptions.config.files === true
      for (const [name, value] of form) {
        if (keepsFiles && typeof value !== 'string' && !isJsonPart(value)) {
          // A field may have several files; browsers send one without a name when none was chosen.
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

  /** The parser for JSON bodies, because a field can have the same prototype poisoning. */
  const parsed = (text: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // The parser does not use the request.
      void parseJson(undefined as never, text, (error, value) => (error ? reject(error) : resolve(value)))
    })
}

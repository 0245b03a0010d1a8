import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../fail'

/** What may come in: JSON, forms whose fields are text or JSON text, and the bytes of an upload. */
export function addBodyParsers(http: FastifyInstance): void {
  const parseJson = http.getDefaultJsonParser('error', 'error')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    // Clients set the type on calls that have no body too.
    if (body === '') done(null, undefined)
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
      for (const [name, value] of form) {
        const text = typeof value === 'string' ? value : await value.text()
        fields[name] = text.startsWith('{') ? await parsed(text) : text
      }
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

import * as z from 'zod/mini'
import type { FastifyInstance } from 'fastify'
import { access } from '@flotilla/contract/access'
import { ACCESS_TOKEN_PREFIX } from '@flotilla/contract/people/access-tokens'
import { api } from '@flotilla/contract/api'
import { isFileReply, tokenRule, type Endpoint } from '@flotilla/contract/endpoint'
import { ErrorReply, errors } from '@flotilla/contract/errors'
import { VERSION } from '@flotilla/contract/version'
import { wireBody } from '@flotilla/contract/wire-body'

type Schema = z.ZodMiniType
const jsonSchema = (schema: Schema, io: 'input' | 'output') => {
  // The reference describes what is sent, so what a schema cannot express (a transform) is left open.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  })
  return rest
}

const who = (endpoint: Endpoint) => access[endpoint.access]?.join(', ') ?? 'everyone'

const tokensFor = (endpoint: Endpoint) => {
  const rule = tokenRule(endpoint)
  return rule === 'never' ? 'none' : rule
}
const confirmationFor = ({ confirm }: Endpoint): string =>
  confirm === undefined
    ? ''
    : ` Needs a confirmed password${confirm === true ? '' : ` ${confirm}`} (see auth.confirm).`
const isOpen = (endpoint: Endpoint) => endpoint.access === 'everyone'

function operation(noun: string, name: string, endpoint: Endpoint) {
  const body = wireBody(endpoint)
  const parameters = [
    ...[...endpoint.path.matchAll(/:(\w+)/g)].map(([, key]) => ({
      name: key,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(endpoint.query ? (jsonSchema(endpoint.query, 'input').properties ?? {}) : {}).map(
      ([key, schema]) => ({
        name: key,
        in: 'query',
        schema,
      }),
    ),
    ...(endpoint.adminScope
      ? [
          {
            name: 'admin',
            in: 'header',
            schema: { const: 'true' },
            description: 'Lets an admin change what belongs to others',
          },
        ]
      : []),
  ]
  const content = isFileReply(endpoint.reply)
    ? { [endpoint.reply.file]: { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: jsonSchema(endpoint.reply, 'output') } }
  return {
    operationId: `${noun}.${name}`,
    tags: [noun],
    summary: endpoint.summary,
    description: `Open to: ${who(endpoint)}.${isOpen(endpoint) ? '' : ` Access tokens: ${tokensFor(endpoint)}.`}${confirmationFor(endpoint)}`,
    parameters,
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(body, 'input') } },
      },
    }),
    security: isOpen(endpoint) ? [] : securityOf(endpoint),
    responses: {
      [endpoint.status ?? 200]: { description: 'Done', content },
      default: {
        description: 'An error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const securityOf = (endpoint: Endpoint) => {
  const rule = tokenRule(endpoint)
  return [{ token: [] }, ...(rule === 'never' ? [] : [{ accessToken: [rule] }])]
}

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A session token from POST /api/auth/login. It also opens the socket.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: `${ACCESS_TOKEN_PREFIX}...`,
    description:
      'An access token, created under Your settings > Security. Each call states the minimum scope it needs: read, jobs or all. ' +
      'Calls without it accept only sessions.',
  },
}

function openApi(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [noun, calls] of Object.entries(api))
    for (const [name, endpoint] of Object.entries(calls) as [string, Endpoint][])
      (paths[endpoint.path.replace(/:(\w+)/g, '{$1}')] ??= {})[endpoint.method.toLowerCase()] = operation(
        noun,
        name,
        endpoint,
      )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Flotilla',
      version: VERSION,
      description:
        'All times are milliseconds since the Unix epoch. Lists take limit and cursor; the next cursor is in the header x-next-cursor.',
    },
    paths,
    components: {
      schemas: { Error: jsonSchema(ErrorReply, 'output') },
      securitySchemes,
    },
  }
}

const escape = (text: string) => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`)

/** The reference as a plain page, readable without scripts. */
function referencePage(): string {
  const nouns = Object.entries(api).map(([noun, calls]) => {
    const rows = (Object.entries(calls) as [string, Endpoint][]).map(([name, endpoint]) => {
      const body = wireBody(endpoint)
      const schema = (title: string, of: Schema, io: 'input' | 'output') =>
        `<details><summary>${title}</summary><pre>${escape(JSON.stringify(jsonSchema(of, io), null, 2))}</pre></details>`
      return `<article id="${noun}.${name}"><h3><code class="method">${endpoint.method}</code> <code>${escape(endpoint.path)}</code></h3>
<p>${escape(endpoint.summary)}.</p><p class="who">Open to: ${escape(who(endpoint))}${endpoint.adminScope ? '; for what belongs to others, send the header <code>admin: true</code>' : ''}${isOpen(endpoint) ? '' : `. Access tokens: ${tokensFor(endpoint)}.`}${escape(confirmationFor(endpoint))}</p>
${endpoint.query ? schema('Query', endpoint.query, 'input') : ''}${body ? schema('Body', body, 'input') : ''}${
        isFileReply(endpoint.reply)
          ? `<p>Returns a file (${escape(endpoint.reply.file)}).</p>`
          : schema('Reply', endpoint.reply, 'output')
      }</article>`
    })
    return `<section><h2>${noun}</h2>${rows.join('\n')}</section>`
  })
  const failures = Object.entries(errors).map(
    ([code, { status, message }]) =>
      `<tr><td>${status}</td><td><code>${code}</code></td><td>${escape(message)}</td></tr>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API reference</title>
<link rel="stylesheet" href="/api/docs/style.css"></head><body><main><h1>API reference <small>${VERSION}</small></h1>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code>; the token is one of a session, from <code>POST /api/auth/login</code>, or for scripts an access token (<code>${ACCESS_TOKEN_PREFIX}...</code>), made under Settings, Account. Each call says which scope of an access token it takes: <code>read</code>, <code>jobs</code> (read, and jobs, outputs and files), <code>all</code>, or none. The same as data: <a href="/api/openapi.json">/api/openapi.json</a>.</p>
<nav>${Object.keys(api)
    .map(
      (noun) =>
        `<a href="#${Object.keys(api[noun as keyof typeof api]).map((name) => `${noun}.${name}`)[0]}">${noun}</a>`,
    )
    .join(' ')} <a href="#errors">errors</a></nav>
${nouns.join('\n')}<section><h2 id="errors">errors</h2><table><thead><tr><th>Status</th><th>Code</th><th>Text</th></tr></thead><tbody>${failures.join('')}</tbody></table></section></main></body></html>`
}

const style = `:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:0}main{max-width:860px;margin:0 auto;padding:32px 16px}
h1{font-size:20px}h2{font-size:16px;margin-top:40px;text-transform:capitalize}h3{font-size:14px;margin:0}article{border:1px solid color-mix(in srgb,currentColor 18%,transparent);border-radius:8px;padding:12px 16px;margin:12px 0}
p{margin:6px 0}.who{opacity:.8;font-size:13px}.method{font-weight:700}nav a{margin-right:12px}pre{overflow:auto;font-size:12px}summary{cursor:pointer}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 8px;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}`

export function serveReference(app: FastifyInstance): void {
  app.get('/api/openapi.json', () => openApi())
  app.get('/api/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(referencePage()))
  app.get('/api/docs/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
}

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { api } from '@flotilla/contract/api'
import type { Endpoint } from '@flotilla/contract/endpoint'
import { UPLOAD_PIECE_BYTES } from '@flotilla/contract/jobs/files'
import { BODY_MAX_BYTES } from '@flotilla/contract/limits'
import { wireBody } from '@flotilla/contract/wire-body'
import { testApp, urlOf, type TestApp } from '../../test/support/app/app'
import { soaking } from '../../test/support/soak'

const endpoints = Object.entries(api).flatMap(([noun, calls]) =>
  Object.entries(calls as Record<string, Endpoint>).map(([name, endpoint]) => ({
    name: `${noun}.${name}`,
    endpoint,
  })),
)

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
/** Values that no field accepts, or accepts only as harmless text. */
const hostile: Record<string, unknown> = {
  null: null,
  'a number': 12.5,
  'a negative number': -1,
  'a huge number': 1e308,
  'a boolean': true,
  'a list': ['a', 1],
  'an object': { a: { b: 1 } },
  'an empty text': '',
  'a long text': 'x'.repeat(100_000),
  'deep nesting': nested(1000),
  'a null character': 'a\u0000b',
  'half a surrogate pair': 'a\ud800b',
  'right-to-left and emoji': '\u202e🦀مرحبا',
  'an SQL injection': "'; drop table users; --",
  'a template injection': '${process.exit()}{{7*7}}<script>alert(1)</script>',
  'a path': '../../../../etc/passwd',
  'a header injection': 'a\r\nx-evil: 1',
  'a prototype': { constructor: { prototype: { admin: true } } },
}

const values = Object.entries(hostile)
/** All values in soak; in npm test a few, which differ from call to call. */
const valuesFor = (endpoint: Endpoint) => {
  const turn = endpoints.findIndex((one) => one.endpoint === endpoint)
  return soaking ? values : values.filter((_, at) => at % 6 === turn % 6)
}

let server: TestApp
let admin: string
beforeAll(async () => {
  server = await testApp()
  admin = (await server.person('hostileadmin', ['admin', 'user', 'instructor'])).token
  // The first download creates the key, which would count as a write.
  await server.answer(api.users.downloadSshKey, {}, { token: admin })
  last = await stored()
})
afterAll(() => server.close())

/** Everything that is stored, except what only counts or dates calls. */
async function stored(): Promise<string> {
  const tables = [
    'users',
    'sessions',
    'access_tokens',
    'one_time_secrets',
    'user_ssh_keys',
    'ldap_servers',
    'site_settings',
  ]
  const contents = tables.map(
    (table) =>
      // A title or an intro may be any text; bad values of the other settings are tested in site-config.test.ts.
      sql`(select coalesce(jsonb_agg(row order by row::text), '[]')::text
        from (select to_jsonb(t) - 'config' - 'intro_html' as row from ${sql.table(table)} t) rows)`,
  )
  const all = sql<{ all: string }>`select concat_ws(chr(10), ${sql.join(contents)}) as all`
  const { rows } = await all.execute(server.db.kysely)
  return rows[0]?.all.replace(/"last_active_at": ?[^,}]+/g, '') ?? ''
}

let last: string
/** What is stored now, and what was stored at the previous call of this function. */
async function compare() {
  const before = last
  last = await stored()
  return { now: last, before }
}

const keysOf = (schema: z.ZodMiniType | undefined): string[] =>
  schema ? Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}) : []

const mustNotCrash = (status: number, at: string) => {
  expect(status, at).toBeLessThan(500)
}

describe.each(endpoints.filter(({ name }) => name !== 'auth.logout'))('$name', ({ endpoint }) => {
  it('reports every missing field and writes nothing', async () => {
    const schema = wireBody(endpoint)
    if (!schema) return expect(schema).toBeUndefined()
    const required = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).required ?? []
    for (const body of [{}, [], 'text', 7, null]) {
      const { status, json } = await server.call(endpoint.method, urlOf(endpoint), { as: admin, body })
      mustNotCrash(status, JSON.stringify(json))
      if (required.length > 0) {
        expect(status).toBe(400)
        const { fields } = json as { fields: Record<string, string> }
        if (typeof body === 'object' && !Array.isArray(body))
          expect(Object.keys(fields)).toEqual(expect.arrayContaining(required))
        else expect(Object.keys(fields)).toContain('body')
      }
    }
    const { now, before } = await compare()
    expect(now).toBe(before)
  })

  it('survives hostile values in every field, in the path and in the query', async () => {
    const schema = wireBody(endpoint)
    for (const [what, value] of valuesFor(endpoint)) {
      for (const field of keysOf(schema)) {
        // Turning a switch on can be what the call is for.
        const isPlain = value === true || value === null
        if (isPlain && schema && z.safeParse(schema, { [field]: value }).success) continue
        const { status, json } = await server.call(endpoint.method, urlOf(endpoint), {
          as: admin,
          body: { [field]: value },
        })
        mustNotCrash(status, `${what} in ${field}: ${JSON.stringify(json)}`)
      }
      const text = encodeURIComponent(
        typeof value === 'string'
          ? value.slice(0, 2000).replace(/[\ud800-\udfff]/g, '')
          : JSON.stringify(value).slice(0, 2000),
      )
      const path = endpoint.path.replace(/:\w+/g, text || 'x')
      mustNotCrash(
        (await server.call(endpoint.method, path, { as: admin, body: schema ? {} : undefined })).status,
        `${what} in the path`,
      )
      for (const field of keysOf(endpoint.query)) {
        const { status } = await server.call(endpoint.method, `${urlOf(endpoint)}?${field}=${text}`, {
          as: admin,
        })
        mustNotCrash(status, `${what} in ?${field}`)
      }
    }
    const { now, before } = await compare()
    expect(now).toBe(before)
  })

  it('rejects bodies that are not JSON, of the wrong type, too large or poisoned', async () => {
    const send = (raw: string, headers = {}) =>
      server.call(endpoint.method, urlOf(endpoint), { as: admin, raw, headers })
    if (endpoint.method !== 'GET') {
      expect((await send('{"a":')).status).toBe(400)
      expect((await send(`"${'x'.repeat(endpoint.raw ? UPLOAD_PIECE_BYTES : BODY_MAX_BYTES)}"`)).status).toBe(
        413,
      )
      expect((await send('<a/>', { 'content-type': 'text/xml' })).status).toBe(415)
      expect((await send('{"__proto__":{"admin":true}}')).status).toBe(400)
    }
    mustNotCrash((await server.call('PROPFIND', urlOf(endpoint), { as: admin })).status, 'another method')
    const { now, before } = await compare()
    expect(now).toBe(before)
  })
})

it('an unknown path gets 404 beginning with Route, and one that cannot be decoded gets 400', async () => {
  const missing = await server.call('GET', '/api/no-such-thing', { as: admin })
  expect(missing.status).toBe(404)
  expect((missing.json as { message: string }).message).toMatch(/^Route/)
  expect((await server.call('GET', '/api/users/%zz', { as: admin })).status).toBe(400)
})

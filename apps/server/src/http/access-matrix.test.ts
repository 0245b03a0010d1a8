import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { access, scopeAllows, tokenScopes, type Role, type TokenScope } from '@flotilla/contract/access'
import { api } from '@flotilla/contract/api'
import { tokenRule, type Endpoint } from '@flotilla/contract/endpoint'
import { TOKEN_LIFE_MS } from '@flotilla/contract/limits'
import { testApp, urlOf, type TestApp } from '../../test/support/app/app'

const endpoints = Object.entries(api).flatMap(([noun, calls]) =>
  Object.entries(calls as Record<string, Endpoint>).map(([name, endpoint]) => ({
    name: `${noun}.${name}`,
    endpoint,
  })),
)
const callers = {
  visitor: { role: null },
  participant: { role: ['participant'] },
  user: { role: ['user'] },
  instructor: { role: ['instructor'] },
  admin: { role: ['admin'] },
} satisfies Record<string, { role: Role[] | null }>

let server: TestApp
/** The token of a user who has been removed since. */
let removed: string
beforeAll(async () => {
  server = await testApp()
  const gone = await server.person('gone', ['user', 'admin', 'instructor'])
  removed = gone.token
  const as = await token(['admin'])
  await server.must(api.users.remove, { body: { id: gone.id } }, { token: as })
  const owner = await token(['admin', 'user', 'instructor'])
  for (const scope of tokenScopes) secrets.set(scope, await accessToken(owner, scope))
})
afterAll(() => server.close())

/** One access token per scope, of a user to whom the calls of every role are open. */
const secrets = new Map<TokenScope, string>()
const accessToken = async (as: string, scope: TokenScope): Promise<string> => {
  const body = { name: `matrix ${scope}`, scope }
  return (await server.must(api.accessTokens.create, { body }, { token: as })).secret
}

let counter = 0
const token = async (role: Role[]): Promise<string> => (await server.person(`caller${++counter}`, role)).token

/** Each role has one caller for all calls except those that end sessions. */
const standing = new Map<string, string>()
const caller = async (role: Role[], name: string): Promise<string> => {
  if (name.startsWith('auth.')) return token(role)
  const known = standing.get(role.join()) ?? (await token(role))
  standing.set(role.join(), known)
  return known
}

describe('every call of the contract', () => {
  it('is bound, and nothing else is bound under /api', () => {
    const named = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)
    const bound = server.app.routes
      .filter(
        ({ method, url }) =>
          method !== 'HEAD' && url.startsWith('/api/') && !/^\/api\/(docs|openapi)/.test(url),
      )
      .map(({ method, url }) => `${method} ${url}`)
    expect(bound.toSorted()).toEqual(named.toSorted())
  })

  it('has a rule of the access table', () => {
    for (const { name, endpoint } of endpoints) expect(Object.keys(access), name).toContain(endpoint.access)
  })

  describe.each(endpoints)('$name', ({ name, endpoint }) => {
    const send = (as: string | null) =>
      server.call(endpoint.method, urlOf(endpoint), { as, body: endpoint.body ? {} : undefined })
    const allowed: readonly Role[] | undefined = access[endpoint.access]

    for (const [who, { role }] of Object.entries(callers))
      it(`applies its access rule to: ${who}`, async () => {
        const { status, json } = await send(role ? await caller(role, name) : null)
        expect(status, JSON.stringify(json)).toBeLessThan(500)
        if (!allowed) expect([401, 403]).not.toContain(status)
        else if (!role) expect(status).toBe(401)
        else if (role.some((held) => allowed.includes(held))) expect([401, 403]).not.toContain(status)
        else expect(status).toBe(403)
      })

    it('applies its token rule to an access token of each scope', async () => {
      for (const [scope, secret] of secrets) {
        const { status, json } = await send(secret)
        expect(status, scope).toBeLessThan(500)
        if (!allowed || scopeAllows(scope, tokenRule(endpoint)))
          expect([401, 403], scope).not.toContain(status)
        else expect(json, scope).toMatchObject({ statusCode: 403, code: 'token_scope' })
      }
    })

    it('rejects a removed user', async () => {
      const { status } = await send(removed)
      if (allowed) expect(status).toBe(401)
      else expect(status).not.toBe(401)
    })

    it('rejects an expired token', async () => {
      const old = await caller(['admin'], name)
      server.advance(TOKEN_LIFE_MS + 1000)
      const { status } = await send(old)
      server.advance(-TOKEN_LIFE_MS - 1000)
      if (allowed) expect(status).toBe(401)
      else expect(status).not.toBe(401)
    })
  })
})

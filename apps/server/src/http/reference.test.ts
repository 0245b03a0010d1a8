import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import type { Endpoint } from '@flotilla/contract/endpoint'
import { ErrorReply, errors } from '@flotilla/contract/errors'
import { PASSWORD, testApp, type Answer, type TestApp } from '../../test/support/app/app'
import { OpenApiDocument } from '../../test/support/app/openapi'

const endpoints = Object.entries(api).flatMap(([noun, calls]) =>
  Object.entries(calls as Record<string, Endpoint>).map(([name, endpoint]) => ({
    id: `${noun}.${name}`,
    ...endpoint,
  })),
)
const SCRIPT = 'console.log("flotilla")'

let server: TestApp
let token: string
let web: string
beforeAll(async () => {
  web = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-web-'))
  await mkdir(path.join(web, 'static'), { recursive: true })
  await writeFile(path.join(web, 'index.html'), '<!doctype html><title>Flotilla</title>')
  await writeFile(path.join(web, 'favicon.svg'), '<svg/>')
  await writeFile(path.join(web, 'static', 'main-abc123.js'), SCRIPT)
  await writeFile(path.join(web, 'static', 'main-abc123.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(path.join(web, 'static', 'main-abc123.js.gz'), gzipSync(SCRIPT))
  await writeFile(path.join(web, 'static', 'plain-abc123.js'), SCRIPT)
  server = await testApp({ WEBSOCKET_PORT: '23456' }, { webFolder: web })
  token = (await server.person('reader', ['admin'])).token
})
afterAll(async () => {
  await server.close()
  await rm(web, { recursive: true })
})

describe('the reference as data', () => {
  it('is OpenAPI 3.1: every call once, every parameter declared, every reference resolved', async () => {
    const { json, text } = await server.call('GET', '/api/openapi.json')
    const document = OpenApiDocument.parse(json)
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference)
    expect(references.length).toBeGreaterThan(0)
    for (const reference of references) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((at, key) => Reflect.get(Object(at), key), json)
      expect(found, reference).toBeTypeOf('object')
    }
    const operations = Object.entries(document.paths).flatMap(([url, item]) =>
      Object.entries(item).flatMap(([method, operation]) => (operation ? [{ url, method, operation }] : [])),
    )
    expect(operations.map(({ operation }) => operation.operationId).toSorted()).toEqual(
      endpoints.map(({ id }) => id).toSorted(),
    )
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(endpoints.length)
    for (const { url, operation } of operations) {
      const named = [...url.matchAll(/\{(\w+)\}/g)].map(([, key]) => key)
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual(named)
      for (const { required } of declared) expect(required).toBe(true)
      for (const requirement of operation.security)
        for (const scheme of Object.keys(requirement))
          expect(Object.keys(document.components.securitySchemes)).toContain(scheme)
      expect(Object.keys(operation.responses)).toContain('default')
    }
  })
})

describe('the reference as a page', () => {
  it('lists every call and every error, without scripts', async () => {
    const { text, headers } = await server.call('GET', '/api/docs')
    expect(headers['content-type']).toContain('text/html')
    for (const { id, method, path: url, summary } of endpoints) {
      expect(text).toContain(`id="${id}"`)
      expect(text).toContain(`<code class="method">${method}</code> <code>${url}</code>`)
      expect(text).toContain(summary.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`))
    }
    for (const code of Object.keys(errors)) expect(text).toContain(`<code>${code}</code>`)
    expect(text).not.toMatch(/<script|style="|onclick/)
    expect((await server.call('GET', '/api/docs/style.css')).headers['content-type']).toContain('text/css')
    expect((await server.call('GET', '/api/docs/')).status).toBe(200)
  })
})

describe('every response', () => {
  const requests: [string, () => Promise<Answer>][] = [
    ['a page', () => server.call('GET', '/login')],
    ['the reference', () => server.call('GET', '/api/docs')],
    ['an API call', () => server.answer(api.license.view, {})],
    ['the configuration', () => server.call('GET', '/assets/config.json')],
    ['an unauthorized call', () => server.answer(api.users.list, {})],
    ['bad input', () => server.call('POST', api.auth.login.path, { body: {} })],
    ['a body that is not JSON', () => server.call('POST', api.auth.login.path, { raw: '{' })],
    ['an unknown path', () => server.call('GET', '/api/nothing')],
    ['a path that cannot be decoded', () => server.call('GET', '/api/users/%zz')],
    ['a path that is too long', () => server.answer(api.users.owned, { id: 'x'.repeat(500) }, { token })],
  ]
  it.each(requests)('has the security headers: %s', async (_what, send) => {
    const { headers } = await send()
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-request-id': expect.any(String),
    })
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    // Only frames may load from the host names of apps.
    const frames = 'frame-src http://*.localhost:* https://*.localhost:*'
    expect(policy).toContain(frames)
    expect(policy.replace(frames, '')).not.toMatch(/unsafe|\*(?!:23456)/)
    expect(policy).toContain('ws://*:23456')
    expect(headers).not.toHaveProperty('x-powered-by')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers).not.toHaveProperty('set-cookie')
  })

  it('that is part of a page leaves out the headers that only pages need', async () => {
    for (const url of ['/static/main-abc123.js', '/static/nothing.js']) {
      const { headers } = await server.call('GET', url)
      expect(headers, url).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers, url).not.toHaveProperty('content-security-policy')
    }
    // Whatever could be opened as a page of its own has all headers.
    for (const url of ['/static/picture.svg', '/static/main-abc123.js/', '/static/x.js?page'])
      expect((await server.call('GET', url)).headers, url).toHaveProperty('content-security-policy')
  })

  it('that is a download gives its content no rights at all', async () => {
    const { headers } = await server.answer(api.users.downloadSshKey, {}, { token })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': expect.stringMatching(/^attachment;/) as string,
    })
  })

  it('of the API is not cached, and its errors have one form', async () => {
    for (const url of [api.license.view.path, api.users.list.path, '/api/nothing', '/api/users/%zz']) {
      const { headers, json, status } = await server.call('GET', url)
      expect(headers['cache-control'], url).toBe('no-store')
      if (status >= 400) expect(ErrorReply.parse(json).statusCode).toBe(status)
    }
    const missing = await server.call('GET', '/api/nothing?token=secret')
    expect(missing.json).toMatchObject({ statusCode: 404, message: 'Route GET /api/nothing not found' })
    for (const [method, url] of [
      ['POST', '/login'],
      ['GET', '/static/nothing.js'],
      ['GET', '/assets/nothing.png'],
      ['DELETE', api.license.view.path],
    ] as const)
      expect((await server.call(method, url)).json, url).toMatchObject({
        statusCode: 404,
        message: expect.stringMatching(/^Route/),
      })
  })
})

describe('the web app', () => {
  const get = (url: string, encoding?: string) =>
    server.app.http.inject({ method: 'GET', url, headers: encoding ? { 'accept-encoding': encoding } : {} })

  it('has its pages revalidated and its hashed files cached forever', async () => {
    for (const url of ['/', '/login', '/clusters/abc', '/index.html', '/recoverPassword/a.b-c', '/apis']) {
      const page = await get(url)
      expect(page.statusCode, url).toBe(200)
      expect(page.body, url).toContain('<title>Flotilla</title>')
      expect(page.headers['cache-control'], url).toBe('no-cache')
    }
    expect((await get('/static/main-abc123.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    )
    expect((await get('/favicon.svg')).headers['cache-control']).toBe('no-cache')
    const { etag } = (await get('/login')).headers
    const revalidated = await server.app.http.inject({
      method: 'GET',
      url: '/login',
      headers: { 'if-none-match': String(etag) },
    })
    expect(revalidated.statusCode).toBe(304)
  })

  it('is sent as it was compressed by the build, and varies by accept-encoding', async () => {
    const brotli = await get('/static/main-abc123.js', 'gzip, deflate, br')
    expect(brotli.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': expect.stringContaining('javascript'),
      vary: expect.stringMatching(/accept-encoding/i),
    })
    expect(brotli.rawPayload.equals(brotliCompressSync(SCRIPT))).toBe(true)
    expect((await get('/static/main-abc123.js', 'gzip')).headers['content-encoding']).toBe('gzip')
    for (const [url, encoding] of [
      ['/static/main-abc123.js', undefined],
      ['/static/plain-abc123.js', 'br, gzip'],
    ] as const) {
      const plain = await get(url, encoding)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers.vary).toMatch(/accept-encoding/i)
      expect(plain.body).toBe(SCRIPT)
    }
  })

  it('serves no file outside its folder', async () => {
    for (const url of [
      '/static/../../../etc/passwd',
      '/static/..%2f..%2f..%2fetc%2fpasswd',
      '/..%2f..%2fetc%2fpasswd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '//etc/passwd',
    ])
      expect((await get(url)).body, url).not.toContain('root:')
  })
})

describe('requests over a real connection', () => {
  let port: number
  beforeAll(async () => {
    await server.app.http.listen({ host: '127.0.0.1', port: 0 })
    port = (server.app.http.server.address() as { port: number }).port
  })
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
      socket.on('error', reject)
      socket.on('close', () => resolve(answer))
    })

  it('with broken or huge headers are rejected and do no harm', async () => {
    expect(await raw('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
    expect(await raw(`GET /api/license HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431/,
    )
    expect(
      await raw(
        'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1\.1 400/)
    expect(await raw('GET /api/license HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200/,
    )
  })

  it('come from the address of their connection, whatever their headers say', async () => {
    const response = await fetch(`http://127.0.0.1:${port}${api.auth.login.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': '6.6.6.6',
        'x-real-ip': '6.6.6.6',
        forwarded: 'for=6.6.6.6',
      },
      body: JSON.stringify({ username: 'reader', password: PASSWORD }),
    })
    const { token: mine } = (await response.json()) as { token: string }
    const sessions = await server.must(api.auth.sessions, {}, { token: mine })
    expect(sessions.find(({ current }) => current)?.address).toBe('127.0.0.1')
  })
})

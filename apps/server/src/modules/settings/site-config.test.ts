import { api } from '@flotilla/contract/api'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { LOGO_MAX_BYTES } from '@flotilla/contract/limits'
import { settings as calls } from '@flotilla/contract/site/settings'
import type { ProviderId } from '@flotilla/contract/site/config'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { clusterOf } from '../../../test/support/modules/deployment'
import { newName, registration } from '../../../test/support/app/login'

let app: TestApp
let as: string
let assets: string
beforeAll(async () => {
  app = await testApp()
  as = (await app.person('chief', ['admin'])).token
  assets = path.join(app.dataDir, 'assets')
})
afterEach(async () => {
  await rm(assets, { recursive: true, force: true })
  // A config.json that is missing but existed before would be reported as a problem.
  await file('config.json', {})
})
afterAll(() => app.close())

const change = (body: Sent<typeof calls.setConfig>['body'], token = as) =>
  app.answer(calls.setConfig, { body }, { token })
const view = () => app.must(api.settings.config, {}, { token: as })
const served = async () => (await app.call('GET', '/assets/config.json')).json
const register = (more = {}) => app.answer(api.auth.register, { body: registration(newName(), more) })
const records = () =>
  app.must(api.activities.list, { query: { subject: 'site configuration' } }, { token: as })
async function file(name: string, content: object | string): Promise<void> {
  await mkdir(assets, { recursive: true })
  await writeFile(path.join(assets, name), typeof content === 'string' ? content : JSON.stringify(content))
}
const upload = (logo: Buffer | string, token = as) =>
  app.answer(calls.setLogo, { bytes: Buffer.from(logo) }, { token })
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test("an admin's choices are served at once, saved field by field and recorded in the audit trail", async () => {
  const set = await change({ branding: { name: 'Our site', accent: '#c2410c' }, trainingMenuTitle: 'Course' })
  expect(set).toMatchObject({ status: 200, json: { values: { branding: { name: 'Our site' } }, setBy: {} } })
  await change({ branding: { accentDark: '#fdba74' } })
  expect(await served()).toMatchObject({
    trainingMenuTitle: 'Course',
    branding: { name: 'Our site', accent: '#c2410c', accentDark: '#fdba74' },
  })
  const first = await records()
  expect(first[0]?.changes).toEqual([{ field: 'branding.accentDark', before: null, after: '#fdba74' }])
  // A request without changes is not recorded.
  await change({ branding: { accentDark: '#fdba74' } })
  expect(await records()).toHaveLength(first.length)
})

test.each([
  ['branding.accent', { branding: { accent: 'red' } }],
  ['branding.contactLink', { branding: { contactLink: 'javascript:alert(1)' } }],
  ['branding', { branding: { logo: 'https://elsewhere.example/x.png' } }],
  ['branding.name', { branding: { name: '' } }],
  ['idleTimer', { idleTimer: -1 }],
  ['providers.0', { providers: ['ibm'] }],
  ['allowedEmailDomains.0', { allowedEmailDomains: ['not a domain'] }],
  ['body', { unknown: true }],
])('an invalid value of %s is rejected with its field', async (field, body) => {
  expect(await app.call('PUT', calls.setConfig.path, { as, body })).toMatchObject({
    status: 400,
    json: { fields: { [field]: expect.any(String) } },
  })
})

test('values set by config.json are shown as such, take precedence and cannot be changed', async () => {
  await change({ branding: { name: 'Chosen' }, register: true, trainingMenuTitle: 'Chosen title' })
  await file('config.json', { branding: { name: 'From the file' }, register: false })
  expect(await view()).toMatchObject({
    values: { branding: { name: 'From the file' }, register: false, trainingMenuTitle: 'Chosen title' },
    setBy: { 'branding.name': 'assets/config.json', register: 'assets/config.json' },
  })
  const refused = await change({ branding: { name: 'Mine' }, register: true, idleTimer: 60 })
  expect(refused).toMatchObject({
    status: 409,
    json: {
      code: 'set_elsewhere',
      fields: {
        'branding.name': 'Set by assets/config.json. Change it there.',
        register: 'Set by assets/config.json. Change it there.',
      },
    },
  })
  expect(await served()).toMatchObject({ idleTimer: 0, branding: { name: 'From the file' } })
  // Sending the current value is not a change.
  expect((await change({ register: false, trainingMenuTitle: 'Other' })).status).toBe(200)
  await file('config.json', {})
  expect(await served()).toMatchObject({ register: true, trainingMenuTitle: 'Other' })
})

test('while config.json is invalid, security settings keep their values and cannot be changed', async () => {
  await file('config.json', {})
  await change({ register: false, branding: { name: 'Before' } })
  expect(await served()).toMatchObject({ register: false })
  await file('config.json', '{ "register": ')
  expect((await change({ register: true })).json).toMatchObject({
    fields: { register: 'Set by assets/config.json. Change it there.' },
  })
  expect((await change({ branding: { name: 'After' } })).status).toBe(200)
  expect(await served()).toMatchObject({ register: false, branding: { name: 'After' } })
  await file('config.json', {})
  expect((await change({ register: true })).status).toBe(200)
})

test('the registration setting and the allowed domains are enforced', async () => {
  await change({ register: false })
  expect((await register()).json).toMatchObject({ code: 'registration_off' })
  await change({ register: true, allowedEmailDomains: ['Example.ORG', 'hpc.example.net'] })
  for (const email of [
    'eve@evil.example',
    'eve@notexample.org',
    'eve@sub.example.org',
    'eve@example.org.evil.example',
  ])
    expect(await register({ email })).toMatchObject({
      status: 400,
      json: {
        fields: {
          email:
            'Email domain not allowed. Please use an email from one of these domains: example.org, hpc.example.net',
        },
        allowedDomains: ['example.org', 'hpc.example.net'],
      },
    })
  expect((await register({ email: `${newName()}@EXAMPLE.org` })).status).toBe(201)
  await change({ allowedEmailDomains: [] })
  expect((await register()).status).toBe(400)
  await change({ allowedEmailDomains: null })
  expect((await register()).status).toBe(201)
})

test('the idle timer chosen by an admin ends sessions', async () => {
  const { token } = await app.person(newName(), ['user'])
  await change({ idleTimer: 120 })
  app.advance(200_000)
  expect((await app.refused(api.ui.settings, {}, { token })).status).toBe(401)
  // The admin's own session has expired too.
  as = (await app.person(newName(), ['admin'])).token
  await change({ idleTimer: 0 })
})

test('the providers offered to everyone or to one user are enforced when something is created', async () => {
  await change({ providers: ['aws'] })
  const { id, token } = await app.person(newName(), ['user', 'instructor'])
  const offered = async () => (await app.must(api.providers.list, {}, { token })).map((one) => one.id)
  const makeCluster = async (provider: ProviderId) => {
    const cluster = { ...clusterOf(provider), credential_id: 'none' }
    return (await app.refused(api.clusters.create, { body: cluster }, { token })).fields.provider
  }
  expect(await offered()).toEqual(['aws'])
  expect(await makeCluster('gcp')).toBe('This provider is not available to you')
  expect(await makeCluster('aws')).toBeUndefined()
  const stack = {
    name: 'one',
    provider: 'gcp' as const,
    credential_id: 'none',
    data: { region_id: 'us-west1', zone_id: 'us-west1-a', instance_id: 'e2-standard-2' },
  }
  const made = await app.refused(api.stacks.create, { body: stack }, { token })
  expect(made).toMatchObject({ fields: { provider: 'This provider is not available to you' } })
  await app.db.kysely
    .updateTable('users')
    .set({ providers: ['gcp'] })
    .where('id', '=', id)
    .execute()
  expect(await offered()).toEqual(['gcp'])
  expect(await makeCluster('gcp')).toBeUndefined()
  expect(await makeCluster('aws')).toBe('This provider is not available to you')
  await change({ providers: ['aws', 'gcp', 'oracle', 'maas', 'azure'] })
})

test('the text next to the login form is served in a sandbox; a file of the operator takes precedence', async () => {
  await change({ introHtml: '<h1>Welcome</h1><script>alert(1)</script>' })
  const page = await app.call('GET', '/assets/intro.html')
  expect(page.text).toContain('<h1>Welcome</h1>')
  expect(page.headers['content-security-policy']).toContain('sandbox')
  await file('intro.html', '<h1>From the file</h1>')
  expect(await view()).toMatchObject({
    introHtml: '<h1>From the file</h1>',
    setBy: { introHtml: 'assets/intro.html' },
  })
  expect((await change({ introHtml: 'Mine' })).status).toBe(409)
  await rm(assets, { recursive: true })
  await change({ introHtml: null })
  expect((await view()).introHtml).toContain('Clusters when you need them')
})

test('a logo is stored, served so that it cannot run code, and removed', async () => {
  const made = await upload(png)
  const { logo } = made.json.values.branding
  expect(logo).toMatch(/^\/assets\/logo-[0-9a-f]{16}\.png$/)
  const picture = await app.app.http.inject({ url: logo ?? '' })
  expect(picture.rawPayload.equals(png)).toBe(true)
  expect(picture.headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' })

  const svg =
    '<?xml version="1.0"?><!-- by hand --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle id="c" r="4"/><use href="#c"/></svg>'
  const next = (await upload(svg)).json.values.branding.logo ?? ''
  const drawn = await app.app.http.inject({ url: next })
  expect(drawn.headers['content-type']).toBe('image/svg+xml')
  expect(drawn.headers['content-security-policy']).toMatch(/default-src 'none'; sandbox/)
  expect((await app.app.http.inject({ url: logo ?? '' })).statusCode).toBe(404)

  await file('config.json', { branding: { logo: '/assets/ours.png' } })
  expect((await upload(png)).status).toBe(409)
  await file('config.json', {})
  const removed = await app.must(api.settings.removeLogo, {}, { token: as })
  expect(removed).toMatchObject({ values: { branding: { logo: null } } })
  expect((await app.app.http.inject({ url: next })).statusCode).toBe(404)
})

const svgWith = (inside: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`
test.each([
  ['nothing', ''],
  ['too large', Buffer.concat([png, Buffer.alloc(LOGO_MAX_BYTES)])],
  ['a page', '<html><body><svg></svg></body></html>'],
  ['a page that calls itself a picture', 'GIF89a<script>alert(1)</script>'],
  ['a script', svgWith('<script>alert(1)</script>')],
  [
    'a script of another namespace',
    svgWith('<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>'),
  ],
  ['an event handler', svgWith('', 'onload="alert(1)"')],
  ['an event handler without a space', svgWith('<a id="x"onclick="alert(1)"/>')],
  ['an active link', svgWith('<a href="javascript:alert(1)">x</a>')],
  ['a page inside', svgWith('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>')],
  ['an entity', `<!DOCTYPE svg [<!ENTITY x "y">]>${svgWith('&x;')}`],
  ['a tracker', svgWith('<image href="https://evil.example/x.png"/>')],
  ['a style sheet of another site', svgWith('<style>@import "https://evil.example/x.css"</style>')],
  ['many open comments', `<svg>${'<!--'.repeat(50_000)}<script/>`],
])('a logo that is %s is rejected', async (_what, payload) => {
  expect(await upload(payload)).toMatchObject({
    status: 400,
    json: { fields: { logo: expect.any(String) } },
  })
})

test('only admins, without access tokens, change the configuration; a new address requires the password', async () => {
  const { token } = await app.person(newName(), ['user', 'instructor'])
  expect((await change({ register: false }, token)).status).toBe(403)
  expect((await upload(png, token)).status).toBe(403)
  const unlimited = { name: 'all', scope: 'all' as const }
  const { secret } = await app.must(api.accessTokens.create, { body: unlimited }, { token: as })
  expect((await change({ register: false }, secret)).json).toMatchObject({ code: 'token_scope' })
  app.advance(16 * 60_000)
  expect((await change({ server: 'https://evil.example' })).json).toMatchObject({ code: 'confirm_needed' })
  expect((await change({ trainingMenuTitle: 'Fine' })).status).toBe(200)
})

test('new clusters use the cluster settings unless they override them', async () => {
  const before = await app.must(calls.site, {}, { token: as })
  expect(before).toMatchObject({ vncTokenAuthentication: true, vncRemoteClient: false })
  const wrong = await app.call('PUT', calls.setCluster.path, { as, body: { vncRemoteClient: 'yes' } })
  expect(Object.keys((wrong.json as { fields: object }).fields)).toEqual([
    'vncTokenAuthentication',
    'vncRemoteClient',
  ])
  const body = { vncTokenAuthentication: false, vncRemoteClient: true }
  expect(await app.must(calls.setCluster, { body }, { token: as })).toMatchObject(body)
  const [aws] = await app.must(api.providers.list, {}, { token: as })
  expect(aws?.desktopDefaults).toEqual(body)
  const credential = await app.must(
    api.credentials.create,
    {
      body: {
        name: 'ours',
        provider: 'aws',
        data: { access_key: 'AKIAEXAMPLE', secret_key: 'secret' },
      },
    },
    { token: as },
  )
  const cluster = (info: object) => {
    const { info: whole, ...rest } = clusterOf('aws')
    const credential_id = credential.id
    return { ...rest, name: newName(), credential_id, info: { 'os-type': whole['os-type'], ...info } }
  }
  const make = (info: object) => app.must(api.clusters.create, { body: cluster(info) }, { token: as })
  expect(await make({})).toMatchObject({ info: body })
  expect(await make({ vncTokenAuthentication: true })).toMatchObject({
    info: { vncTokenAuthentication: true, vncRemoteClient: true },
  })
})

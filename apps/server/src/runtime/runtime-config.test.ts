import { api } from '@flotilla/contract/api'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RuntimeConfig, ServedConfig } from '@flotilla/contract/site/config'
import { testApp, type TestApp } from '../../test/support/app/app'

let server: TestApp
let folder: string
beforeAll(async () => {
  server = await testApp({ WEBSOCKET_PORT: '23456' })
  folder = path.join(server.dataDir, 'assets')
})
afterEach(() => rm(folder, { recursive: true, force: true }))
afterAll(() => server.close())

async function put(name: string, content: string | object): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}
const served = async () => {
  const { status, json, headers } = await server.call('GET', '/assets/config.json')
  expect(status).toBe(200)
  expect(headers['cache-control']).toBe('no-cache')
  return ServedConfig.parse(json)
}
const defaults = RuntimeConfig.parse({})

describe('config.json', () => {
  it('has its defaults when there is no file', async () => {
    const config = await served()
    expect(config).toMatchObject({
      ...defaults,
      server: 'http://127.0.0.1:12345',
      websocketPort: 23456,
      simulated: false,
      problems: [],
    })
    expect(config.branding.name).toBe('HPC On-Demand Data Center')
  })

  it("applies the operator's values, and changes to them without a restart", async () => {
    await put('config.json', { branding: { name: 'Our clusters' }, register: false })
    expect(await served()).toMatchObject({
      branding: { name: 'Our clusters', logo: null },
      register: false,
      problems: [],
    })
    await put('config.json', {
      branding: { name: 'Renamed it' },
      register: false,
      server: 'https://hpc.example.org',
    })
    expect(await served()).toMatchObject({
      branding: { name: 'Renamed it' },
      server: 'https://hpc.example.org',
    })
    await put('config.json', {})
    expect(await served()).toMatchObject({ branding: { name: defaults.branding.name }, register: true })
  })

  it.each([
    ['not JSON', '{"register": fals'],
    ['empty', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['binary', '\u0000\u0001'],
  ])(
    'that is %s leads to the default branding, and the problem is reported on the page and in the log',
    async (_what, content) => {
      await put('config.json', content)
      const { problems, branding } = await served()
      expect(branding).toEqual(defaults.branding)
      expect(problems.length).toBeGreaterThan(0)
      expect(problems[0]).toMatch(/^config\.json/)
      for (const problem of problems) expect(server.log()).toContain(JSON.stringify(problem).slice(1, -1))
    },
  )

  it('keeps every valid field beside the invalid ones, also inside a group, and reports each invalid one', async () => {
    await put('config.json', {})
    await served()
    await put('config.json', {
      register: 'no',
      idleTimer: -5,
      trainingMenuTitle: 'Course',
      updateInterval: 7000,
      intro: '../../../etc/passwd.html',
      server: 'ftp://x',
      branding: {
        name: 'Good name',
        logo: 'javascript:alert(1)',
        accent: 'red',
        contactLink: '//evil.example',
        quickStartLink: 'https://docs.example.org',
      },
      features: { ldap: false, workshops: 'yes' },
    })
    const { problems, ...config } = await served()
    expect(config).toMatchObject({
      register: true,
      idleTimer: 0,
      trainingMenuTitle: 'Course',
      updateInterval: 7000,
      intro: 'intro.html',
      server: 'http://127.0.0.1:12345',
      branding: {
        name: 'Good name',
        logo: null,
        accent: null,
        contactLink: 'mailto:support@localhost',
        quickStartLink: 'https://docs.example.org',
      },
      features: { ldap: false, workshops: true },
    })
    const wrong = [
      'register',
      'idleTimer',
      'intro',
      'server',
      'branding.logo',
      'branding.accent',
      'branding.contactLink',
      'features.workshops',
    ]
    const named = problems.filter((problem) => !problem.includes('in force'))
    expect(named.map((problem) => problem.split(': ')[1] ?? '').toSorted()).toEqual(wrong.toSorted())
    expect(problems.find((problem) => problem.includes('branding.logo'))).toContain('must begin with http://')
    expect(problems.find((problem) => problem.includes('register'))).toContain('expected boolean')
  })

  it.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    'java\nscript:x',
    'vbscript:x',
  ])('rejects the link %s', async (link) => {
    await put('config.json', { branding: { contactLink: link, freeTrialLink: link } })
    const { branding, problems } = await served()
    expect(branding).toMatchObject({ contactLink: defaults.branding.contactLink, freeTrialLink: null })
    expect(problems).toHaveLength(2)
  })

  it('serves no unknown fields and pollutes no prototype', async () => {
    await put(
      'config.json',
      '{"smtpPassword":"hunter2","__proto__":{"register":false},"constructor":{"prototype":{"x":1}}}',
    )
    const { text } = await server.call('GET', '/assets/config.json')
    expect(text).not.toContain('hunter2')
    expect(await served()).toMatchObject({ register: true })
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })

  it('has unknown fields and a missing logo reported, also in the doctor and on the dashboard', async () => {
    const admin = await server.person('configadmin', ['admin'])
    const found = async (endpoint: typeof api.doctor.view | typeof api.dashboard.view) =>
      JSON.stringify(await server.must(endpoint, {}, { token: admin.token }))
    const logo = 'config.json: branding.logo: assets/our-logo.svg does not exist'
    const before = server.log().length
    await put('config.json', { colour: 'red', branding: { logo: '/assets/our-logo.svg' } })
    expect((await served()).problems).toEqual(['config.json: colour: unknown field, ignored', logo])
    expect(await found(api.doctor.view)).toContain(logo)
    expect(await found(api.dashboard.view)).toContain('colour: unknown field, ignored, and 1 more problem')
    expect(server.log().slice(before).split('configuration:')).toHaveLength(3)
    await put('config.json', { branding: { logo: '/assets/our-logo.svg' } })
    await put('our-logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    expect((await served()).problems).toEqual([])
    expect(await found(api.doctor.view)).toContain('The configuration files are valid')
  })

  it('has a problem logged once, not for every request', async () => {
    await put('config.json', { intro: 'once' })
    const before = server.log().length
    for (let i = 0; i < 5; i++) await served()
    expect(server.log().slice(before).split('configuration:')).toHaveLength(2)
  })
})

describe('providers.json', () => {
  const good = { aws: { regions: [{ name: 'Ireland', region_id: 'eu-west-1' }] } }

  it('is 404 when it does not exist, and served when it is valid', async () => {
    expect((await server.call('GET', '/assets/providers.json')).status).toBe(404)
    await put('providers.json', good)
    expect(await server.call('GET', '/assets/providers.json')).toMatchObject({ status: 200, json: good })
  })

  it.each([
    '{',
    '[]',
    '{"ibm":{}}',
    '{"aws":{"regions":[{"name":"x"}]}}',
    '{"aws":{"instanceSizes":[{"name":"a","instance_id":"a","cores":0}]}}',
  ])('is 404 when it is %s, and config.json reports the problem', async (content) => {
    // Reading after the file was removed also drops its last good content.
    await served()
    await put('config.json', {})
    await put('providers.json', content)
    expect((await server.call('GET', '/assets/providers.json')).status).toBe(404)
    const { problems } = await served()
    expect(problems.length).toBeGreaterThan(0)
    expect(problems[0]).toMatch(/^providers\.json/)
  })
})

describe("the operator's files", () => {
  it('are served sandboxed, and so is the built-in intro', async () => {
    expect((await server.call('GET', '/assets/intro.html')).text).toContain('<h1>')
    await put('intro.html', '<h1>Ours</h1><script>alert(1)</script>')
    await put('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    const intro = await server.call('GET', '/assets/intro.html')
    expect(intro.text).toContain('Ours')
    expect(intro.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect((await server.call('GET', '/assets/logo.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    await put('config.json', { intro: 'welcome.html' })
    expect((await server.call('GET', '/assets/welcome.html')).status).toBe(200)
    expect(server.log(), 'each is sent once').not.toContain('already sent')
  })

  it('are only those in the folder itself, whatever path is requested or a symlink points to', async () => {
    await put('intro.html', 'fine')
    await put('inner/page.html', 'treasure')
    await writeFile(path.join(server.dataDir, 'secret.html'), 'treasure')
    await symlink(path.join(server.dataDir, 'secret.html'), path.join(folder, 'link.html'))
    await symlink('/etc', path.join(folder, 'etc.html'))
    await symlink(path.join(folder, 'nowhere.html'), path.join(folder, 'broken.html'))
    const paths = [
      '../secret.html',
      '..%2fsecret.html',
      '..%2Fsecret.html',
      '%2e%2e%2fsecret.html',
      '..%5csecret.html',
      '%2fetc%2fpasswd',
      'inner%2fpage.html',
      'inner/page.html',
      'link.html',
      'etc.html',
      'broken.html',
      'inner',
      '..',
      '.',
      '',
      'intro.html%00.png',
      `${'a'.repeat(280)}.html`,
    ]
    for (const each of paths) {
      const { status, text } = await server.call('GET', `/assets/${each}`)
      expect([400, 404], each).toContain(status)
      expect(text).not.toContain('treasure')
    }
    for (const name of ['master.key', 'script.js', 'page.htm', 'data.json', 'style.css']) {
      await put(name, 'treasure')
      expect((await server.call('GET', `/assets/${name}`)).status, name).toBe(404)
    }
  })
})

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RuntimeConfig, strictestConfig } from '@flotilla/contract/site/config'
import { STRICT_IDLE_TIMER_S } from '@flotilla/contract/limits'
import { openRuntimeConfig } from './runtime'
import { testApp } from '../../test/support/app/app'
import { registration, loginCalls } from '../../test/support/app/login'

/** Every value is stricter than its default. */
const strict = {
  server: 'https://hpc.example.org',
  register: false,
  idleTimer: 600,
  providers: ['maas'],
  features: { workshops: true, marketplace: false, ldap: false },
}
const defaults = RuntimeConfig.parse({})

let dataDir: string
let file: string
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-config-'))
  await mkdir(path.join(dataDir, 'assets'))
  file = path.join(dataDir, 'assets', 'config.json')
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** Reads the file as a server does that has just been started. */
const started = () => openRuntimeConfig(dataDir, pino({ level: 'silent' }))
const text = (config: unknown) => JSON.stringify(config)

const brokenFiles: [string, () => Promise<unknown>, RegExp][] = [
  ['half written', () => writeFile(file, text(strict).slice(0, 40)), /is not valid JSON/],
  ['empty', () => writeFile(file, ''), /is not valid JSON/],
  ['a list', () => writeFile(file, '[]'), /must contain an object/],
  ['not text', () => writeFile(file, Buffer.from([0x7b, 0xff, 0x7d])), /is not UTF-8 text/],
  ['with a field twice', () => writeFile(file, '{"register":false,"register":true}'), /"register" twice/],
  [
    'with a field twice, once escaped',
    () => writeFile(file, '{"register":false,"\\u0072egister":true}'),
    /twice/,
  ],
  [
    'with a field of a group twice',
    () => writeFile(file, '{"features":{"ldap":false,"ldap":true}}'),
    /"ldap" twice/,
  ],
  ['a folder', () => mkdir(file), /is not a regular file/],
  ['a FIFO', async () => execFileSync('mkfifo', [file]), /is not a regular file/],
  ['a device', async () => execFileSync('ln', ['-s', '/dev/zero', file]), /is not a regular file/],
  ['a symlink to itself', async () => execFileSync('ln', ['-s', file, file]), /cannot be read \(ELOOP\)/],
  ['1 GB', async () => (await writeFile(file, ''), truncate(file, 2 ** 30)), /is larger than 1 MB/],
]

describe('a config.json that is', () => {
  it.each(brokenFiles)(
    '%s keeps the last good security settings, also after a restart',
    async (_what, spoil, message) => {
      await writeFile(file, text(strict))
      const running = started()
      expect(await running.config()).toMatchObject(strict)
      await rm(file)
      await spoil()
      for (const runtime of [running, started()]) {
        expect(await runtime.config()).toEqual({ ...defaults, ...strict })
        const problems = await runtime.problems()
        expect(problems[0]).toMatch(message)
        expect(problems[1]).toMatch(
          /in force until this is fixed, the last valid values: .*register false, idleTimer 600/,
        )
        expect(problems).toHaveLength(2)
      }
    },
  )

  it.each(brokenFiles)('%s and was never valid leads to the strictest settings', async (_what, spoil) => {
    await spoil()
    const runtime = started()
    expect(await runtime.config()).toEqual({ ...defaults, ...strictestConfig })
    expect((await runtime.problems())[1]).toContain(
      `the strictest values, because no valid ones are known: server null, register false, idleTimer ${STRICT_IDLE_TIMER_S}`,
    )
  })
})

describe('an invalid field', () => {
  const wrong: [string, unknown][] = [
    ['server', 'https://hpc.example.org@evil.example'],
    ['register', 'false'],
    ['idleTimer', '600'],
    ['idleTimer', -1],
    ['providers', 'maas'],
    ['providers', ['maas', 'ibm']],
    ['features', 'none'],
    ['features', null],
    ['features', { ldap: 0, workshops: 0, marketplace: 0 }],
  ]
  it.each(wrong)(
    '%s %j keeps its last good value while the other fields take effect',
    async (field, value) => {
      await writeFile(file, text(strict))
      await started().config()
      await writeFile(file, text({ branding: { name: 'New name' }, updateInterval: 9000, [field]: value }))
      const config = await started().config()
      expect(Reflect.get(config, field)).toEqual(Reflect.get(strict, field))
      expect(config).toMatchObject({ branding: { name: 'New name' }, updateInterval: 9000 })
      // A field that the file leaves out still gets its default.
      if (field !== 'register') expect(config.register).toBe(true)
    },
  )

  it.each(wrong)('%s %j gets the strictest value if no good one is known', async (field, value) => {
    await writeFile(file, text({ [field]: value }))
    expect(Reflect.get(await started().config(), field)).toEqual(Reflect.get(strictestConfig, field))
  })

  it('keeps its last good value through other changes to the file', async () => {
    await writeFile(file, text(strict))
    await started().config()
    await writeFile(file, text({ ...strict, register: 'no', idleTimer: 300 }))
    await started().config()
    await writeFile(file, '{')
    expect(await started().config()).toMatchObject({ register: false, idleTimer: 300 })
  })

  it('that is unknown is reported, because a misspelled setting would silently have its default', async () => {
    await writeFile(file, text({ registr: false, features: { Ldap: false }, branding: { title: 'x' } }))
    expect(await started().problems()).toEqual([
      'config.json: registr: unknown field, ignored',
      'config.json: features.Ldap: unknown field, ignored',
      'config.json: branding.title: unknown field, ignored',
    ])
  })

  it('is only counted beyond the first 20 problems', async () => {
    await writeFile(file, text(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}`, i]))))
    const problems = await started().problems()
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('config.json: 4980 more problems')
  })
})

describe('a missing config.json', () => {
  it('means the defaults if there never was one', async () => {
    expect(await started().config()).toEqual(defaults)
    expect(await started().problems()).toEqual([])
  })

  it('that existed before keeps the security settings and says how to return to the defaults', async () => {
    await writeFile(file, text(strict))
    await started().config()
    await rm(path.join(dataDir, 'assets'), { recursive: true })
    expect(await started().config()).toMatchObject(strict)
    expect((await started().problems())[0]).toContain('save it with the content {}')
    await mkdir(path.join(dataDir, 'assets'))
    await writeFile(file, '{}')
    expect(await started().config()).toEqual(defaults)
    expect(await started().problems()).toEqual([])
  })
})

describe('the last valid values', () => {
  const kept = () => path.join(dataDir, 'last-good-config.json')

  it.each([
    ['missing', () => rm(kept()), strictestConfig],
    ['damaged', () => writeFile(kept(), '{"regis'), strictestConfig],
    [
      'invalid in one field',
      () => writeFile(kept(), '{"register":"yes","idleTimer":60}'),
      { register: false, idleTimer: 60 },
    ],
  ])('that are %s are replaced by the strictest', async (_what, spoil, expected) => {
    await writeFile(file, text({ ...strict, register: true }))
    await started().config()
    await writeFile(file, '{')
    await spoil()
    expect(await started().config()).toMatchObject(expected)
  })

  it('that are damaged do not count as those of a site that never had a file', async () => {
    await writeFile(kept(), '{"regis')
    expect(await started().config()).toMatchObject(strictestConfig)
  })

  it('are removed when newer ones cannot be saved, as the old ones may be less strict', async () => {
    await writeFile(file, '{}')
    await started().config()
    expect(JSON.parse(await readFile(kept(), 'utf8'))).toMatchObject({ register: true })
    // A folder in its place can be neither replaced by a file nor removed like one, and reading it fails.
    await rm(kept())
    await mkdir(kept())
    const running = started()
    await writeFile(file, text(strict))
    expect(await running.config()).toMatchObject(strict)
    await writeFile(file, '{')
    expect(await running.config()).toMatchObject(strict)
    expect(await started().config()).toMatchObject(strictestConfig)
  })
})

describe('providers.json', () => {
  const providers = () => path.join(dataDir, 'assets', 'providers.json')
  const limited = { aws: { instanceSizes: [{ name: 'small', instance_id: 't3.small', cores: 2 }] } }

  it('that is broken keeps the last good sizes, also after a restart; without it the built-in ones apply', async () => {
    await writeFile(providers(), text(limited))
    await started().providers()
    for (const broken of ['{', '{"aws":{},"aws":{}}', '{"aws":5}']) {
      await writeFile(providers(), broken)
      expect(await started().providers()).toEqual(limited)
      expect((await started().problems()).at(-1)).toContain('the last valid file')
    }
    await rm(providers())
    expect(await started().providers()).toBeNull()
    await writeFile(providers(), '{')
    expect(await started().providers()).toBeNull()
    expect((await started().problems()).at(-1)).toContain('the built-in regions and sizes')
  })
})

it('a broken file neither lets strangers register nor keeps idle sessions alive', async () => {
  const server = await testApp()
  try {
    const { register, works } = loginCalls(() => server)
    const assets = path.join(server.dataDir, 'assets')
    await mkdir(assets)
    const { token } = await server.person('idler', ['user'])
    expect(await works(token)).toBe(200)
    await writeFile(path.join(assets, 'config.json'), '{"register": false, "idleTimer": 60')
    expect((await register(registration('stranger'))).json).toMatchObject({
      code: 'registration_off',
    })
    const served = await server.call('GET', '/assets/config.json')
    expect(served.json).toMatchObject({ register: false, idleTimer: STRICT_IDLE_TIMER_S })
    server.advance((STRICT_IDLE_TIMER_S + 60) * 1000)
    expect(await works(token)).toBe(401)
  } finally {
    await server.close()
  }
})

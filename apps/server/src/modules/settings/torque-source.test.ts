import { api } from '@flotilla/contract/api'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settings } from '@flotilla/contract/site/settings'
import { testApp, type TestApp } from '../../../test/support/app/app'

/** A key of random bytes, which compression does not shorten. */
const keyOf = (bytes: number) =>
  `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${randomBytes(bytes)
    .toString('base64')
    .replace(/.{64}/g, '$&\n')}\n-----END PGP PUBLIC KEY BLOCK-----\n`
// As large as an RSA key of 4096 bits without subkeys.
const key = keyOf(1250)
const source = {
  file: 'deb [signed-by=/etc/apt/keyrings/flotilla-torque.asc] https://repo.example.org/torque stable main\n',
  key,
  headPackages: ['torque-server', 'torque-client'],
  nodePackages: ['torque-mom'],
}
const repo = '[torque]\nname=Torque\nbaseurl=https://repo.example.org/el9/\ngpgcheck=1\n'

let server: TestApp
let folder: string
let admin: { token: string }
let user: { token: string }
beforeAll(async () => {
  // A deployment first runs this to get its version, and the tests need nothing more.
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-tofu-'))
  const tofu = path.join(folder, 'tofu')
  await writeFile(tofu, `#!/bin/sh\necho '{"terraform_version":"1.10.0"}'\n`)
  await chmod(tofu, 0o755)
  server = await testApp({ TOFU_BIN: tofu })
  admin = await server.person('chief', ['admin'])
  user = await server.person('adalove', ['user'])
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const put = (body: typeof source) => server.answer(settings.setTorqueSource, { body }, { token: admin.token })
const get = () => server.must(settings.torqueSource, {}, { token: admin.token })
const remove = () => server.must(settings.removeTorqueSource, {}, { token: admin.token })

describe('the package repository of Torque', () => {
  it('is set, read and removed by admins only, and each change is in the audit trail', async () => {
    expect(await get()).toEqual({ source: null })
    const as = { token: user.token }
    for (const { status } of [
      await server.refused(settings.setTorqueSource, { body: source }, as),
      await server.refused(settings.torqueSource, {}, as),
      await server.refused(settings.removeTorqueSource, {}, as),
    ])
      expect(status).toBe(403)
    expect(await put(source)).toMatchObject({
      status: 200,
      json: { source: { ...source, setAt: expect.any(Number) } },
    })
    expect(await get()).toMatchObject({ source })
    const rewritten = { ...source, file: repo.replaceAll('\n', '\r\n'), key: '' }
    expect((await put(rewritten)).json).toMatchObject({ source: { file: repo, key: '' } })
    expect(await remove()).toEqual({ source: null })
    expect(await remove()).toEqual({ source: null })
    const trail = await server.must(api.activities.list, {}, { token: admin.token })
    const lines = trail.filter((one) => 'subject' in one && one.subject === 'Torque package repository')
    expect(lines).toMatchObject([
      { actor: 'chief', action: 'removed' },
      { action: 'changed' },
      { action: 'changed', detail: 'head node torque-server, torque-client; nodes torque-mom' },
    ])
  })

  it.each([
    ['file', ''],
    ['file', '# only words\n'],
    ['file', 'x'.repeat(100_000)],
    ['file', 'deb https://repo.example.org/torque'],
    ['file', 'deb file:///etc stable main'],
    ['file', 'deb https://me:secret@repo.example.org/torque stable main'],
    ['file', 'deb https://repo.example.org/$(id) stable main\n#!/bin/sh\nrm -rf /'],
    ['file', 'deb https://repo.example.org/ stable main\u0000'],
    ['file', '\u202edeb https://repo.example.org/ stable main'],
    ['file', '[torque]\nname=Torque\n'],
    ['file', `${repo}password=secret\n`],
    ['file', `${repo}proxy_password=secret\n`],
    ['file', `${repo}[evil\n`],
    ['file', repo.replace('https:', 'ftp:')],
    ['key', 'not a key'],
    ['key', key.replaceAll('PUBLIC', 'PRIVATE')],
    ['key', `${key}rm -rf /`],
    ['key', key.replace('\n\n', '\n\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n')],
    ['key', keyOf(6000)],
    ['headPackages', []],
    ['headPackages', ['--allow-unauthenticated']],
    ['headPackages', ['torque server']],
    ['headPackages', ['torque\nserver']],
    ['headPackages', ['$(id)']],
    ['nodePackages', ['../mom']],
    ['nodePackages', ['Torque-Mom']],
    ['nodePackages', ['']],
    ['nodePackages', ['x'.repeat(101)]],
    ['nodePackages', Array.from({ length: 21 }, () => 'torque-mom')],
  ])('rejects an invalid %s (%#)', async (field, value) => {
    const { status, json } = await put({ ...source, [field]: value })
    expect(status, JSON.stringify(json)).toBe(400)
    expect(Object.keys(json.fields ?? {})).toEqual([field])
    expect(await get()).toEqual({ source: null })
  })

  it('rejects unknown fields', async () => {
    const body = { ...source, script: 'reboot' }
    const { status } = await server.call('PUT', settings.setTorqueSource.path, { as: admin.token, body })
    expect(status).toBe(400)
  })
})

describe('deploying with Torque', () => {
  const deploy = (id: string) => server.answer(api.clusters.deploy, { body: { id } }, { token: admin.token })
  async function cluster(manager: 'torque' | 'slurm'): Promise<string> {
    const as = { token: admin.token }
    const data = { access_key: 'AKIA', secret_key: 'secret' }
    const reply = await server.must(
      api.credentials.create,
      { body: { name: `aws ${manager}`, provider: 'aws', data } },
      as,
    )
    const body = {
      name: `With ${manager}`,
      provider: 'aws' as const,
      credential_id: reply.id,
      info: { 'os-type': 'ubuntu-22.04' as const },
      data: {
        manager,
        network: { region_id: 'us-east-1', zone_id: 'us-east-1a' },
        server: { instance_id: 't3.large', volume_size: 50 },
        node: { group: [{ count: 2, instance_id: 't3.large' }], volume_size: 50 },
      },
    }
    return (await server.must(api.clusters.create, { body }, as)).id
  }

  it('is rejected without a repository, suggesting Slurm, and starts with one', async () => {
    const id = await cluster('torque')
    expect(await deploy(id)).toMatchObject({
      status: 409,
      json: { code: 'no_torque', message: expect.stringMatching(/repository.*use Slurm/) },
    })
    // AWS does not accept that much data, but other clouds do.
    expect((await put({ ...source, key: keyOf(5700) })).status).toBe(200)
    expect(await deploy(id)).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining('the repository key') },
    })
    expect((await put(source)).status).toBe(200)
    expect(await deploy(id)).toMatchObject({
      status: 200,
      json: { cluster: { info: { state: 'deploying' } } },
    })
    const second = await cluster('torque')
    await remove()
    expect((await deploy(second)).status).toBe(409)
    expect((await deploy(await cluster('slurm'))).status).toBe(200)
  })
})

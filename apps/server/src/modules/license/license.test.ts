import { api } from '@flotilla/contract/api'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { messages } from '@flotilla/contract/messages'
import { makeKeyPair, signLicense } from './file'
import { PASSWORD, testApp, type TestApp } from '../../../test/support/app/app'

const HOUR = 3_600_000
const keys = makeKeyPair()
const terms = {
  licenseType: 'Multi-User',
  issuedTo: 'Example University',
  validFrom: Date.now() - HOUR,
  validUntil: Date.now() + HOUR,
}
const file = (change = {}, privateKey = keys.privateKey) => signLicense({ ...terms, ...change }, privateKey)

let server: TestApp
let folder: string
let licenseFile: string
let publicKeyFile: string
const install = (content: string) => writeFile(licenseFile, content)
const view = () => server.answer(api.license.view, {})
const login = () => server.answer(api.auth.login, { body: { username: 'maria', password: PASSWORD } })

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-license-'))
  licenseFile = path.join(folder, 'license.json')
  publicKeyFile = path.join(folder, 'license.pub')
  server = await testApp({ LICENSE_FILE: licenseFile, LICENSE_PUBLIC_KEY_FILE: publicKeyFile })
  await writeFile(publicKeyFile, keys.publicKey)
  await install(file())
  await server.person('maria', ['user'])
})
beforeEach(async () => {
  await writeFile(publicKeyFile, keys.publicKey)
  await install(file())
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

it('a valid license is shown with its terms', async () => {
  expect(await view()).toMatchObject({ status: 200, json: terms })
  expect((await login()).status).toBe(200)
})

describe('an invalid license blocks logins, refreshes and registrations', () => {
  /** Changes the signed terms and keeps the signature. */
  const altered = () => {
    const signed = JSON.parse(file()) as { terms: string; signature: string }
    const bytes = Buffer.from(signed.terms, 'base64').toString().replace('Multi-User', 'Multi-Usex')
    return JSON.stringify({ ...signed, terms: Buffer.from(bytes).toString('base64') })
  }
  const resigned = () => {
    const signed = JSON.parse(file()) as { terms: string; signature: string }
    const bytes = Buffer.from(signed.signature, 'base64')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return JSON.stringify({ ...signed, signature: bytes.toString('base64') })
  }
  it.each([
    ['when it has expired', 'expired', () => file({ validUntil: Date.now() - 1000 })],
    ['when it is not valid yet', 'not_yet_valid', () => file({ validFrom: Date.now() + HOUR })],
    ['when a byte of it was changed', 'forged', altered],
    ['when a byte of the signature was changed', 'forged', resigned],
    [
      'when it has no signature',
      'forged',
      () => JSON.stringify({ ...(JSON.parse(file()) as object), signature: '' }),
    ],
    ['when another key signed it', 'forged', () => file({}, makeKeyPair().privateKey)],
    ['when it is no license at all', 'unreadable', () => '{"terms":'],
    ['when it is empty', 'unreadable', () => ''],
    ['when it lacks terms', 'unreadable', () => file({ validUntil: undefined })],
  ])('%s', async (_when, reason, content) => {
    const before = await server.login('maria')
    await install(content())
    expect((await view()).json).toMatchObject({
      statusCode: 403,
      code: 'license_invalid',
      reason,
      message: messages.licenseInvalid,
      fields: { license: messages.licenseField },
    })
    expect((await login()).json).toMatchObject({ statusCode: 403, code: 'license_invalid' })
    expect(await server.refused(api.auth.refresh, {}, { token: before })).toMatchObject({
      code: 'license_invalid',
    })
    const person = {
      username: 'newcomer',
      firstName: 'New',
      lastName: 'Comer',
      email: 'new@example.org',
      password: PASSWORD,
    }
    expect(await server.refused(api.auth.register, { body: person })).toMatchObject({
      code: 'license_invalid',
    })
  })

  it('when a file is missing', async () => {
    await rm(publicKeyFile)
    expect((await view()).json).toMatchObject({ statusCode: 403, reason: 'unreadable' })
    await writeFile(publicKeyFile, keys.publicKey)
    await rm(licenseFile)
    expect((await view()).json).toMatchObject({ statusCode: 403, reason: 'unreadable' })
  })

  it('when it is a FIFO, a folder or huge, without waiting for it or filling the memory', async () => {
    await rm(licenseFile)
    const spoiled = [
      async () => execFileSync('mkfifo', [licenseFile]),
      () => mkdir(licenseFile),
      async () => (await writeFile(licenseFile, ''), truncate(licenseFile, 2 ** 30)),
    ]
    for (const spoil of spoiled) {
      await spoil()
      // More requests at once than Node has threads for files.
      for (const { json } of await Promise.all(Array.from({ length: 8 }, view)))
        expect(json).toMatchObject({ statusCode: 403, reason: 'unreadable' })
      await rm(licenseFile, { recursive: true })
    }
  })

  it('when no public key is configured', async () => {
    const keyless = await testApp({ LICENSE_FILE: licenseFile })
    expect(await keyless.refused(api.license.view, {})).toMatchObject({ status: 403, reason: 'unreadable' })
    await keyless.close()
  })
})

it('a license expires at its end, and a new one applies without a restart', async () => {
  server.advance(2 * HOUR)
  expect((await view()).json).toMatchObject({ reason: 'expired' })
  await install(file({ licenseType: 'Enterprise', validUntil: Date.now() + 5 * HOUR }))
  expect(await view()).toMatchObject({ status: 200, json: { licenseType: 'Enterprise' } })
  expect((await login()).status).toBe(200)
  server.advance(-2 * HOUR)
})

it('LICENSE_FILE cannot be replaced with an upload', async () => {
  await rm(licenseFile)
  const { token } = await server.person('chief', ['admin'])
  const body = { license: file(), publicKey: keys.publicKey }
  expect(await server.refused(api.license.upload, { body }, { token })).toMatchObject({
    status: 409,
    fields: { license: 'Set by LICENSE_FILE on the server. Change it there.' },
  })
})

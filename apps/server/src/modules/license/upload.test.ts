import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { makeKeyPair, signLicense } from './file'

const HOUR = 3_600_000
const keys = makeKeyPair()
const signed = (change = {}, key = keys.privateKey) =>
  signLicense(
    {
      licenseType: 'Multi-User',
      issuedTo: 'Example University',
      validFrom: Date.now() - HOUR,
      validUntil: Date.now() + HOUR,
      ...change,
    },
    key,
  )
let app: TestApp
let as: string
beforeAll(async () => {
  app = await testApp()
  as = (await app.person('chief', ['admin'])).token
})
afterAll(() => app.close())
const upload = (license: string, publicKey = keys.publicKey) =>
  app.answer(api.license.upload, { body: { license, publicKey } }, { token: as })
const view = () => app.must(api.license.view, {})

test('without a license the type is Site', async () => {
  expect(await view()).toEqual({ licenseType: 'Site', issuedTo: null, validFrom: null, validUntil: null })
})

test.each([
  ['expired', signed({ validUntil: Date.now() - 1000 }), 'Invalid License. The license has expired.'],
  [
    'not valid yet',
    signed({ validFrom: Date.now() + HOUR }),
    'Invalid License. The license is not valid yet.',
  ],
  [
    'forged',
    signed({}, makeKeyPair().privateKey),
    'Invalid License. The license signature does not match its content.',
  ],
  ['no license', '{"terms": 1}', 'Invalid License. The license file cannot be read.'],
  ['empty', ' ', 'Choose a license file, or paste its content'],
])('a license that is %s is rejected with the cause, and nothing changes', async (_what, text, message) => {
  expect(await upload(text)).toMatchObject({ status: 400, json: { fields: { license: message } } })
  expect(await view()).toMatchObject({ licenseType: 'Site' })
})

test('an invalid public key is rejected, and so are uploads by other users', async () => {
  expect((await upload(signed(), 'no key')).json).toMatchObject({ fields: { publicKey: expect.any(String) } })
  const { token } = await app.person('someone', ['user'])
  const body = { license: signed(), publicKey: keys.publicKey }
  expect((await app.refused(api.license.upload, { body }, { token })).status).toBe(403)
})

test('an uploaded license applies at once and until it is removed', async () => {
  expect(await app.must(api.license.source, {}, { token: as })).toMatchObject({
    source: 'none',
    hasServerKey: false,
  })
  expect(await upload(signed())).toMatchObject({ status: 200, json: { licenseType: 'Multi-User' } })
  expect(await view()).toMatchObject({ licenseType: 'Multi-User', issuedTo: 'Example University' })
  expect(await app.must(api.license.source, {}, { token: as })).toMatchObject({
    source: 'uploaded',
    uploadedBy: 'chief',
  })
  expect(await app.must(api.license.remove, {}, { token: as })).toMatchObject({ licenseType: 'Site' })
  const text = JSON.stringify(
    await app.must(api.activities.list, { query: { subject: 'license' } }, { token: as }),
  )
  expect(text).toContain('"secret":true')
})

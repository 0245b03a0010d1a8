import { api } from '@flotilla/contract/api'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../../../test/support/app/app'

test('security settings start strict; a change keeps the others and is recorded in the audit trail', async () => {
  const app = await testApp()
  onTestFinished(() => app.close())
  const { token: as } = await app.person('chief', ['admin'])
  const strict = {
    selfRegisteredAccess: null,
    selfRegisteredDefault: 'immediately',
    jobsReachConsole: false,
    privateHeadNodes: false,
  }
  expect(await app.must(api.settings.security, {}, { token: as })).toEqual(strict)
  await app.must(api.settings.setSecurity, { body: { privateHeadNodes: true } }, { token: as })
  const changed = await app.must(
    api.settings.setSecurity,
    { body: { selfRegisteredAccess: 'never' } },
    { token: as },
  )
  expect(changed).toEqual({ ...strict, privateHeadNodes: true, selfRegisteredAccess: 'never' })
  const unknown = await app.call('PUT', api.settings.setSecurity.path, {
    as,
    body: { selfRegisteredAccess: 'always' },
  })
  expect(unknown).toMatchObject({
    status: 400,
    json: { fields: { selfRegisteredAccess: expect.any(String) } },
  })
  const text = JSON.stringify(await app.must(api.activities.list, {}, { token: as, admin: true }))
  expect(text).toContain('selfRegisteredAccess: never')
})

test.each([
  ['that others can reach', { HOST: '0.0.0.0' }],
  ['behind a proxy that passes others on', { TRUST_PROXY: 'loopback' }],
])('a server %s requires approval by default', async (_, env) => {
  const app = await testApp(env)
  onTestFinished(() => app.close())
  const { token: as } = await app.person('chief', ['admin'])
  expect(await app.must(api.settings.security, {}, { token: as })).toMatchObject({
    selfRegisteredDefault: 'after-approval',
  })
})

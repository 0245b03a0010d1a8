import { api } from '@flotilla/contract/api'
import { expect, onTestFinished, test } from 'vitest'
import { twoStep as calls, twoStepRuleFor } from '@flotilla/contract/site/two-step'
import { testApp } from '../../../test/support/app/app'

test('two-step rules are listed, added and updated by admins and recorded in the audit trail', async () => {
  const app = await testApp()
  onTestFinished(() => app.close())
  const { token: as } = await app.person('chief', ['admin'])
  const options = { token: as }
  expect(await app.must(calls.list, {}, options)).toEqual([])
  const added = await app.must(api.twoStep.add, { body: { enabled: true } }, { token: as })
  expect(added).toMatchObject({
    id: expect.any(String),
    enabled: true,
    name: 'Workshop participants',
    emailDomains: [],
  })
  const { id } = added
  const body = { emailDomains: ['Example.org'], name: 'University' }
  expect(await app.must(calls.update, { id, body }, options)).toMatchObject({
    id,
    enabled: true,
    name: 'University',
    emailDomains: ['example.org'],
  })
  expect(await app.must(calls.list, {}, options)).toHaveLength(1)
  const text = JSON.stringify(await app.must(api.activities.list, {}, { token: as }))
  expect(text).toContain('two-step rule Workshop participants')
  expect(text).toContain('"field":"emailDomains"')

  expect(
    (await app.refused(api.twoStep.update, { id: 'nothing', body: { enabled: false } }, { token: as }))
      .status,
  ).toBe(404)
  for (const [field, wrong] of [
    ['enabled', {}],
    ['enabled', { enabled: 'yes' }],
    ['emailDomains.0', { enabled: true, emailDomains: ['@'] }],
    ['name', { enabled: true, name: ' ' }],
  ] as const)
    expect((await app.call('POST', calls.add.path, { as, body: wrong })).json).toMatchObject({
      fields: { [field]: expect.any(String) },
    })
  const { token } = await app.person('teacher', ['instructor'])
  for (const { status } of [
    await app.refused(calls.list, {}, { token }),
    await app.refused(calls.add, { body: { enabled: true } }, { token }),
    await app.refused(calls.update, { id, body: { enabled: true } }, { token }),
  ])
    expect(status).toBe(403)
})

test('an enabled rule applies to all addresses, or to those of its domains', () => {
  const rule = {
    id: '1',
    name: 'a',
    enabled: true,
    emailDomains: ['example.org'],
    createdAt: 0,
    updatedAt: 0,
  }
  expect(twoStepRuleFor([rule], 'Ada@EXAMPLE.org')).toBe(rule)
  expect(twoStepRuleFor([rule], 'ada@sub.example.org')).toBeUndefined()
  expect(twoStepRuleFor([{ ...rule, enabled: false }], 'ada@example.org')).toBeUndefined()
  const all = { ...rule, emailDomains: [] }
  expect(twoStepRuleFor([all], 'ada@anything.example')).toBe(all)
})

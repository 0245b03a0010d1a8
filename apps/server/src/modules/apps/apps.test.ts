import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { builtInApps } from './built-in'
import { launchScript, readAddress } from './sessions/launch-script'

let server: TestApp
let ada: string
let bob: string
let user: string
let admin: string
beforeAll(async () => {
  server = await testApp()
  const token = async (name: string, role: Parameters<TestApp['person']>[1]) =>
    (await server.person(name, role)).token
  ada = await token('adalove', ['instructor', 'user'])
  bob = await token('bobcat', ['instructor'])
  user = await token('student', ['user'])
  admin = await token('operator', ['admin'])
})
afterAll(() => server.close())

const input = {
  name: 'Notebook',
  script: 'exec notebook --port "$PORT"',
  allowedRoles: ['instructor' as const],
}
const namesFor = async (token: string) =>
  (await server.must(api.apps.list, {}, { token })).map(({ name }) => name)

it('an app belongs to the user who added it and is listed for users who can start it', async () => {
  const { id } = await server.must(api.apps.create, { body: input }, { token: ada })
  expect(await namesFor(bob)).toContain('Notebook')
  expect(await namesFor(user)).toEqual([
    'Desktop',
    'JupyterLab',
    'code-server',
    'RStudio Server',
    'TensorBoard',
  ])
  expect((await server.refused(api.apps.view, { id }, { token: user })).status).toBe(404)

  const body = { ...input, id, name: 'Lab' }
  for (const token of [bob, admin])
    expect((await server.refused(api.apps.update, { body }, { token })).status).toBe(403)
  expect((await server.refused(api.apps.remove, { id }, { token: bob })).status).toBe(403)
  expect(await server.must(api.apps.update, { body }, { token: admin, admin: true })).toMatchObject({
    name: 'Lab',
    owner: 'adalove',
  })
  await server.must(api.apps.remove, { id }, { token: ada })
  expect(await namesFor(ada)).not.toContain('Lab')
})

it('an invalid app is rejected with an error on each invalid field', async () => {
  const body = {
    app: {
      name: '!',
      script: '# nothing',
      fields: [
        { name: 'Big', label: '', kind: 'choice' },
        { name: 'count', label: 'Count', kind: 'number', default: 'many' },
        { name: 'count', label: 'Again', kind: 'text' },
      ],
      resources: { cores: 0 },
      ready: { path: 'status', status: 42 },
      allowedRoles: [],
    },
  }
  const { status, json } = await server.call('POST', api.apps.create.path, { as: ada, body })
  expect(status).toBe(400)
  const { fields } = json as { fields: Record<string, string> }
  for (const name of [
    'name',
    'script',
    'fields.0.name',
    'fields.0.label',
    'resources.cores',
    'ready.path',
    'ready.status',
    'allowedRoles',
  ])
    expect(fields, name).toHaveProperty([`app.${name}`])
})

it('built-in apps cannot be changed', async () => {
  expect(
    (await server.refused(api.apps.remove, { id: 'jupyterlab' }, { token: admin, admin: true })).status,
  ).toBe(403)
  for (const app of builtInApps) expect(app.script).not.toBe('')
})

it('an app is transferred when its owner is removed', async () => {
  const { id: owner, token } = await server.person('leaver', ['instructor'])
  const heir = await server.person('heiress', ['instructor'])
  const { id } = await server.must(api.apps.create, { body: { ...input, name: 'Heirloom' } }, { token })
  const body = { id: owner, newOwner: heir.id }
  await server.must(api.users.remove, { body }, { token: admin })
  expect((await server.must(api.apps.view, { id }, { token: heir.token })).owner).toBe('heiress')
})

it('values are passed to the script as literal text', () => {
  const [lab] = builtInApps.filter(({ id }) => id === 'jupyterlab')
  const values = { folder: `a'b$(touch /tmp/x)` }
  const script = lab && launchScript(lab, values, 'http://x.localhost/')
  expect(script).toContain(`export APP_FOLDER='a'\\''b$(touch /tmp/x)'\n`)
})

it('only an address in the format that the job writes is accepted', () => {
  const token = 'ab'.repeat(24)
  expect(readAddress(`10.0.0.7 23456 ${token}\n`)).toEqual({ host: '10.0.0.7', port: 23_456, token })
  for (const wrong of [
    '',
    `10.0.0.7 80 ${token}\n`,
    `evil.example.org 23456 ${token}\n`,
    `10.0.0.7 99999 ${token}\n`,
    `10.0.0.7 23456 short\n`,
  ])
    expect(readAddress(wrong), wrong).toBeNull()
})

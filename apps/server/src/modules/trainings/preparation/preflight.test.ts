import { expect, it, onTestFinished } from 'vitest'
import { api } from '@flotilla/contract/api'
import { Console } from '../../../../test/support/console'
import { probeApp } from '../../../../test/support/probe-app'
import { until } from '../../../../test/support/until'

it('starts each app of the workshop once, and says what does not start', async () => {
  const server = await Console.start()
  onTestFinished(() => server.stop())
  const machine = await server.thisMachine()
  const as = { token: server.admin }
  const { id: app } = await server.must(api.apps.create, { body: probeApp }, as)
  const broken = { ...probeApp, name: 'Broken', script: 'exit 3', fields: [] }
  const { id: brokenApp } = await server.must(api.apps.create, { body: broken }, as)
  const appsStep = async (appIds: string[]) => {
    const body = { name: 'Checked', data: { clusterId: machine, seats: 1, twoStep: false, appIds } }
    const { id } = await server.must(api.trainings.create, { body }, as)
    const steps = await server.must(api.trainings.preflight, { id }, as)
    return steps.find(({ step }) => step === 'Apps')
  }
  expect(await appsStep([app])).toEqual({ step: 'Apps', state: 'ok', message: 'All apps started' })
  expect(await appsStep([app, brokenApp])).toMatchObject({
    state: 'warning',
    message: expect.stringMatching(/^Broken ended before it was ready/),
  })
  const left = await server.must(api.appSessions.list, {}, as)
  await until(async () => {
    const states = (await server.must(api.appSessions.list, {}, as)).map(({ state }) => state)
    return states.every((state) => state === 'ended')
  })
  expect(left).toHaveLength(3)
})

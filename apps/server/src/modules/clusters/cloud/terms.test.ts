import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { driverWith } from '../../../../test/support/clouds/cloud-driver'
import { cloudClusterOf } from '../../../../test/support/modules/cloud-row'
import type { ImagePlan } from '../../../providers/provider'
import * as store from '../store'
import { describeTerms } from '../../../providers/image-terms'

/** The images whose terms are accepted, and those whose terms cannot be. */
let accepted: string[] = []
let refused: string[] = []
let silent = false
const driver = driverWith({
  async imageTerms({ publisher, offer, sku }) {
    if (silent) throw new Error('no response')
    return {
      plan: { publisher, product: offer, name: sku },
      accepted: accepted.includes(sku),
      link: '',
    }
  },
  async acceptTerms({ name }) {
    if (refused.includes(name)) throw Object.assign(new Error('not for sale'), { statusCode: 403 })
    accepted.push(name)
  },
})

let app: TestApp
let id: string
let token: string
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' }, { clouds: { driver: async () => driver } })
  token = (await app.person('admin', ['admin'])).token
})
afterAll(() => app.close())
beforeEach(async () => {
  accepted = []
  refused = []
  silent = false
  const data = { client_id: 'a', client_secret: 'b', subscription_id: 'c', tenant_id: 'd' }
  const credential = { name: `Azure ${Math.random()}`, provider: 'azure' as const, data }
  const { id: credential_id } = await app.must(api.credentials.create, { body: credential }, { token })
  const body = {
    name: 'Two images',
    provider: 'azure' as const,
    credential_id,
    info: { 'os-type': 'ubuntu-24.04' },
    data: {
      manager: 'slurm' as const,
      network: { region_id: 'westeurope' },
      server: { instance_id: 'Standard_D2s_v5' },
      node: { group: [{ count: 1, instance_id: 'Standard_D2ps_v5' }] },
    },
  }
  id = (await app.must(api.clusters.create, { body }, { token })).id
  await store.update(app.db.kysely, id, { up_nodes: ['node1'] })
})

const planOf = (name: string): ImagePlan => ({ publisher: 'Canonical', product: 'ubuntu-24_04-lts', name })
/** Stores a plan that shows these terms. */
const show = (...names: string[]) =>
  store.update(app.db.kysely, id, {
    plan: {
      madeAt: 0,
      changes: [],
      counts: { add: 0, change: 0, replace: 0, destroy: 0 },
      price: {
        perHour: 1,
        perMonth: 1,
        currency: 'USD',
        parts: [],
        unpriced: [],
        source: '',
        date: '',
        note: null,
      },
      quota: [],
      terms: names.map((name) => describeTerms({ plan: planOf(name), accepted: false, link: '' })),
      stale: false,
      madeFrom: '',
      nodes: [],
    },
  })
const accept = () => app.answer(api.lifecycle.acceptTerms, { body: { id } }, { token })
const leftOver = async () => (await cloudClusterOf(app, id)).plan?.terms.map(({ name }) => name)
const recorded = async () =>
  (await app.must(api.activities.list, {}, { token }))
    .filter(({ action, subjectId }) => action === 'terms accepted' && subjectId === id)
    .map(({ detail }) => detail)
const nameOf = (sku: string) => `Canonical:ubuntu-24_04-lts:${sku}`

it('accepts nothing that the plan has not shown', async () => {
  expect(await accept()).toMatchObject({ status: 409 })
  await show('server')
  expect(await accept()).toMatchObject({ status: 409 })
  expect(accepted).toEqual([])
  await show('server', 'server-arm64')
  expect(await accept()).toMatchObject({ status: 200 })
  expect(accepted).toEqual(['server', 'server-arm64'])
})

it('records the terms that were accepted before one was refused, and keeps showing the rest', async () => {
  await show('server', 'server-arm64')
  refused = ['server-arm64']
  expect(await accept()).toMatchObject({ json: { message: expect.stringContaining('not for sale') } })
  expect(accepted).toEqual(['server'])
  expect(await recorded()).toEqual([nameOf('server')])
  expect(await leftOver()).toEqual([nameOf('server-arm64')])
})

it('does not treat a missing response as acceptance', async () => {
  await show('server', 'server-arm64')
  silent = true
  expect(await accept()).toMatchObject({
    json: { message: expect.stringContaining('Could not get the image terms from Azure') },
  })
  expect(await leftOver()).toHaveLength(2)
})

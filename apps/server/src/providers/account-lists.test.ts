import { ProviderId } from '@flotilla/contract/site/config'
import {
  EXISTING_DISK,
  EXISTING_FILE_SYSTEM,
  isWithin,
  matchesSearch,
} from '@flotilla/contract/clouds/account-choices'
import { Mount } from '@flotilla/contract/clusters/cloud'
import { impossibleMounts } from '@flotilla/contract/clusters/impossible/disks'
import { MOUNT_TYPES } from '@flotilla/contract/limits'
import { describe, expect, it } from 'vitest'
import { choicesOf } from '../../test/support/clouds/account-choices'
import { testFolder } from '../../test/support/folder'
import { pemOf, unknownRsaKey } from '../../test/support/rsa-key'
import { cloudProviders } from './registry'
import { simulatedDriver } from '../simulated/driver'

const key_file = pemOf(unknownRsaKey())
const credential = {
  key_file,
  tenant_id: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
  client_id: '99999999-8888-7777-6666-555555555555',
  client_secret: 'secret',
  api_url: 'http://127.0.0.1:9/MAAS',
  api_key: 'one:two:three',
}

describe.each(ProviderId.options)('the fields of %s that are chosen from the account', (provider) => {
  const { clusterFields, stackFields, driver } = cloudProviders[provider]
  const fields = [...clusterFields, ...stackFields]
  const hasDisks = !cloudProviders[provider].refusals.some(({ path }) => path === 'data.disks')
  const fileSystems = [
    ...new Set(cloudProviders[provider].fileSystems.map(({ type }) => EXISTING_FILE_SYSTEM[type])),
  ]
  const chosen = [
    ...new Set(fields.filter((one) => one.fromAccount).map(({ path }) => path)),
    ...(hasDisks ? [EXISTING_DISK] : []),
    ...fileSystems,
  ]
  const region = 'here-1'

  it('are exactly those with a list in the cloud and the simulated cloud', async () => {
    const real = await driver({ credential, region })
    expect(Object.keys(real.choices ?? {}).toSorted()).toEqual(chosen.toSorted())
    for (const list of Object.values(real.choices ?? {})) expect(list?.right).toMatch(/\w/)
    const simulated = simulatedDriver({ dir: await testFolder(), provider, region })
    expect(Object.keys(simulated.choices ?? {}).toSorted()).toEqual(chosen.toSorted())
  })

  it('accept the simulated cloud’s choices, which belong to the chosen parent resource', async () => {
    const simulated = simulatedDriver({ dir: await testFolder(), provider, region })
    for (const field of fields.filter((one) => one.fromAccount)) {
      const choices = (await choicesOf(simulated, field.path)) ?? []
      for (const { id } of choices)
        if (field.format) expect(id).toMatch(new RegExp(field.format.pattern, 'i'))
      if (field.within === undefined) continue
      const around = (await choicesOf(simulated, field.within)) ?? []
      for (const choice of choices)
        expect(
          around.some(({ id }) => isWithin(choice, id)),
          field.path,
        ).toBe(true)
    }
  })

  it('have file systems that are valid sources of a mount of their type', async () => {
    const simulated = simulatedDriver({ dir: await testFolder(), provider, region })
    for (const type of MOUNT_TYPES)
      for (const { id } of (await choicesOf(simulated, EXISTING_FILE_SYSTEM[type])) ?? []) {
        const mount = { type, source: id, path: '/data', options: '' }
        expect(Mount.safeParse(mount).success).toBe(true)
        expect(impossibleMounts({ mounts: [mount] })).toEqual([])
      }
  })
})

it('choices are searched by every word, in their name, id and description', () => {
  const subnet = { id: 'subnet-1', name: 'Lab net', about: '10.0.0.0/24, us-east-1a', within: 'vpc-1' }
  for (const search of ['', 'LAB', 'net us-east', ' subnet-1  10.0 '])
    expect(matchesSearch(subnet, search)).toBe(true)
  expect(matchesSearch(subnet, 'lab other')).toBe(false)
  expect(isWithin(subnet, '')).toBe(true)
  expect(isWithin(subnet, 'vpc-2')).toBe(false)
  // A name or a full path, in any case.
  const inPath = { ...subnet, within: 'projects/p/global/networks/lab' }
  for (const chosen of ['lab', 'LAB', 'https://x/projects/p/global/networks/lab'])
    expect(isWithin(inPath, chosen)).toBe(true)
})

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWithin, type AccountChoice } from '@flotilla/contract/clouds/account-choices'
import { openWorld } from '@flotilla/simulated-cloud/world/world'
import { simulatedAccount } from './account'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-account-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a newly created subnet is offered only in its own network', async () => {
  const world = openWorld(folder)
  await world.add({
    id: 'subnet-0a',
    type: 'aws_subnet',
    name: 'aurora-public',
    kind: 'network',
    part: false,
    clusterId: null,
    region: 'eu-west-1',
    sizeGb: null,
    power: null,
    attributes: { vpc_id: 'vpc-0a', cidr_block: '10.77.0.0/17' },
    seed: { id: 'subnet-0a', privateIp: '', publicIp: '', token: '' },
    createdAt: 0,
  })
  const lists = simulatedAccount('aws', 'eu-west-1', world, async () => {})
  const found: AccountChoice[] = []
  for await (const page of lists['data.network.subnet_id']?.pages(new AbortController().signal) ?? [])
    found.push(...page)
  const subnet = found.find(({ id }) => id === 'subnet-0a')
  expect(subnet).toMatchObject({ name: 'aurora-public', about: '10.77.0.0/17', within: 'vpc-0a' })
  const namesIn = (vpc: string) => found.filter((one) => isWithin(one, vpc)).map(({ name }) => name)
  expect(namesIn('vpc-0a')).toEqual(['aurora-public'])
  expect(namesIn('vpc-0b')).toEqual([])
})

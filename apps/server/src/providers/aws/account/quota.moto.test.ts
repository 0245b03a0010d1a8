import { EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMoto, type Moto } from '../../../../test/support/moto'
import { REGION } from '../../../../test/support/moto-cluster'
import { explain } from '../../explain'
import type { CredentialData } from '../../provider'
import type { CountedMachine } from '../../quota/quota'
import { cloudProviders } from '../../registry'
import { settingsOf } from '../clients'
import { ADDRESSES, VPCS } from './quota-codes'

const NO_ONE = { access_key: 'AKIAEXAMPLE', secret_key: 'example-secret-key' }
const STANDARD = 'L-1216C47A'
let moto: Moto
beforeAll(async () => {
  moto = await startMoto()
  moto.quotas = {
    [STANDARD]: { QuotaName: 'Running On-Demand Standard instances', Value: 32 },
    'L-3819A6DF': { QuotaName: 'All G and VT Spot Instance Requests', Value: 0 },
    [ADDRESSES]: { QuotaName: 'EC2-VPC Elastic IPs', Value: 5 },
  }
})
afterAll(() => moto.close())
const options = (credential: CredentialData) => ({ credential, region: REGION, endpoint: moto.url })
const quotas = async (credential: CredentialData, machines: CountedMachine[]) =>
  (await cloudProviders.aws.driver(options(credential))).quotas?.(machines, '')
const machine = (instance_id: string, cores: number, spot = false): CountedMachine => ({
  instance_id,
  ocpus: 0,
  mem: 0,
  spot,
  cores,
  gpus: 0,
  gpuModel: '',
  accelerator: '',
})

test("the account's quotas, and what its running machines use of them", async () => {
  const ec2 = new EC2Client(settingsOf(options(NO_ONE)))
  const more = { ImageId: 'ami-12c6146b', MinCount: 3, MaxCount: 3 }
  await ec2.send(new RunInstancesCommand({ InstanceType: 'm5.xlarge', ...more }))
  const found = await quotas(NO_ONE, [machine('c5.2xlarge', 8), machine('g5.xlarge', 4, true)])
  expect(found?.machines).toEqual([{ [STANDARD]: 8 }, { 'L-3819A6DF': 4 }])
  expect(found?.quotas[STANDARD]).toEqual({
    name: 'Running On-Demand Standard instances',
    unit: 'vCPUs',
    limit: 32,
    // A machine of moto has one core with one thread.
    used: 3,
    link: `https://${REGION}.console.aws.amazon.com/servicequotas/home/services/ec2/quotas/${STANDARD}`,
  })
  expect(found?.quotas[VPCS]).toMatchObject({ name: 'VPCs per Region', limit: 5, used: 1 })
  expect(found?.quotas[ADDRESSES]).toMatchObject({ limit: 5, used: 0 })
})

test('a quota that AWS does not know leaves the others known', async () => {
  const found = await quotas(NO_ONE, [machine('c5.2xlarge', 8), machine('trn1.2xlarge', 8)])
  expect(found?.machines).toEqual([{ [STANDARD]: 8 }, 'No quota is known for trn1.2xlarge.'])
})

test('calls are signed as AWS wants it, and refused to keys without the right', async () => {
  const right = { Effect: 'Allow', Resource: '*' }
  const reader = await moto.person('reader', {
    ...right,
    Action: ['ec2:Describe*', 'servicequotas:GetServiceQuota'],
  })
  const other = await moto.person('other', { ...right, Action: ['ec2:Describe*'] })
  await moto.checkRights(true)
  const [wrongKey, noRight] = await Promise.all(
    [{ ...reader, secret_key: 'not this one' }, other].map((keys) =>
      quotas(keys, []).catch((error: unknown) => explain('AWS', error, String).kind),
    ),
  )
  const found = await quotas(reader, [])
  await moto.checkRights(false)
  expect(found?.quotas[VPCS]?.limit).toBe(5)
  expect([wrongKey, noRight]).toEqual(['refused', 'rights'])
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { WorldItem } from '@flotilla/simulated-cloud/world/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failureOf } from '../engines/tofu/failure'
import { refusalOf } from './exceeded'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'quotas-'))
})
afterAll(() => rm(dir, { recursive: true }))

const item = (type: string, kind: WorldItem['kind'], attributes: object = {}, id = 'new'): WorldItem => ({
  id,
  type,
  name: id,
  kind,
  part: false,
  clusterId: null,
  region: 'here',
  sizeGb: null,
  power: kind === 'machine' ? 'running' : null,
  attributes: { ...attributes },
  seed: { id, privateIp: '', publicIp: '', token: '' },
  createdAt: 0,
})
const machine = (type: string, attributes: object) => item(type, 'machine', attributes)
const spot = { instance_type: 't3.large', instance_market_options: [{ market_type: 'spot' }] }

/** A resource that exists once and whose second copy exceeds the limit, the limits, and the cloud's error. */
const cases: [ProviderId, WorldItem, Record<string, number>, string, string?][] = [
  ['aws', machine('aws_instance', { instance_type: 't3.large' }), { 'L-1216C47A': 3 }, 'VcpuLimitExceeded'],
  ['aws', machine('aws_instance', spot), { 'L-34B43A08': 3 }, 'MaxSpotInstanceCountExceeded'],
  ['aws', item('aws_eip', 'address'), { 'L-0263D0A3': 1 }, 'AddressLimitExceeded'],
  ['aws', item('aws_vpc', 'network'), { 'L-F678F1CE': 1 }, 'VpcLimitExceeded'],
  [
    'azure',
    machine('azurerm_linux_virtual_machine', { size: 'Standard_D4s_v5' }),
    { standarddsv5family: 7 },
    'approved standarddsv5family Cores quota',
  ],
  ['azure', item('azurerm_public_ip', 'address'), { PublicIPAddresses: 1 }, 'PublicIPCountLimitReached'],
  ['azure', item('azurerm_virtual_network', 'network'), { VirtualNetworks: 1 }, 'VnetCountLimitReached'],
  [
    'gcp',
    machine('google_compute_instance', { machine_type: 'n2-standard-4' }),
    { N2_CPUS: 7 },
    "Quota 'N2_CPUS' exceeded.  Limit: 7.0 in region here",
  ],
  [
    'gcp',
    machine('google_compute_instance', {
      machine_type: 'n1-standard-8',
      guest_accelerator: [{ type: 'nvidia-tesla-t4', count: 2 }],
    }),
    { NVIDIA_T4_GPUS: 3 },
    "Quota 'NVIDIA_T4_GPUS' exceeded",
  ],
  ['gcp', item('google_compute_network', 'network'), { NETWORKS: 1 }, 'Limit: 1.0 globally'],
  [
    'oracle',
    machine('oci_core_instance', { shape: 'VM.Standard.E4.Flex', shape_config: [{ ocpus: 4 }] }),
    { 'standard-e4-core-count': 7 },
    'LimitExceeded',
  ],
  ['oracle', item('oci_core_vcn', 'network'), { 'vcn-count': 1 }, 'vcn-count'],
  ['maas', machine('maas_instance', {}), { all: 1 }, 'No available machine matches', 'capacity'],
]

test.each(cases)(
  '%s rejects what exceeds a quota with its own error message',
  async (cloud, one, limits, text, code) => {
    const refusalWith = (others: WorldItem[]) => refusalOf({ dir, cloud, item: one, others })
    await writeFile(path.join(dir, 'quotas.json'), JSON.stringify({ [cloud]: limits }))
    expect(await refusalWith([])).toBe('')
    const refusal = await refusalWith([{ ...one, id: 'first' }])
    expect(refusal).toContain(text)
    // The console must classify the error correctly.
    expect(failureOf([{ severity: 'error', summary: refusal, detail: '' }], 1).code).toBe(code ?? 'quota')
    // Resources that are stopped or in another region do not count.
    if (cloud !== 'maas') expect(await refusalWith([{ ...one, id: 'first', region: 'elsewhere' }])).toBe('')
    if (one.kind === 'machine' && cloud !== 'maas')
      expect(await refusalWith([{ ...one, id: 'first', power: 'stopped' }])).toBe('')
  },
)

test('a site allocates each machine once, to a request that it meets', async () => {
  await writeFile(path.join(dir, 'quotas.json'), '{}')
  const gpu = (id: string) => item('maas_instance', 'machine', { allocate_params: [{ tags: ['gpu'] }] }, id)
  const refusalWith = (others: WorldItem[]) => refusalOf({ dir, cloud: 'maas', item: gpu('new'), others })
  expect(await refusalWith([gpu('first')])).toBe('')
  expect(await refusalWith([gpu('first'), gpu('second')])).toContain('No available machine matches')
})

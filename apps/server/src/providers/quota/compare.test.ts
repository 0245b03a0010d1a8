import { expect, test } from 'vitest'
import { quotaState } from '@flotilla/contract/clusters/quota'
import { quotaOf } from '../aws/account/quota-codes'
import { quotaUseOf as onGcp } from '../gcp/quota'
import { compareQuotas, type Need } from './compare'
import type { CountedMachine, Quota } from './quota'

const quota = (limit: number, used: number, link: string | null = 'https://example.org/more'): Quota => ({
  name: 'Standard vCPUs',
  unit: 'vCPUs',
  limit,
  used,
  link,
})
const head: Need = {
  what: 'Head node',
  size: 'large',
  unit: 'head node',
  takes: { std: 4 },
  atOnce: 1,
  atMost: 1,
}
const group = (takes: Need['takes'], atOnce: number, atMost: number): Need => ({
  what: 'Group 1',
  size: 'xlarge',
  unit: 'node',
  takes,
  atOnce,
  atMost,
})

test('reports whether the head node and each group fit, how many nodes do not, and how much to request', () => {
  const rows = compareQuotas({ std: quota(64, 40) }, [head, group({ std: 8 }, 4, 8)])
  expect(rows).toEqual([
    expect.objectContaining({
      state: 'enough',
      text: 'Standard vCPUs: 4 vCPUs needed, 24 of 64 vCPUs free.',
    }),
    {
      what: 'Group 1',
      size: 'xlarge',
      state: 'short',
      text: '2 of 4 nodes would not fit. Standard vCPUs: 36 vCPUs needed, 24 of 64 vCPUs free. Request at least 76 vCPUs.',
      link: 'https://example.org/more',
    },
  ])
  expect(quotaState(rows)).toBe('short')
})

test('a quota that suffices for the initial deployment, but not for all nodes, is not a shortage', () => {
  const [, row] = compareQuotas({ std: quota(64, 40) }, [head, group({ std: 8 }, 2, 8)])
  expect(row).toMatchObject({
    state: 'later',
    text: '6 of 8 nodes would not fit. Standard vCPUs: 68 vCPUs needed, 24 of 64 vCPUs free. Request at least 108 vCPUs.',
  })
})

test('groups share a quota, and the tightest of several quotas applies', () => {
  const quotas = { std: quota(100, 0), gpus: { ...quota(2, 1, null), name: 'GPUs', unit: 'GPUs' } }
  const rows = compareQuotas(quotas, [
    group({ std: 60 }, 1, 1),
    { ...group({ std: 30 }, 2, 2), what: 'Group 2' },
    { ...group({ std: 1, gpus: 2 }, 1, 1), what: 'Group 3' },
  ])
  expect(rows.map(({ state }) => state)).toEqual(['enough', 'short', 'short'])
  expect(rows[1]?.text).toMatch(/^1 of 2 nodes would not fit. Standard vCPUs: 121 vCPUs needed/)
  // Without a link, no increase is suggested.
  expect(rows[2]?.text).toBe('1 of 1 node would not fit. GPUs: 2 GPUs needed, 1 of 2 GPUs free.')
})

test('an unknown quota is reported with the reason', () => {
  const rows = compareQuotas({ std: quota(8, 0) }, [
    group('No quota is known for weird.large.', 1, 1),
    group({ other: 1 }, 1, 1),
    head,
  ])
  expect(rows.map(({ state, text }) => `${state}: ${text}`)).toEqual([
    'unknown: No quota is known for weird.large.',
    'unknown: The cloud does not report this quota.',
    'enough: Standard vCPUs: 4 vCPUs needed, 4 of 8 vCPUs free.'.replace('4 of 8', '8 of 8'),
  ])
  expect(quotaState(rows)).toBe('unknown')
})

test.each([
  ['c5.large', false, 'L-1216C47A'],
  ['im4gn.large', true, 'L-34B43A08'],
  ['inf2.xlarge', false, 'L-1945791B'],
  ['g5.xlarge', true, 'L-3819A6DF'],
  ['p4d.24xlarge', true, 'L-7212CCBC'],
  ['p5.48xlarge', true, 'L-C4BD4855'],
  ['p5.48xlarge', false, 'L-417A185B'],
  ['hpc7a.96xlarge', false, 'L-F7808C92'],
  ['hpc7a.96xlarge', true, ''],
  ['u-6tb1.metal', false, 'L-43DA4232'],
  ['quantum.large', false, ''],
])('AWS counts %s (spot: %s) by %s', (type, spot, code) => {
  expect(quotaOf(type, spot).code).toBe(code)
})

test('Google counts machines by family, GPUs by model, and spot machines separately if they have a quota', () => {
  const machine = (instance_id: string, more: Partial<CountedMachine> = {}): CountedMachine => ({
    instance_id,
    ocpus: 0,
    mem: 0,
    spot: false,
    cores: 8,
    gpus: 0,
    gpuModel: '',
    accelerator: '',
    ...more,
  })
  const metrics = [
    'CPUS',
    'N2_CPUS',
    'A2_CPUS',
    'NVIDIA_A100_80GB_GPUS',
    'NVIDIA_T4_GPUS',
    'CPUS_ALL_REGIONS',
  ]
  const has = (metric: string) => metrics.includes(metric)
  expect(onGcp(machine('n2-standard-8'), has)).toEqual({ N2_CPUS: 8, CPUS_ALL_REGIONS: 8 })
  expect(onGcp(machine('a2-ultragpu-1g', { gpus: 1 }), has)).toEqual({
    A2_CPUS: 8,
    CPUS_ALL_REGIONS: 8,
    NVIDIA_A100_80GB_GPUS: 1,
  })
  const t4 = machine('n1-standard-8', { gpus: 2, accelerator: 'nvidia-tesla-t4', spot: true })
  expect(onGcp(t4, has)).toEqual({ CPUS: 8, CPUS_ALL_REGIONS: 8, NVIDIA_T4_GPUS: 2 })
  expect(onGcp(t4, (metric) => has(metric) || metric.startsWith('PREEMPTIBLE'))).toMatchObject({
    PREEMPTIBLE_CPUS: 8,
    PREEMPTIBLE_NVIDIA_T4_GPUS: 2,
  })
  expect(onGcp(machine('c4-standard-8'), has)).toMatch('does not report the quota for c4 machines')
})

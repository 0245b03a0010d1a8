import { expect, it } from 'vitest'
import type { InstanceSize } from '@flotilla/contract/clouds/providers'
import type { Catalog } from '../../../../providers/provider'
import { capacityOf } from './deployment'

const machine = (more: { instance_id?: string; ocpus?: number; mem?: number }) => ({
  name: 'node1',
  group: 0,
  instance_id: '',
  ocpus: 0,
  mem: 0,
  efa: false,
  compact: false,
  tier1: false,
  rdma: false,
  spot: false,
  gpu_partition_mode: '',
  ...more,
})
const shape = (instance_id: string, cores: number, memory: number): InstanceSize => ({
  name: instance_id,
  instance_id,
  cores,
  memory,
})
/** The catalog that ACM makes from the site's machines. */
const site: Catalog = {
  source: 'ACM',
  date: '2026-01-01',
  regions: [],
  prices: {},
  sizes: [shape('tag:big', 64, 512), shape('pool:default', 16, 64)],
}

it('a site machine without a shape counts as the smallest one, and as no less than what was requested', () => {
  expect(capacityOf(site, machine({}), 0)).toMatchObject({ cores: 16, memory: 64 })
  expect(capacityOf(site, machine({ ocpus: 40, mem: 200 }), 0)).toMatchObject({ cores: 40, memory: 200 })
  expect(capacityOf(site, machine({ instance_id: 'tag:big', ocpus: 8 }), 0)).toMatchObject({
    cores: 64,
    memory: 512,
  })
  // The sizes were never synced.
  expect(capacityOf(null, machine({ ocpus: 4 }), 0)).toMatchObject({ cores: 4 })
})

import type { InstanceSize } from '@flotilla/contract/clouds/providers'
import { expect, it } from 'vitest'
import { everySize, fittingSizes, freeText, sizeText, sortSizes, withShapes } from './sizes'
import { testProvider } from '../test-provider'

const sizes: InstanceSize[] = [
  { name: 'small', instance_id: 'small', cores: 2, memory: 8, arch: 'x86_64' },
  { name: 'gpu', instance_id: 'gpu', cores: 8, memory: 64, gpus: 2, gpuModel: 'A100' },
  { name: 'large10', instance_id: 'large10', cores: 96, memory: 384 },
  { name: 'large9', instance_id: 'large9', cores: 96, memory: 384 },
  { name: 'flex', instance_id: 'flex', cores: 2, memory: 16, flexible: true, maxOcpus: 64, maxMemory: 1024 },
]
const names = (list: readonly InstanceSize[]) => list.map(({ name }) => name)

it('finds sizes by their minimum, and flexible sizes by their maximum', () => {
  expect(names(fittingSizes(sizes, { ...everySize, cores: 90 }))).toEqual(['large10', 'large9', 'flex'])
  expect(names(fittingSizes(sizes, { ...everySize, memory: 500 }))).toEqual(['flex'])
  expect(names(fittingSizes(sizes, { ...everySize, gpus: 1 }))).toEqual(['gpu'])
  expect(names(fittingSizes(sizes, { ...everySize, text: 'a100' }))).toEqual(['gpu'])
})

it('sorts sizes without a price last in either direction', () => {
  const prices = { small: 0.1, gpu: 7, large10: 4 }
  const sorted = (descending: boolean) => names(sortSizes(sizes, prices, { column: 'price', descending }))
  expect(sorted(false)).toEqual(['small', 'large10', 'gpu', 'large9', 'flex'])
  expect(sorted(true)).toEqual(['gpu', 'large10', 'small', 'large9', 'flex'])
})

it('sorts names in natural order, and ties by price', () => {
  const prices = { large9: 3, large10: 4 }
  expect(names(sortSizes(sizes, prices, { column: 'name', descending: false }))).toEqual([
    'flex',
    'gpu',
    'large9',
    'large10',
    'small',
  ])
  expect(names(sortSizes(sizes, prices, { column: 'cores', descending: true })).slice(0, 2)).toEqual([
    'large9',
    'large10',
  ])
})

it('describes a size', () => {
  expect(sizes.map(sizeText)).toEqual([
    '2 threads, 8 GB',
    '8 threads, 64 GB, 2 × A100',
    '96 threads, 384 GB',
    '96 threads, 384 GB',
    'up to 64 OCPUs, configurable cores and memory',
  ])
})

it('offers current MAAS shapes, or the last synced ones, limited to what a field allows', () => {
  const provider = testProvider({
    id: 'maas',
    name: 'ACM',
    instanceSizes: [{ name: 'old (tag)', instance_id: 'tag:old', cores: 4 }],
    simulated: false,
  })
  const shapes = ['tag:gpu', 'pool:lab'].map((id) => ({
    name: id,
    instance_id: id,
    cores: 8,
    machines: 3,
    ready: 2,
  }))
  const ids = (...given: [typeof shapes, string[] | undefined]) =>
    withShapes(provider, ...given).instanceSizes.map(({ instance_id }) => instance_id)
  expect(ids(shapes, undefined)).toEqual(['tag:gpu', 'pool:lab'])
  expect(ids([], undefined)).toEqual(['tag:old'])
  expect(ids(shapes, ['pool:lab'])).toEqual(['pool:lab'])
  expect(freeText(shapes, 'tag:gpu')).toBe('2 of 3 free')
  expect(freeText(shapes, 'tag:old')).toBeUndefined()
})

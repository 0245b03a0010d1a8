import type { Stack } from '@flotilla/contract/stacks/entity'
import { expect, it } from 'vitest'
import { errorsByPath } from '../../../forms/zod-resolver'
import { missingIn, newValues, stackSchema, valuesOf } from './stack-values'
import { testProvider } from '../../../clouds/test-provider'

const oracle = {
  id: 'oracle' as const,
  name: 'Oracle',
  osTypes: [{ id: 'rocky-9', name: 'Rocky Linux 9' }],
  torquePackages: null,
}
const filled = { ...newValues(oracle), name: 'Course', credential_id: 'c1' }
const schema = stackSchema({
  stackFields: [
    { path: 'data.ocpus', label: 'OCPUs', step: 'basics', kind: 'number', unit: 'OCPUs', min: 0, max: 80 },
  ],
})
const problems = (values: typeof filled) => [...errorsByPath(schema.safeParse(values).error?.issues ?? [])]

it('enforces the provider’s limits and states them in the errors', () => {
  expect(problems(filled)).toEqual([])
  expect(problems({ ...filled, data: { ...filled.data, ocpus: 81 } })).toEqual([
    ['data.ocpus', 'At most 80 OCPUs'],
  ])
})

it('keeps a stack’s builder, up to the server’s maximum length', () => {
  const stack: Stack = {
    ...filled,
    id: '1',
    builder: 'market',
    owner: 'ada',
    mine: true,
    collaborators: [],
    provision: { nodeProvisioner: null, serverProvisioner: null, dataFiles: [], dataFilesB: [] },
    rhel: { activation_key: '', activationKeySet: true, organization_id: '' },
    state: 'none',
    since: 1,
    cause: null,
    canceled: false,
    run: null,
    images: [],
    edited: false,
    open: null,
    simulated: true,
    usedBy: 0,
    createdAt: 1,
    updatedAt: 1,
  }
  expect(valuesOf(stack)).toMatchObject({ builder: 'market' })
  expect(problems({ ...filled, builder: 'x'.repeat(65) })).toEqual([
    ['builder', 'Max character length is 64'],
  ])
})

it('lists what is missing before a build', () => {
  const provider = testProvider({
    id: 'aws',
    name: 'AWS',
    stackFields: [
      { path: 'data.region_id', label: 'Region', step: 'basics', kind: 'region', required: true },
      { path: 'data.zone_id', label: 'Zone', step: 'basics', kind: 'zone' },
    ],
  })
  expect(missingIn(provider, filled)).toEqual({ 'data.region_id': 'Region is required' })
  expect(missingIn(provider, { ...filled, data: { ...filled.data, region_id: 'r' } })).toEqual({})
})

it('starts with an operating system and a resource manager that can be built', () => {
  expect(newValues(oracle).data).toMatchObject({ source_os_type: 'rocky-9', manager: 'slurm' })
  const torque = newValues({ ...oracle, torquePackages: 'rpm' as const })
  expect(torque.data).toMatchObject({ source_os_type: 'rocky-9', manager: 'torque' })
})

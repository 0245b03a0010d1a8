import { expect, test } from 'vitest'
import { partsOf, stackInputOf } from '../../../test/support/modules/image-build'
import { buildFiles, type BuildParts } from '../../modules/stacks/build'

const named = { source_image_publisher: 'vendor', source_image_offer: 'hpc', source_image_sku: 'gen2' }

async function planIn(data: object, plan?: BuildParts['plan']) {
  const input = stackInputOf('azure')
  const parts = await partsOf('azure', { ...input, data: { ...input.data, ...data } })
  const { template, variables } = buildFiles({ ...parts, ...(plan !== undefined && { plan }) }, 'run00001')
  const [builder] = template.builders as { plan_info?: Record<string, string> }[]
  // User input and reported values are only in the variables, not in the template.
  const valueOf = (reference: string) => variables[/`(.+)`/.exec(reference)?.[1] ?? '']
  return Object.values(builder?.plan_info ?? {}).map(valueOf)
}

test('a build has the plan that Azure reports for its marketplace image, and otherwise the usual one', async () => {
  const plan = { name: 'gen2-plan', product: 'hpc-product', publisher: 'vendor-inc' }
  expect(await planIn(named, plan)).toEqual(['gen2-plan', 'hpc-product', 'vendor-inc'])
  expect(await planIn(named)).toEqual(['gen2', 'hpc', 'vendor'])
  expect(await planIn(named, null)).toEqual([])
  expect(await planIn({ source_os_type: 'rocky-9' })).toEqual(['9-base', 'rockylinux-x86_64', 'resf'])
  expect(await planIn({ source_os_type: 'ubuntu-22.04' })).toEqual([])
  expect(await planIn({ ...named, source_image: 'own' })).toEqual([])
})

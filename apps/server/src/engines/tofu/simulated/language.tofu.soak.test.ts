import path from 'node:path'
import { expect, it } from 'vitest'
import { simulatedCloudFile } from '../../../../test/support/modules/simulated-cluster'
import { testFolder } from '../../../../test/support/folder'
import type { EngineProgram } from '../../engine'
import { findTofu, simulatedProgram } from '../find'
import { createTofu } from '../tofu'
import { samples, sampleTypes, sampleVariables } from '@flotilla/simulated-cloud/language/samples'

const nameOf = (index: number) => `o${index}`

/** Evaluates every sample with an engine. */
async function answers(program: EngineProgram): Promise<Record<string, unknown>> {
  const folder = await testFolder()
  const tofu = createTofu({
    program: async () => program,
    pluginCache: path.join(folder, 'plugins'),
    atOnce: 1,
  })
  const workspace = tofu.workspace({
    folder: path.join(folder, 'workspace'),
    environment: {},
    passphrase: 'long enough for a test',
  })
  await workspace.write({
    module: {
      variable: Object.fromEntries(Object.entries(sampleTypes).map(([name, type]) => [name, { type }])),
      output: Object.fromEntries(samples.map((value, index) => [nameOf(index), { value }])),
    },
    variables: sampleVariables,
    secretVariables: {},
  })
  await workspace.init({})
  await workspace.plan({}, {})
  await workspace.apply({})
  return workspace.outputs()
}

it('the simulated cloud evaluates expressions as OpenTofu does', async () => {
  const env = { PATH: process.env.PATH }
  const real = await answers(await findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env }))
  const ours = await answers(simulatedProgram({ file: simulatedCloudFile(), dir: await testFolder(), env }))
  expect(Object.keys(real).length).toBeGreaterThan(samples.length - 5)
  // OpenTofu omits null outputs.
  const compared = samples.map((sample, index) => [sample, ours[nameOf(index)] ?? null])
  expect(compared).toEqual(samples.map((sample, index) => [sample, real[nameOf(index)] ?? null]))
})

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  builtProviders,
  partsOf,
  stackInputOf,
  type BuiltProvider,
} from '../../../test/support/modules/image-build'
import { inSoak, variants } from '../../../test/support/soak'
import { stackChanges } from '../../../test/support/modules/stack-changes'
import { findPacker } from '../../engines/packer/find'
import { createPacker } from '../../engines/packer/packer'
import { buildEnvironment, buildFiles, type BuildParts } from '../../modules/stacks/build'
import { isAtLeast } from '../../engines/versions'
import { cloudProviders } from '../registry'

const run = promisify(execFile)
const program = await findPacker({ packerBin: process.env.PACKER_BIN, env: process.env })

/** Validates a build with Packer itself, as the engine would start it. */
async function validated(parts: BuildParts): Promise<string> {
  // Tests of this file run in parallel, so each folder is removed by its own test.
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-'))
  const environment = buildEnvironment(parts)
  await createPacker({ program: async () => program, atOnce: 1 })
    .build({ folder, environment, secrets: [] })
    .write(buildFiles(parts, 'run00001'))
  const [file = '', ...args] = program.command
  const env = { ...program.environment, ...environment, HOME: folder, CHECKPOINT_DISABLE: '1' }
  const options = { cwd: folder, env }
  const output = await run(
    file,
    [...args, 'validate', '-var-file=variables.json', 'template.json'],
    options,
  ).then(
    () => '',
    (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`,
  )
  await rm(folder, { recursive: true, force: true })
  return output
}

/** The fields that have an effect on this provider's builds. */
const changes = (provider: BuiltProvider) =>
  [
    ...cloudProviders[provider].stackFields.map((field) => field.path),
    'name',
    'description',
    'provision.nodeProvisioner',
    'provision.serverProvisioner',
    'provision.dataFiles',
    'provision.dataFilesB',
  ].filter(
    // Older versions do not support flexible shapes, and such builds are rejected with that reason.
    (field) => isAtLeast(program.version, 1, 7) || !['data.ocpus', 'data.mem'].includes(field),
  )

describe.each(variants(builtProviders))('a template of %s', (provider) => {
  it('is accepted by Packer', async () => {
    expect(await validated(await partsOf(provider, stackInputOf(provider)))).toBe('')
  })

  it('with everything set is, too', async () => {
    const { input, files } = stackChanges(provider, 'provision.serverProvisioner')
    Object.assign(input.data, { customize_image: true, has_vnc: true, isPrivate: true })
    expect(await validated(await partsOf(provider, input, files))).toBe('')
  })

  it.each(
    inSoak(cloudProviders[provider].osTypes.filter(({ unavailable }) => !unavailable).map(({ id }) => id)),
  )('for %s is, too', async (osType) => {
    const input = stackInputOf(provider)
    input.data.source_os_type = osType
    expect(await validated(await partsOf(provider, input))).toBe('')
  })

  it.concurrent.each(inSoak(changes(provider)))('with %s set is, too', async (field) => {
    const { input, files } = stackChanges(provider, field)
    expect(await validated(await partsOf(provider, input, files))).toBe('')
  })
})

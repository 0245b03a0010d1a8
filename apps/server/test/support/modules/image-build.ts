import { createHash } from 'node:crypto'
import { StackInput } from '@flotilla/contract/stacks/entity'
import type { ProviderId } from '@flotilla/contract/site/config'
import { buildEnvironment, buildFiles, type BuildParts } from '../../../src/modules/stacks/build'
import { cloudProviders } from '../../../src/providers/registry'
import { stackPlaces } from '../console/stack'
import { pemOf, unknownRsaKey } from '../rsa-key'

export type BuiltProvider = Exclude<ProviderId, 'maas'>
export const builtProviders: BuiltProvider[] = ['aws', 'azure', 'gcp', 'oracle']

/** A stack of a provider with everything that a build requires. */
export const stackInputOf = (provider: ProviderId): StackInput =>
  StackInput.parse({
    name: 'One',
    provider,
    credential_id: '1',
    data: { ...stackPlaces[provider], manager: 'slurm' },
  })

const pem = pemOf(unknownRsaKey())
const credentials: Record<BuiltProvider, Record<string, string>> = {
  aws: { access_key: 'AKIAEXAMPLE', secret_key: 'a-secret-key' },
  azure: { client_id: 'app', client_secret: 'a-secret', subscription_id: 'sub', tenant_id: 'ten' },
  gcp: {
    type: 'service_account',
    project_id: 'project',
    private_key: pem,
    client_email: 'a@project.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  },
  oracle: {
    user_ocid: 'ocid1.user.oc1..x',
    tenancy_ocid: 'ocid1.tenancy.oc1..x',
    compartment_ocid: 'ocid1.compartment.oc1..x',
    fingerprint: 'aa:bb:cc',
    key_file: pem,
  },
}

type File = { field: string; name: string; bytes: Uint8Array }

export async function partsOf(
  provider: BuiltProvider,
  input: StackInput,
  files: File[] = [],
): Promise<BuildParts> {
  const builder = await cloudProviders[provider].imageBuilder()
  if (!builder) throw new Error('the provider builds no images')
  return {
    stack: {
      id: 'stack7',
      name: input.name,
      description: input.description,
      data: input.data,
      files: files.map(({ field, name }) => ({ field, name, size: 1 })) as BuildParts['stack']['files'],
    },
    builder,
    credential: credentials[provider],
    files,
    rhel: { activationKey: input.rhel.activation_key, organization: input.rhel.organization_id },
    torqueSource: null,
    peopleKeys: ['ssh-ed25519 AAAA person'],
  }
}

/** The inputs of Packer and of the machine, without random values. */
export function madeFrom(parts: BuildParts) {
  const { template, variables, files } = buildFiles(parts, 'run00001')
  const fixed = Object.entries(variables).filter(([name]) => !name.endsWith('_user_data'))
  const digest = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
  return {
    template: JSON.stringify([template, fixed]),
    machine: JSON.stringify([
      files.filter(({ path }) => path !== 'ssh-key').map(({ path, data }) => [path, digest(data)]),
      buildEnvironment(parts),
    ]),
  }
}

import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import { setFaults } from '@flotilla/simulated-cloud/world/faults'
import { simulatedFolder } from '../../modules/clouds/clouds'
import { waitFor, type Session, type Sessions } from './session'

type Body = Omit<Sent<typeof api.stacks.create>['body'], 'credential_id'>
const stacks: (Body & { credential: string; builds: boolean; fails?: true })[] = [
  {
    name: 'Genomics image',
    description: 'STAR, GATK and FastQC on Ubuntu',
    provider: 'aws',
    credential: 'Research account',
    builds: true,
    data: {
      manager: 'slurm',
      region_id: 'eu-west-1',
      instance_id: 't3.large',
      source_os_type: 'ubuntu-22.04',
      prefix: 'genomics',
    },
  },
  {
    name: 'Course image',
    description: 'OpenMPI, compilers and editors for course exercises',
    provider: 'azure',
    credential: 'Teaching subscription',
    builds: true,
    fails: true,
    data: {
      manager: 'torque',
      region_id: 'eastus',
      instance_id: 'Standard_D4s_v5',
      source_os_type: 'ubuntu-22.04',
      resource_group_name: 'teaching',
      prefix: 'course',
    },
  },
  {
    name: 'PyTorch image',
    description: 'CUDA and PyTorch for GPU nodes',
    provider: 'gcp',
    credential: 'Machine learning project',
    builds: false,
    data: { manager: 'slurm', region_id: 'us-central1', instance_id: 'n1-standard-8', prefix: 'pytorch' },
  },
]

async function build(session: Session, id: string, fails: boolean, dataDir: string): Promise<void> {
  const simulated = simulatedFolder(dataDir)
  if (fails) await setFaults(simulated, { '*': { fault: 'capacity' } })
  await session(api.stacks.build, { body: { id } })
  await waitFor('a stack is built', async () => {
    const { state } = await session(api.stacks.view, { id })
    return state === 'building' ? undefined : state
  })
  if (fails) await setFaults(simulated, {})
}

/** Creates a stack that was built, one whose build failed, and one that is not built yet. */
export async function seedStacks(
  session: Sessions,
  credentialIds: Map<string, string>,
  dataDir: string,
): Promise<void> {
  const grace = await session('grace')
  const known = (await grace(api.stacks.list, {})).map(({ name }) => name)
  for (const { credential, builds, fails, ...stack } of stacks) {
    if (known.includes(stack.name)) continue
    const body = { ...stack, credential_id: credentialIds.get(credential) ?? '' }
    const { id } = await grace(api.stacks.create, { body })
    if (builds) await build(grace, id, fails === true, dataDir)
  }
}

import type { WhoAmI } from '../provider'
import { unlessNotFound } from '../waiting'
import { type Clients, isNotFound } from './clients'
import { VCNS } from './account/quota'

const QUOTAS = 'inspect resource-availability in the compartment, to check quotas'

/** Oracle does not report permissions: read access is all that can be checked without side effects. */
export const makeWhoAmI =
  ({ compute, storage, network, identity, limits, compartmentId, userId }: Clients) =>
  async (): Promise<WhoAmI> => {
    // A wrong key is rejected here, with the reason.
    const user = await unlessNotFound(identity.getUser({ userId }), isNotFound)
    const limit = 1
    const checks: [label: string, attempt: Promise<{ name?: string }>][] = [
      [
        'The compartment exists and is visible',
        identity.getCompartment({ compartmentId }).then(({ compartment }) => ({ name: compartment.name })),
      ],
      [
        'instance-family in the compartment, to create machines',
        compute.listInstances({ compartmentId, limit }).then(() => ({})),
      ],
      [
        'volume-family in the compartment, to create disks',
        storage.listVolumes({ compartmentId, limit }).then(() => ({})),
      ],
      [
        'virtual-network-family in the compartment, to create networks',
        network.listVcns({ compartmentId, limit }).then(() => ({})),
      ],
      [
        QUOTAS,
        // If the service cannot be reached, that says nothing about the key.
        limits('vcn', VCNS, { compartmentId }).then(
          () => ({}),
          (error: unknown) => (isNotFound(error) ? Promise.reject(error) : {}),
        ),
      ],
    ]
    const seen = await Promise.all(
      checks.map(async ([label, attempt]) => ({ label, answer: await unlessNotFound(attempt, isNotFound) })),
    )
    const lacking = seen.filter(({ answer }) => answer === undefined).map(({ label }) => label)
    const compartment = seen[0]?.answer?.name ?? compartmentId
    return {
      account: `${user?.user.name ?? userId} in the compartment ${compartment}`,
      checked: seen.map(({ label }) => label),
      missing: lacking.filter((label) => label !== QUOTAS),
      optional: lacking.filter((label) => label === QUOTAS),
    }
  }

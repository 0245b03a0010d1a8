import * as z from 'zod/mini'
import { choice, readable, type AccountList } from '../../account-lists'
import type { Clients } from '../clients'

const optional = z.optional(z.nullable(z.string()))
const MountTarget = z.object({
  lifecycleState: z.literal('ACTIVE'),
  displayName: optional,
  exportSetId: z.string(),
  privateIpIds: z._default(z.array(z.string()), []),
})
const Export = z.object({ lifecycleState: z.literal('ACTIVE'), path: z.string() })

/** The exports of the compartment's mount targets in each availability domain, by the mount target's address. */
export const fileStorage = ({ identity, network, files, compartmentId }: Clients): AccountList => ({
  right: 'inspect mount-targets, read export-sets and read private-ips',
  async *pages(signal) {
    let [works, failure]: [boolean, Error | null] = [false, null]
    const { items } = await identity.listAvailabilityDomains({ compartmentId })
    for (const { name: availabilityDomain = '' } of items)
      for await (const page of files('mountTargets', { compartmentId, availabilityDomain }, signal))
        for (const { displayName, exportSetId, privateIpIds } of readable(MountTarget, page)) {
          const [privateIpId] = privateIpIds
          if (privateIpId === undefined) continue
          // Oracle's library does not support aborting a request.
          signal.throwIfAborted()
          try {
            const { privateIp } = await network.getPrivateIp({ privateIpId })
            for await (const exported of files('exports', { exportSetId }, signal))
              yield readable(Export, exported).map(({ path }) =>
                choice(
                  `${privateIp.ipAddress}:${path}`,
                  path,
                  'File Storage',
                  displayName,
                  availabilityDomain,
                ),
              )
            works = true
          } catch (error) {
            // For example, an address in another compartment must not hide the others.
            if (!(error instanceof Error)) throw error
            failure = error
          }
        }
    if (!works && failure) throw failure
  },
})

import * as z from 'zod/mini'
import type { WhoAmI } from '../provider'
import { quotaRights } from '../quota/quota'
import { unlessNotFound } from '../waiting'
import type { Gcp } from './client'

const PROJECTS = 'https://cloudresourcemanager.googleapis.com/v1/'

const needs: Record<string, string> = {
  'compute.instances.create': 'to create machines',
  'compute.instances.delete': 'to delete machines',
  'compute.instances.stop': 'to stop machines',
  'compute.instances.start': 'to start machines',
  'compute.instances.setMetadata': 'to configure machines',
  'compute.instances.setLabels': 'to find created resources',
  'compute.disks.create': 'to create disks',
  'compute.disks.delete': 'to delete disks',
  'compute.networks.create': 'to create networks',
  'compute.subnetworks.create': 'to create networks',
  'compute.firewalls.create': 'to create firewalls',
  'compute.routers.create': 'to give nodes internet access',
  'compute.resourcePolicies.create': 'to place nodes close together',
  'compute.addresses.create': 'to give the head node an address',
  ...Object.fromEntries(quotaRights.gcp.map((right) => [right, 'to check quotas'])),
}

const Project = z.object({ name: z.string() })
const Held = z.object({ permissions: z._default(z.array(z.string()), []) })
const Refusal = z.object({
  response: z.object({
    data: z.object({
      error: z.object({ details: z._default(z.array(z.object({ reason: z.optional(z.string()) })), []) }),
    }),
  }),
})

/** Projects often have only the APIs enabled that they use. */
export const isTurnedOff = (error: unknown) =>
  Refusal.safeParse(error).data?.response.data.error.details.some(
    ({ reason }) => reason === 'SERVICE_DISABLED',
  ) ?? false

export const makeWhoAmI = (gcp: Gcp) => async (): Promise<WhoAmI> => {
  // Fails if the project cannot have machines.
  const { name } = Project.parse(await gcp.get(gcp.project))
  const account = `${gcp.email} in the project ${name}`
  const permissions = Object.keys(needs)
  // Everything else also works without the API that reports permissions.
  const pending = gcp.call('POST', `${PROJECTS}${gcp.project}:testIamPermissions`, { data: { permissions } })
  const answer = await unlessNotFound(pending, isTurnedOff)
  if (answer === undefined) return { account, missing: [], checked: [] }
  const held = new Set(Held.parse(answer).permissions)
  const lacking = permissions.filter((right) => !held.has(right))
  const isOptional = (right: string) => quotaRights.gcp.includes(right)
  const describeRight = (right: string) => `${right}, ${needs[right]}`
  return {
    account,
    checked: permissions.map(describeRight),
    missing: lacking.filter((right) => !isOptional(right)).map(describeRight),
    optional: lacking.filter(isOptional).map(describeRight),
  }
}

import * as z from 'zod/mini'
import type { DriverOptions, WhoAmI } from '../provider'
import { quotaRights } from '../quota/quota'
import type { Clients } from './clients'

const needs: [action: string, what: string][] = [
  ['Microsoft.Resources/subscriptions/resourceGroups/write', 'to create resource groups'],
  ['Microsoft.Resources/subscriptions/resourceGroups/delete', 'to delete resource groups'],
  ['Microsoft.Compute/virtualMachines/write', 'to create machines'],
  ['Microsoft.Compute/virtualMachines/delete', 'to delete machines'],
  ['Microsoft.Compute/virtualMachines/deallocate/action', 'to stop machines'],
  ['Microsoft.Compute/virtualMachines/start/action', 'to start machines'],
  ['Microsoft.Compute/disks/write', 'to create disks'],
  ['Microsoft.Compute/disks/delete', 'to delete disks'],
  ['Microsoft.Compute/availabilitySets/write', 'to place nodes with InfiniBand close together'],
  ['Microsoft.Network/virtualNetworks/write', 'to create networks'],
  ['Microsoft.Network/networkInterfaces/write', 'to connect machines'],
  ['Microsoft.Network/networkSecurityGroups/write', 'to create firewalls'],
  ['Microsoft.Network/publicIPAddresses/write', 'to give the head node an address'],
  ['Microsoft.Network/natGateways/write', 'to give nodes internet access'],
  ...quotaRights.azure.map((right): [string, string] => [right, 'to check quotas']),
]
/** Services that a subscription must be registered for before it can create their resources. */
const services = ['Microsoft.Compute', 'Microsoft.Network']

const Subscription = z.object({ displayName: z.string(), state: z.string() })
const Permission = z.object({
  actions: z._default(z.array(z.string()), []),
  notActions: z._default(z.array(z.string()), []),
})
type Permission = z.infer<typeof Permission>
const Service = z.object({ registrationState: z.string() })

/** A star matches any text; case does not matter. */
const matches = (pattern: string, action: string) =>
  new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 'i').test(action)
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Each role grants its actions except its notActions; other roles may still grant those. */
export const allows = (permissions: Permission[], action: string): boolean =>
  permissions.some(
    ({ actions, notActions }) =>
      actions.some((one) => matches(one, action)) && !notActions.some((one) => matches(one, action)),
  )

export const makeWhoAmI =
  ({ arm, subscription }: Clients, { credential }: DriverOptions) =>
  async (): Promise<WhoAmI> => {
    const { displayName, state } = Subscription.parse(await arm.get(subscription, '2022-12-01'))
    const [permissions, ...states] = await Promise.all([
      arm.list(Permission, `${subscription}/providers/Microsoft.Authorization/permissions`, '2022-04-01'),
      ...services.map((name) => arm.get(`${subscription}/providers/${name}`, '2021-04-01')),
    ])
    const isOptional = ({ action }: { action: string }) => quotaRights.azure.includes(action)
    const rights = needs.map(([action, what]) => ({ action, text: `${action}, ${what}` }))
    const lacking = rights.filter(({ action }) => !allows(permissions, action))
    const registered = services.map((name, index) => ({
      text: `The subscription is registered for ${name}`,
      is: Service.parse(states[index]).registrationState === 'Registered',
    }))
    return {
      account: `application ${credential.client_id} in the subscription ${displayName} (${state})`,
      checked: [...rights, ...registered].map(({ text }) => text),
      optional: lacking.filter(isOptional).map(({ text }) => text),
      missing: [...lacking.filter((one) => !isOptional(one)), ...registered.filter(({ is }) => !is)].map(
        ({ text }) => text,
      ),
    }
  }

import type { Parsed } from './found'
import { present } from './found'

const NO_SUBSCRIPTION = 'The file has no subscription ID. To find it, run: az account show --query id -o tsv'

export const azureNotes = ({ client_id, subscription_id }: Record<string, string>): string[] =>
  client_id && !subscription_id ? [NO_SUBSCRIPTION] : []

/**
 * Parses the output of `az ad sp create-for-rbac`, with and without --sdk-auth, and of `az account show` for the
 * subscription.
 */
export function parseAzureJson(json: Record<string, unknown>): Parsed | null {
  const text = (name: string): string | undefined => (typeof json[name] === 'string' ? json[name] : undefined)
  if ('appId' in json && ('password' in json || 'tenant' in json))
    return one({ client_id: text('appId'), client_secret: text('password'), tenant_id: text('tenant') })
  if ('clientId' in json && ('clientSecret' in json || 'tenantId' in json))
    return one({
      client_id: text('clientId'),
      client_secret: text('clientSecret'),
      subscription_id: text('subscriptionId'),
      tenant_id: text('tenantId'),
    })
  if ('environmentName' in json && 'tenantId' in json)
    return one({ subscription_id: text('id'), tenant_id: text('tenantId') })
  return null
}

const one = (values: Record<string, string | undefined>): Parsed => ({
  found: [{ provider: 'azure', label: null, data: present(values) }],
  problems: [],
})

import { ComputeManagementClient } from '@azure/arm-compute'
import { ClientSecretCredential, type ClientSecretCredentialOptions } from '@azure/identity'
import { detour } from '../detour'
import type { DriverOptions } from '../provider'
import { ARM, makeArm } from './arm'

type Policies = NonNullable<ClientSecretCredentialOptions['additionalPolicies']>

/** Runs after everything else that the client does to a request, so that tests see what Azure would. */
const detourPolicy = (endpoint: string): Policies[number] => ({
  position: 'perRetry',
  policy: {
    name: 'detour',
    sendRequest: (request, next) => {
      request.url = detour(endpoint, request.url)
      request.allowInsecureConnection = true
      return next(request)
    },
  },
})

/** The login, the client for machines and disks, and the REST API for everything else. */
export function clientsOf({ credential, endpoint }: DriverOptions) {
  const { client_id = '', client_secret = '', subscription_id = '', tenant_id = '' } = credential
  const options = {
    // Few retries, because callers retry themselves, and a fast reply matters more.
    retryOptions: { maxRetries: 2 },
    ...(endpoint !== undefined && { additionalPolicies: [detourPolicy(endpoint)] }),
  }
  const login = new ClientSecretCredential(tenant_id, client_id, client_secret, options)
  return {
    compute: new ComputeManagementClient(login, subscription_id, options),
    arm: makeArm(async () => (await login.getToken(`${ARM}/.default`)).token, endpoint),
    subscription: `/subscriptions/${subscription_id}`,
  }
}
export type Clients = ReturnType<typeof clientsOf>

/** Whether a resource does not exist, for errors of the compute client and of our own. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && Number(error.statusCode) === 404

/** /subscriptions/<id>/resourceGroups/<group>/providers/<provider>/<type>/<name> */
export function placeOf(id: string): [group: string, name: string] {
  const [, group, name] = /\/resourceGroups\/([^/]+)\/.*\/([^/]+)$/i.exec(id) ?? []
  if (group === undefined || name === undefined) throw new Error(`${id} is not an Azure resource ID`)
  return [group, name]
}

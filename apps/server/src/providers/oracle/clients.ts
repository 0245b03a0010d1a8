import {
  CircuitBreaker,
  DefaultRequestSigner,
  EndpointBuilder,
  FixedTimeDelayStrategy,
  MaxAttemptsTerminationStrategy,
  SimpleAuthenticationDetailsProvider,
} from 'oci-common'
import { BlockstorageClient, ComputeClient, VirtualNetworkClient } from 'oci-core'
import { IdentityClient } from 'oci-identity'
import type { DriverOptions } from '../provider'
import { FILES, makeFiles } from './files'
import { LIMITS, makeLimits } from './limits'

const ATTEMPTS = 3
const SECONDS_BETWEEN = 1

export type Clients = ReturnType<typeof clientsOf>
export function clientsOf({ credential, region, endpoint }: DriverOptions) {
  const {
    tenancy_ocid = '',
    user_ocid = '',
    fingerprint = '',
    key_file = '',
    compartment_ocid = '',
  } = credential
  // The region becomes part of the host name in URLs.
  if (!/^[a-z0-9-]+$/i.test(region)) throw new Error(`${region || 'Nothing'} is not an Oracle Cloud region`)
  const authenticationDetailsProvider = new SimpleAuthenticationDetailsProvider(
    tenancy_ocid,
    user_ocid,
    fingerprint,
    key_file,
    null,
  )
  const settings = {
    // A circuit breaker would keep timers for every client, and hide the actual error behind its own.
    circuitBreaker: new CircuitBreaker({ disableClientCircuitBreaker: true }),
    retryConfiguration: {
      terminationStrategy: new MaxAttemptsTerminationStrategy(ATTEMPTS),
      delayStrategy: new FixedTimeDelayStrategy(SECONDS_BETWEEN),
    },
  }
  const at = <Client extends { endpoint: string; regionId: string }>(client: Client): Client => {
    if (endpoint === undefined) client.regionId = region
    else client.endpoint = endpoint
    return client
  }
  const login = { authenticationDetailsProvider }
  const signer = new DefaultRequestSigner(authenticationDetailsProvider)
  const addressOf = (service: string) =>
    endpoint ?? EndpointBuilder.createEndpointFromRegionId(service, region)
  return {
    compute: at(new ComputeClient(login, settings)),
    storage: at(new BlockstorageClient(login, settings)),
    network: at(new VirtualNetworkClient(login, settings)),
    identity: at(new IdentityClient(login, settings)),
    limits: makeLimits(signer, addressOf(LIMITS)),
    files: makeFiles(signer, addressOf(FILES)),
    compartmentId: compartment_ocid,
    userId: user_ocid,
  }
}

/** Oracle returns the same status for a resource that does not exist and for one that the user may not see. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && error.statusCode === 404

/** A quota that a resource would exceed; `id` is the cloud's own. */
interface Exceeded {
  id: string
  name: string
  /** The unit of its numbers: vCPUs, addresses, networks. */
  unit: string
  limit: number
  used: number
  /** How much the resource would add. */
  more: number
  region: string
}

const azureCounts: Record<string, [string, string]> = {
  addresses: ['PublicIPCountLimitReached', 'public IP addresses'],
  networks: ['VnetCountLimitReached', 'virtual networks'],
}
const gcpThings: Record<string, string> = { addresses: 'Address', networks: 'Network' }

/** Used for the quota fault, regardless of the account's actual quotas. */
export const EXAMPLE: Omit<Exceeded, 'id'> = {
  name: '',
  unit: 'vCPUs',
  limit: 32,
  used: 30,
  more: 4,
  region: 'this region',
}

/** Each cloud's error message for an exceeded quota. */
export const exceededText: Record<'aws' | 'azure' | 'gcp' | 'oracle', (quota: Exceeded) => string> = {
  aws: ({ unit, limit, name }) => {
    const apiError = (what: string, operation: string, error: string) =>
      `creating EC2 ${what}: operation error EC2: ${operation}, https response error StatusCode: 400, api error ${error}`
    if (unit === 'addresses')
      return apiError(
        'EIP',
        'AllocateAddress',
        'AddressLimitExceeded: The maximum number of addresses has been reached.',
      )
    if (unit === 'VPCs')
      return apiError('VPC', 'CreateVpc', 'VpcLimitExceeded: The maximum number of VPCs has been reached.')
    return /spot/i.test(name)
      ? apiError('Instance', 'RunInstances', 'MaxSpotInstanceCountExceeded: Max spot instance count exceeded')
      : apiError(
          'Instance',
          'RunInstances',
          `VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to.`,
        )
  },
  azure: ({ id, unit, limit, used, more, region }) => {
    const [code, things] = azureCounts[unit] ?? []
    if (code)
      return `performing CreateOrUpdate: unexpected status 400 (400 Bad Request) with error: ${code}: Cannot create more than ${limit} ${things} for this subscription in this region.`
    const which = id === 'cores' ? 'Total Regional' : id
    return `creating Linux Virtual Machine: performing CreateOrUpdate: unexpected status 409 (409 Conflict) with error: OperationNotAllowed: Operation could not be completed as it results in exceeding approved ${which} Cores quota. Additional details - Deployment Model: Resource Manager, Location: ${region}, Current Limit: ${limit}, Current Usage: ${used}, Additional Required: ${more}, (Minimum) New Limit Required: ${used + more}.`
  },
  gcp: ({ id, unit, limit, region }) =>
    `Error creating ${gcpThings[unit] ?? 'instance'}: googleapi: Error 403: Quota '${id}' exceeded.  Limit: ${limit.toFixed(1)} ${unit === 'networks' ? 'globally' : `in region ${region}`}., quotaExceeded`,
  oracle: ({ id }) =>
    `400-LimitExceeded, The following service limits were exceeded: ${id}. Request a service limit increase from the service limits page in the console. Suggestion: Request a service limit increase for this resource Core ${id === 'vcn-count' ? 'Vcn' : 'Instance'}`,
}

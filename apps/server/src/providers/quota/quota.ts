import type { ProviderId } from '@flotilla/contract/site/config'

/** A machine that is to be created, with the properties that quotas count. */
export interface CountedMachine {
  instance_id: string
  ocpus: number
  /** GB. */
  mem: number
  spot: boolean
  /** vCPUs. */
  cores: number
  gpus: number
  gpuModel: string
  /** The type of attached accelerators, which are also included in `gpus`. */
  accelerator: string
}

/** A quota of a cloud account, as the cloud names and counts it. */
export interface Quota {
  name: string
  /** The unit of its numbers: vCPUs, machines, GPUs. */
  unit: string
  limit: number
  used: number
  /** Where to request an increase. */
  link: string | null
}

/** What a single resource uses, by quota; a text explains why that is unknown. */
export type Takes = Record<string, number> | string

export interface Quotas {
  quotas: Record<string, Quota>
  /** In the order of the requested machines. */
  machines: Takes[]
  /** What a public address and a network use, on clouds that have quotas for them. */
  address?: Takes
  network?: Takes
}

/** The permissions that a credential needs to read quotas and their use, in addition to those for deploying. */
export const quotaRights: Record<ProviderId, string[]> = {
  aws: [
    'servicequotas:GetServiceQuota',
    'ec2:DescribeInstances',
    'ec2:DescribeAddresses',
    'ec2:DescribeVpcs',
  ],
  azure: [
    'Microsoft.Compute/locations/usages/read',
    'Microsoft.Compute/skus/read',
    'Microsoft.Network/locations/usages/read',
  ],
  gcp: ['compute.regions.get', 'compute.projects.get'],
  oracle: ['inspect resource-availability in the compartment', 'inspect instances in the compartment'],
  maas: [],
}

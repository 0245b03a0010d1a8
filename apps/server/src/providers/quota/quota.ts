import type { ProviderId } from '@flotilla/contract/site/config'

/** A machine that is to be created, as far as quotas count it. */
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
  /** Attached accelerators are counted in `gpus` too. */
  accelerator: string
}

/** What a cloud account may have of something, as the cloud calls and counts it. */
export interface Quota {
  name: string
  /** Of its numbers: vCPUs, machines, GPUs. */
  unit: string
  limit: number
  used: number
  /** Where to request more. */
  link: string | null
}

/** What one of something takes, by quota; a text says why that is unknown. */
export type Takes = Record<string, number> | string

export interface Quotas {
  quotas: Record<string, Quota>
  /** In the order in which they were asked for. */
  machines: Takes[]
  /** What a public address and a network take, where the cloud has quotas of them. */
  address?: Takes
  network?: Takes
}

/** What a credential needs beside the rights to deploy, to read quotas and what is used of them. */
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

import type { Field } from '@flotilla/contract/clouds/providers'

type Format = NonNullable<Field['format']>

/** The id of an AWS resource such as vpc- or subnet-: eight hexadecimal digits, or seventeen since 2018. */
export const awsId = (kind: string): Format => ({
  pattern: `^${kind}-(?:[0-9a-f]{8}|[0-9a-f]{17})$`,
  example: `${kind}-0a1b2c3d4e5f67890`,
})

/** ocid1.<kind>.<realm>.[region][.future use].<unique id> */
export const ocid = (kind: string): Format => ({
  pattern: String.raw`^ocid1\.${kind}\.[a-z0-9-]+\.[a-z0-9-]*(?:\.[a-z0-9-]*)?\.[a-z0-9]+$`,
  example: `ocid1.${kind}.oc1.phx.aaaaaaaabbbb`,
})

const inGroup = String.raw`/subscriptions/[^/]+/resourceGroups/[^/]+`
/**
 * The id of a resource in a resource group: 'Microsoft.Network', 'virtualNetworks', and optionally a child type such as
 * 'subnets'.
 */
export const azureId = (namespace: string, ...types: string[]): Format => ({
  pattern: `^${inGroup}/providers/${namespace.replace('.', String.raw`\.`)}${types.map((type) => `/${type}/[^/]+`).join('')}$`,
  example: `/subscriptions/<id>/resourceGroups/<group>/providers/${namespace}${types.map((type) => `/${type}/<name>`).join('')}`,
})

/** The name of a resource group, or its full id. */
export const azureGroup: Format = {
  pattern: String.raw`^(?:/subscriptions/[^/]+/resourceGroups/)?[\w.()-]*[\w()-]$`,
  example: 'research-group',
}

const gcpName = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** The name of a network or subnetwork, or its path with the project. */
export const gcpPath = (kind: 'networks' | 'subnetworks'): Format => ({
  pattern: `^(?:${gcpName}|(?:https://[^ ]+/)?projects/[^/ ]+/(?:global|regions/[^/ ]+)/${kind}/${gcpName})$`,
  example: kind === 'networks' ? 'default' : 'research-subnet',
})
/** The name of a disk in the cluster's zone, or the path of a zonal or regional disk. */
export const gcpDisk: Format = {
  pattern: `^(?:${gcpName}|(?:https://[^ ]+/)?projects/[^/ ]+/(?:zones|regions)/[^/ ]+/disks/${gcpName})$`,
  example: 'projects/my-project/zones/us-west1-b/disks/genomes',
}
/** An image by name or path, or the latest of an image family. */
export const gcpImage: Format = {
  pattern: `^(?:(?:(?:https://[^ ]+/)?projects/[^/ ]+/)?global/images/|[^/ ]+/)?(?:family/)?${gcpName}$`,
  example: 'projects/my-project/global/images/compute',
}
/** A network tag. */
export const gcpTag: Format = { pattern: `^${gcpName}$`, example: 'allow-ssh' }
export const email: Format = {
  pattern: String.raw`^(?:default|[\w.+-]+@[\w.-]+\.[a-z]+)$`,
  example: 'runner@my-project.iam.gserviceaccount.com',
}

const byte = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
const address = String.raw`(?:${byte}\.){3}${byte}`
export const ipv4: Format = { pattern: `^${address}$`, example: '203.0.113.10' }
const inside = String.raw`(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|22[4-9]|2[3-5]\d)\.`
export const publicIpv4: Format = { pattern: `^(?!${inside})${address}$`, example: ipv4.example }
export const cidr: Format = {
  pattern: String.raw`^${address}/(?:3[0-2]|[12]?\d)$`,
  example: '10.0.0.0/24',
}
/** The name of an instance profile, not its ARN. */
export const profile: Format = { pattern: String.raw`^[\w+=,.@-]{1,128}$`, example: 'cluster-nodes' }
/** A network interface name that the kernel accepts. */
export const networkInterface: Format = { pattern: String.raw`^[^\s/]{1,15}$`, example: 'eno1' }
/** Names in MAAS: tags, pools and zones. */
export const maasShape: Format = {
  pattern: String.raw`^(?:(?:tag:)?[\w-]+|pool:\w[ \w-]*)$`,
  example: 'tag:gpu',
}
export const maasZone: Format = {
  pattern: String.raw`^[\w\u00C0-\uFFFF][ \w\u00C0-\uFFFF-]*$`,
  example: 'default',
}

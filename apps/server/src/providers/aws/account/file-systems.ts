import * as z from 'zod/mini'
import { accountList, choice, gigabytes, readable, type AccountList } from '../../account-lists'
import type { DriverOptions } from '../../provider'
import { domainOf, jsonIn, jsonRefusal, signedCall } from './signed-call'

const Tags = z._default(z.array(z.object({ Key: z.string(), Value: z.string() })), [])
const nameIn = (tags: z.infer<typeof Tags>) => tags.find(({ Key }) => Key === 'Name')?.Value
const optional = z.optional(z.nullable(z.string()))

const Elastic = z.object({
  FileSystemId: z.string(),
  LifeCycleState: optional,
  NumberOfMountTargets: z.optional(z.number()),
  /** Set if it is in a single zone. */
  AvailabilityZoneName: optional,
  Tags,
})
const ElasticPage = z.object({ FileSystems: z.array(z.unknown()), NextMarker: optional })

const Lustre = z.object({
  FileSystemId: z.string(),
  FileSystemType: z.literal('LUSTRE'),
  Lifecycle: optional,
  StorageCapacity: z.optional(z.number()),
  VpcId: optional,
  DNSName: z.string(),
  LustreConfiguration: z.object({ MountName: z.string() }),
  Tags,
})
/** In other states, such as UPDATING, the file system can be used. */
const NOT_UP = new Set(['CREATING', 'FAILED', 'DELETING', 'MISCONFIGURED_UNAVAILABLE'])
const LustrePage = z.object({ FileSystems: z.array(z.unknown()), NextToken: optional })

async function* elasticPages(options: DriverOptions, signal: AbortSignal) {
  const { region, endpoint } = options
  const service = 'elasticfilesystem'
  const url = new URL(
    '/2015-02-01/file-systems',
    endpoint ?? `https://${service}.${region}.${domainOf(region)}`,
  )
  url.searchParams.set('MaxItems', '100')
  for (;;) {
    const call = { options, url: url.href, service, region, headers: {}, signal }
    const { FileSystems, NextMarker } = ElasticPage.parse(jsonIn(await signedCall(call, jsonRefusal)))
    yield FileSystems
    if (!NextMarker) return
    url.searchParams.set('Marker', NextMarker)
  }
}

async function* lustrePages(options: DriverOptions, signal: AbortSignal) {
  const { region, endpoint } = options
  for (let token = ''; ;) {
    const call = {
      options,
      url: endpoint ?? `https://fsx.${region}.${domainOf(region)}`,
      service: 'fsx',
      region,
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSSimbaAPIService_v20180301.DescribeFileSystems',
      },
      body: JSON.stringify({ MaxResults: 50, ...(token && { NextToken: token }) }),
      signal,
    }
    const { FileSystems, NextToken } = LustrePage.parse(jsonIn(await signedCall(call, jsonRefusal)))
    yield FileSystems
    if (!NextToken) return
    token = NextToken
  }
}

/** EFS file systems, by the DNS name that resolves in a network with a mount target. */
export const elasticFileSystems = (options: DriverOptions): AccountList =>
  accountList(
    'elasticfilesystem:DescribeFileSystems',
    (signal) => elasticPages(options, signal),
    (page) =>
      readable(Elastic, page)
        // Without a mount target, machines cannot connect to it.
        .filter((it) => it.LifeCycleState === 'available' && it.NumberOfMountTargets !== 0)
        .map((it) =>
          choice(
            `${it.FileSystemId}.efs.${options.region}.${domainOf(options.region)}:/`,
            nameIn(it.Tags),
            'EFS',
            it.AvailabilityZoneName,
          ),
        ),
  )

export const lustreFileSystems = (options: DriverOptions): AccountList =>
  accountList(
    'fsx:DescribeFileSystems',
    (signal) => lustrePages(options, signal),
    (page) =>
      readable(Lustre, page)
        .filter(({ Lifecycle }) => !NOT_UP.has(Lifecycle ?? ''))
        .map((it) =>
          choice(
            `${it.DNSName}@tcp:/${it.LustreConfiguration.MountName}`,
            nameIn(it.Tags),
            'FSx for Lustre',
            gigabytes(it.StorageCapacity),
            it.VpcId,
          ),
        ),
  )

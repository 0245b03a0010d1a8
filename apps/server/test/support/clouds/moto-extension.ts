import type http from 'node:http'

/** The state of the parts of AWS that moto lacks; it lives as long as the test. */
export type Beside = {
  /** The state of fast snapshot restore by `snapshot zone`. */
  fastRestore: Map<string, string>
  /** The tags of each placement group by its name. */
  placementGroups: Map<string, Record<string, string>>
  /** Whether disks of running machines count as mounted: detaching one then stays busy, while moto detaches any. */
  disksAreMounted: boolean
  /** Mounted disks that a call tried to detach. */
  busyDisks: Set<string>
  /** The products of AWS's price list, or null if the key may not read it. */
  priceList: object[] | null
  /** EC2's quotas by code; moto has only those of VPCs. */
  quotas: Record<string, { QuotaName: string; Value: number }>
}

type Own = { status: number; type: string; body: string }

/** The reply, in AWS's format, to a call that moto does not support; undefined passes the call on to moto. */
export function extendMoto(beside: Beside, request: http.IncomingMessage, body: string): Own | undefined {
  if (String(request.headers['x-amz-target']).startsWith('AWSPriceListService.')) return prices(beside, body)
  if (String(request.headers['x-amz-target']).startsWith('ServiceQuotas')) return quotas(beside, body)
  const form = new URLSearchParams(body)
  const answer = ec2[form.get('Action') ?? '']?.(beside, form)
  return answer && { type: 'text/xml', ...answer }
}

/** A product in the format of the price list. */
export const priced = (
  product: { productFamily: string; attributes: Record<string, string> },
  unit: string,
  USD: string,
) => ({
  product,
  terms: { OnDemand: { 'A.B': { priceDimensions: { 'A.B.C': { unit, pricePerUnit: { USD } } } } } },
})
export const pricedMachine = (instanceType: string, regionCode: string, USD: string) =>
  priced(
    {
      productFamily: 'Compute Instance',
      attributes: {
        instanceType,
        regionCode,
        operatingSystem: 'Linux',
        preInstalledSw: 'NA',
        tenancy: 'Shared',
        capacitystatus: 'Used',
        licenseModel: 'No License required',
      },
    },
    'Hrs',
    USD,
  )

type Filter = { Field: string; Value: string }
type Listed = { product: { productFamily: string; attributes: Record<string, string> } }
/** Filters as AWS does: a product without the field does not match. */
const matches = (filters: Filter[]) => (one: object) => {
  const { productFamily, attributes } = (one as Listed).product
  return filters.every(({ Field, Value }) => ({ ...attributes, productFamily })[Field] === Value)
}

function prices({ priceList }: Beside, request: string): Own {
  const type = 'application/x-amz-json-1.1'
  if (!priceList) {
    const body = {
      __type: 'AccessDeniedException',
      message: 'is not authorized to perform: pricing:GetProducts',
    }
    return { status: 400, type, body: JSON.stringify(body) }
  }
  const { Filters = [] } = JSON.parse(request) as { Filters?: Filter[] }
  const list = priceList.filter(matches(Filters))
  const body = { FormatVersion: 'aws_v1', PriceList: list.map((one) => JSON.stringify(one)) }
  return { status: 200, type, body: JSON.stringify(body) }
}

function quotas({ quotas: known }: Beside, request: string): Own | undefined {
  const { ServiceCode, QuotaCode } = JSON.parse(request) as { ServiceCode: string; QuotaCode: string }
  if (ServiceCode !== 'ec2') return undefined
  const type = 'application/x-amz-json-1.1'
  const Quota = known[QuotaCode]
  const body = Quota ? { Quota: { QuotaCode, ...Quota } } : { __type: 'NoSuchResourceException' }
  return { status: Quota ? 200 : 400, type, body: JSON.stringify(body) }
}

/** AWS's reply when a mounted disk of a running machine is to be detached. */
export const busyDetach = (form: URLSearchParams): Own => ({
  type: 'text/xml',
  ...xml(
    'DetachVolume',
    `<volumeId>${form.get('VolumeId')}</volumeId><instanceId>${form.get('InstanceId')}</instanceId><status>busy</status>`,
  ),
})
/** AWS's reply when the interface's machine is terminated; moto keeps such an attachment. */
export const noAttachment: Own = {
  type: 'text/xml',
  status: 400,
  body: '<Response><Errors><Error><Code>InvalidAttachmentID.NotFound</Code><Message>It does not exist</Message></Error></Errors><RequestID>1</RequestID></Response>',
}
export const withBusyDisks = ({ busyDisks }: Beside, answer: string): string =>
  answer.replaceAll(
    /(<attachmentSet>\s*<item>\s*<volumeId>([^<]+)<[^]*?<status>)attached/g,
    (all, before: string, id: string) => (busyDisks.has(id) ? `${before}busy` : all),
  )

const xml = (action: string, content: string) => ({
  status: 200,
  body: `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>${content}</${action}Response>`,
})
const refusal = (code: string, message: string, status = 400) => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>1</RequestID></Response>`,
})
const listed = (form: URLSearchParams, name: string) =>
  [...form].filter(([key]) => key.startsWith(`${name}.`)).map(([, value]) => value)

type Answer = (beside: Beside, form: URLSearchParams) => { status: number; body: string }

const setFastRestore =
  (action: string, state: string): Answer =>
  ({ fastRestore }, form) => {
    const items = listed(form, 'SourceSnapshotId').flatMap((snapshot) =>
      listed(form, 'AvailabilityZone').map((zone) => {
        // AWS's reply for a snapshot of another account.
        if (zone.endsWith('f'))
          return `<unsuccessful><item><snapshotId>${snapshot}</snapshotId><fastSnapshotRestoreStateErrorSet><item><availabilityZone>${zone}</availabilityZone><error><code>InvalidSnapshot.InvalidOwner</code><message>The snapshot is not yours</message></error></item></fastSnapshotRestoreStateErrorSet></item></unsuccessful>`
        fastRestore.set(`${snapshot} ${zone}`, state)
        return `<successful><item><snapshotId>${snapshot}</snapshotId><availabilityZone>${zone}</availabilityZone><state>${state}</state></item></successful>`
      }),
    )
    return xml(action, items.join(''))
  }

const ec2: Record<string, Answer> = {
  EnableFastSnapshotRestores: setFastRestore('EnableFastSnapshotRestores', 'enabling'),
  DisableFastSnapshotRestores: setFastRestore('DisableFastSnapshotRestores', 'disabling'),
  DescribeFastSnapshotRestores: ({ fastRestore }) => {
    const items = [...fastRestore].map(([key, state]) => {
      const [snapshot, zone] = key.split(' ')
      return `<item><snapshotId>${snapshot}</snapshotId><availabilityZone>${zone}</availabilityZone><state>${state}</state></item>`
    })
    const list = `<fastSnapshotRestoreSet>${items.join('')}</fastSnapshotRestoreSet>`
    return xml('DescribeFastSnapshotRestores', list)
  },
  CreatePlacementGroup: ({ placementGroups }, form) => {
    if (form.get('DryRun') === 'true') return refusal('DryRunOperation', 'It would have succeeded', 412)
    const tags = listed(form, 'TagSpecification.1.Tag')
    const pairs = Array.from({ length: tags.length / 2 }, (_, at) => tags.slice(2 * at, 2 * at + 2))
    placementGroups.set(form.get('GroupName') ?? '', Object.fromEntries(pairs))
    return xml('CreatePlacementGroup', '')
  },
  DescribePlacementGroups: ({ placementGroups }, form) => {
    const [name, value] = listed(form, 'Filter.1')
    const asked = listed(form, 'GroupName')
    const found = [...placementGroups].filter(([group, tags]) =>
      name === undefined
        ? asked.length === 0 || asked.includes(group)
        : name === 'tag-key'
          ? value !== undefined && value in tags
          : tags[name.replace(/^tag:/, '')] === value,
    )
    if (found.length < asked.length)
      return refusal('InvalidPlacementGroup.Unknown', 'The Placement Group is unknown.')
    const items = found.map(([group, tags]) => {
      const pairs = Object.entries(tags).map(
        ([key, text]) => `<item><key>${key}</key><value>${text}</value></item>`,
      )
      return `<item><groupName>${group}</groupName><groupId>pg-${group}</groupId><groupArn>arn:aws:ec2:us-east-1:123456789012:placement-group/${group}</groupArn><state>available</state><strategy>cluster</strategy><spreadLevel>host</spreadLevel><tagSet>${pairs.join('')}</tagSet></item>`
    })
    return xml('DescribePlacementGroups', `<placementGroupSet>${items.join('')}</placementGroupSet>`)
  },
  DeletePlacementGroup: ({ placementGroups }, form) =>
    placementGroups.delete(form.get('GroupName') ?? '')
      ? xml('DeletePlacementGroup', '<return>true</return>')
      : refusal('InvalidPlacementGroup.Unknown', 'The Placement Group is unknown.'),
}

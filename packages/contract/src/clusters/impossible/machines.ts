import type { CloudClusterInput } from '../cloud'
import type { Accelerator, InstanceSize, Provider, SizeOption } from '../../clouds/providers'
import type { Problem } from './values'

type Arch = NonNullable<InstanceSize['arch']>
type Rules = Pick<Provider, 'name' | 'instanceSizes' | 'osTypes' | 'accelerators'>
type Cluster = Pick<CloudClusterInput, 'info' | 'data'>

/** What is known about a stack's image. */
export interface Image {
  /** Null if unknown. */
  arch: Arch | null
  /** The size of its disk in GB; 0 if unknown. */
  disk: number
}

export const archNames: Record<Arch, string> = { x86_64: 'x86', arm64: 'ARM' }

interface Machine {
  prefix: string
  instance_id: string
  /** Whether it starts from an image of its own, about which nothing is known. */
  ownImage: boolean
}

const machinesOf = ({ data }: Cluster): Machine[] => [
  {
    prefix: 'data.server.',
    instance_id: data.server.instance_id,
    ownImage: data.server.image_name !== '',
  },
  ...data.node.group.flatMap(({ count, instance_id }, at) =>
    count > 0 ? [{ prefix: `data.node.group.${at}.`, instance_id, ownImage: false }] : [],
  ),
]

/** A marketplace image needs all of these. */
const REFERENCE = { publisher: 'publisher', offer: 'offer', sku: 'SKU' } as const

export function incompleteMarketplaceImage(
  { clusterFields }: Pick<Provider, 'clusterFields'>,
  { data }: Cluster,
): Problem[] {
  const reference = data.marketplace_image_reference
  const keys = ['publisher', 'offer', 'sku'] as const
  const isUsed = clusterFields.some(({ path }) => path === 'data.marketplace_image_reference.publisher')
  if (!isUsed || keys.every((key) => reference[key] === '')) return []
  return keys
    .filter((key) => reference[key] === '')
    .map((key) => [`data.marketplace_image_reference.${key}`, `Enter the ${REFERENCE[key]} of the image`])
}

/** docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm, 2026-11-18: 1 GB to 64 GB per OCPU. */
const GB_PER_OCPU = { min: 1, max: 64 }

/** Memory that is out of range for the cores of a flexible shape. */
export function impossibleMemory(
  { instanceSizes }: Pick<Rules, 'instanceSizes'>,
  { data }: Cluster,
): Problem[] {
  const machines = [
    { ...data.server, prefix: 'data.server.' },
    ...data.node.group.flatMap((group, at) =>
      group.count > 0 ? [{ ...group, prefix: `data.node.group.${at}.` }] : [],
    ),
  ]
  return machines.flatMap(({ prefix, instance_id, ocpus, mem }): Problem[] => {
    const size = instanceSizes.find((one) => one.instance_id === instance_id)
    if (!size?.flexible || mem === 0) return []
    const cores = ocpus || 1
    const [min, max] = [cores * GB_PER_OCPU.min, cores * GB_PER_OCPU.max]
    if (mem >= min && mem <= max) return []
    const limit = mem < min ? `At least ${min}` : `At most ${max}`
    return [[`${prefix}mem`, `${limit} GB with ${cores} ${cores === 1 ? 'OCPU' : 'OCPUs'}`]]
  })
}

/** Machines whose image is for another processor, or that have no image. */
export function impossibleImages(rules: Rules, cluster: Cluster, image: Image | null): Problem[] {
  // Which processors the images of the Azure marketplace are for is not known here.
  if (cluster.data.marketplace_image_reference.publisher !== '' && !image) return []
  const machines = machinesOf(cluster).filter(({ ownImage }) => !ownImage)
  const os = rules.osTypes.find(({ id }) => id === cluster.info['os-type'])
  if (!image && os?.unavailable !== undefined)
    return machines.length > 0 ? [['info.os-type', os.unavailable]] : []
  const fitting = image ? image.arch && [image.arch] : os?.arch
  if (!fitting) return []
  return machines.flatMap(({ prefix, instance_id }): Problem[] => {
    const arch = rules.instanceSizes.find((size) => size.instance_id === instance_id)?.arch
    if (!arch || fitting.includes(arch)) return []
    const what = image
      ? `The stack’s image is for ${archNames[fitting[0] ?? 'x86_64']}`
      : `${os?.name} has no public ${archNames[arch]} image on ${rules.name}`
    return [[`${prefix}instance_id`, `${what}, but ${instance_id} is an ${archNames[arch]} size`]]
  })
}

/** EFA on sizes that do not support it. */
export const impossibleEfa = ({ instanceSizes }: Rules, { data }: Cluster): Problem[] =>
  data.node.group.flatMap(({ efa, instance_id }, at): Problem[] => {
    const size = instanceSizes.find((one) => one.instance_id === instance_id)
    return efa && size && !size.efa
      ? [[`data.node.group.${at}.efa`, `${instance_id} has no Elastic Fabric Adapter. Choose another size.`]]
      : []
  })

type Options = Pick<Provider, 'sizeOptions' | 'instanceSizes'>
type Group = Cluster['data']['node']['group'][number]

/** Options of a group that its size does not support, with paths relative to the group. */
const unfitting = (
  { sizeOptions, instanceSizes }: Options,
  group: Group,
  isMeant: (option: SizeOption) => boolean,
): Problem[] =>
  sizeOptions.filter(isMeant).flatMap(({ path, sizes, otherwise }): Problem[] => {
    const { instance_id } = group
    if (Reflect.get(group, path) !== true || instance_id === '') return []
    const cores = instanceSizes.find((size) => size.instance_id === instance_id)?.cores ?? Infinity
    const fitting = sizes.some(
      ({ pattern, minCores }) => new RegExp(pattern).test(instance_id) && cores >= minCores,
    )
    return fitting ? [] : [[path, `${instance_id} ${otherwise}`]]
  })

/** Options of a group that its size cannot have. */
export const impossibleOptions = (rules: Options, { data }: Cluster): Problem[] =>
  data.node.group.flatMap((group, at) =>
    unfitting(rules, group, ({ warnsOnly }) => !warnsOnly).map(([path, message]): Problem => [
      `data.node.group.${at}.${path}`,
      message,
    ]),
  )

/** Limitations that a group's options have on its size, by their paths. */
export const lossesOfOptions = (rules: Options, group: Group): Problem[] =>
  unfitting(rules, group, ({ warnsOnly }) => warnsOnly === true)

const fits = ({ sizes }: Accelerator, instanceId: string) => new RegExp(sizes).test(instanceId)

/** Whether a machine of this size can have the accelerator. */
export const takesAccelerator = (
  { accelerators }: Pick<Provider, 'accelerators'>,
  type: string,
  instanceId: string,
): boolean => accelerators.some((one) => one.id === type && fits(one, instanceId))

interface Attached {
  accelerator_type: string
  accelerator_count: number
}

function problemsOfAccelerator(
  { accelerators, instanceSizes }: Rules,
  { accelerator_type, accelerator_count }: Attached,
  prefix: string,
  instanceId: string,
): Problem[] {
  const found = accelerators.find(({ id }) => id === accelerator_type)
  // The check of the listed choices reports an unknown type.
  if (!found || instanceId === '') return []
  if (!fits(found, instanceId))
    return [
      [`${prefix}accelerator_type`, `${instanceId} does not support attached accelerators. ${found.where}`],
    ]
  const count = accelerator_count || 1
  const many = found.counts.find((one) => one.count === count)
  const counts = found.counts.map((one) => one.count).join(', ')
  if (!many) return [[`${prefix}accelerator_count`, `Attach ${counts} of ${found.label}`]]
  const cores = instanceSizes.find((size) => size.instance_id === instanceId)?.cores ?? 0
  return cores > many.maxCores
    ? [
        [
          `${prefix}accelerator_count`,
          `With ${count} × ${found.label}, a machine can have at most ${many.maxCores} cores; ${instanceId} has ${cores}`,
        ],
      ]
    : []
}

/** Accelerators on sizes that do not support them, or not in that number. */
export function impossibleAccelerators(rules: Rules, { data }: Cluster): Problem[] {
  if (rules.accelerators.length === 0) return []
  const groups = data.node.group.flatMap((group, at) => (group.count > 0 ? [{ ...group, at }] : []))
  const { accelerator_type } = data.node
  // The nodes' accelerators go to the groups that support them, so one such group is enough.
  const taking = groups.filter(({ instance_id }) => takesAccelerator(rules, accelerator_type, instance_id))
  const ofNodes = taking.length > 0 ? taking : groups.slice(0, 1)
  return [
    ...problemsOfAccelerator(rules, data.server, 'data.server.', data.server.instance_id),
    ...ofNodes.flatMap(({ instance_id }) =>
      problemsOfAccelerator(rules, data.node, 'data.node.', instance_id),
    ),
  ]
}

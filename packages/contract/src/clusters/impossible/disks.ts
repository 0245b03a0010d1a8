import type { CloudClusterInput } from '../cloud'
import type { DiskType, Provider } from '../../clouds/providers'
import type { Image } from './machines'
import type { Problem } from './values'

type Rules = Pick<Provider, 'diskTypes' | 'osTypes' | 'rootDiskMin' | 'diskId'>
type Cluster = Pick<CloudClusterInput, 'info' | 'data'>

/** Whether a machine of this size can have a disk of this type. */
const takesDisk = ({ sizes }: Pick<DiskType, 'sizes'>, instanceId: string): boolean =>
  sizes === undefined || instanceId === '' || new RegExp(sizes).test(instanceId)

/** The disk type; if none is chosen, the first that the machine supports. */
const typeOf = ({ diskTypes }: Rules, chosen: string, instanceId: string): DiskType | undefined =>
  chosen === ''
    ? diskTypes.find((type) => takesDisk(type, instanceId))
    : diskTypes.find(({ id }) => id === chosen)

interface Wanted {
  path: string
  sizePath: string
  size: number
  type: string
  instanceId: string
  /** The minimum size that a system disk's image needs; null for other disks. */
  image: number | null
}

export function problemsOfDisk(
  rules: Rules,
  { path, sizePath, size, type: chosen, instanceId, image }: Wanted,
): Problem[] {
  const type = typeOf(rules, chosen, instanceId)
  // An unknown type is reported by the check of the listed choices.
  if (!type) return chosen === '' ? [] : [[path, `No disk type named ${chosen}`]]
  if (!takesDisk(type, instanceId)) return [[path, `${instanceId} does not support ${type.id} disks`]]
  if (image !== null && type.maxRoot === 0) return [[path, `${type.label} cannot be a system disk`]]
  // 0 means the size of the image.
  if (size === 0 && image !== null) return []
  const [min, max] =
    image === null ? [type.min, type.max] : [Math.max(type.min, image), type.maxRoot ?? type.max]
  if (size < min)
    return [[sizePath, `At least ${min} GB${image === min ? ' for this image' : ` for ${type.label}`}`]]
  if (size > max) return [[sizePath, `At most ${max} GB for ${type.label}`]]
  return []
}

const malformedId = ({ diskId }: Rules, id: string, path: string): Problem[] =>
  id === '' || !diskId || new RegExp(diskId.pattern, 'i').test(id)
    ? []
    : [[path, `Enter the ID of a disk, such as ${diskId.example}`]]

/**
 * A Google disk id contains its location, but the engine would attach the disk of that name in the cluster's own zone.
 */
function diskElsewhere(
  { region_id, zone_id }: Cluster['data']['network'],
  id: string,
  path: string,
): Problem[] {
  const [, kind, place] = /(?:^|\/)(zones|regions)\/([^/]+)\/disks\//.exec(id) ?? []
  const here = kind === 'zones' ? zone_id : region_id
  return place === undefined || here === '' || here === place
    ? []
    : [[path, `This disk is in ${place}, the cluster in ${here}`]]
}

/** Disks that the cloud cannot create: the type is unknown or unsupported, or the size is out of range. */
export function impossibleDisks(rules: Rules, { info, data }: Cluster, image: Image | null): Problem[] {
  if (rules.diskTypes.length === 0) return []
  const os = rules.osTypes.find(({ id }) => id === info['os-type'])
  const ofImage = image ? image.disk : (os?.disk ?? rules.rootDiskMin)
  const groups = data.node.group.filter(({ count }) => count > 0)
  const instances = groups.length > 0 ? [...new Set(groups.map(({ instance_id }) => instance_id))] : ['']
  const root = (part: 'server' | 'node', instanceId: string, least: number): Problem[] =>
    problemsOfDisk(rules, {
      path: `data.${part}.disk_type`,
      sizePath: `data.${part}.volume_size`,
      size: data[part].volume_size,
      type: data[part].disk_type,
      instanceId,
      image: least,
    })
  return [
    // The size that a user's own image needs is unknown.
    ...root('server', data.server.instance_id, data.server.image_name ? 0 : ofImage),
    ...instances.flatMap((instanceId) => root('node', instanceId, ofImage)),
    ...data.disks.flatMap(({ size, type, id }, at) =>
      // An existing disk has its own size and type; if neither size nor id is given, the schema reports it.
      id !== '' || size === 0
        ? [
            ...malformedId(rules, id, `data.disks.${at}.id`),
            ...diskElsewhere(data.network, id, `data.disks.${at}.id`),
          ]
        : problemsOfDisk(rules, {
            path: `data.disks.${at}.type`,
            sizePath: `data.disks.${at}.size`,
            size,
            type,
            instanceId: data.server.instance_id,
            image: null,
          }),
    ),
  ]
}

/** Only a Lustre source contains the network after the server. */
export const impossibleMounts = ({ mounts }: Pick<Cluster['data'], 'mounts'>): Problem[] =>
  mounts.flatMap(({ type, source }, at): Problem[] => {
    const isLustre = /^[^:]+@\w+:/.test(source)
    if (isLustre === (type === 'lustre')) return []
    return isLustre
      ? [[`data.mounts.${at}.type`, 'This is the source of a Lustre file system']]
      : [[`data.mounts.${at}.source`, 'Enter the server with its network, such as fs.example.org@tcp:/name']]
  })

/** System disks that an edit would shrink, which no cloud supports. 0 means the size of the image, the minimum. */
export function shrunkSystemDisks(
  data: CloudClusterInput['data'],
  there: { server: number; node: number },
): Problem[] {
  return (['server', 'node'] as const).flatMap((part): Problem[] =>
    data[part].volume_size < there[part]
      ? [[`data.${part}.volume_size`, `The existing disks are ${there[part]} GB and cannot be made smaller`]]
      : [],
  )
}

import type { Image } from '../clusters/impossible/machines'
import type { InstanceSize } from '../clouds/providers'
import type { CloudClusterInput } from '../clusters/cloud'
import type { StackData } from './entity'

/** The settings of a stack that determine those of clusters that start from it. */
export type StackChoices = Pick<
  StackData,
  'source_os_type' | 'manager' | 'instance_id' | 'disk_size' | 'volume_size'
> & {
  /** Whether it was edited since its image was built: what the image contains is then unknown. */
  edited: boolean
}

type Chosen = Pick<CloudClusterInput, 'info' | 'data'>

/** A cluster uses its stack's operating system, and its resource manager if the image has one. */
export const withStack = <Cluster extends Chosen>(
  cluster: Cluster,
  { source_os_type, manager }: Pick<StackChoices, 'source_os_type' | 'manager'>,
): Cluster => ({
  ...cluster,
  info: { ...cluster.info, 'os-type': source_os_type },
  data: { ...cluster.data, manager: manager === 'none' ? cluster.data.manager : manager },
})

/** An image is for the processor that it was built on, and is as large as the disk it was built on. */
export function imageOfStack(stack: StackChoices, sizes: readonly InstanceSize[]): Image {
  if (stack.edited) return { arch: null, disk: 0 }
  const arch = sizes.find(({ instance_id }) => instance_id === stack.instance_id)?.arch ?? null
  return { arch, disk: stack.disk_size || stack.volume_size }
}

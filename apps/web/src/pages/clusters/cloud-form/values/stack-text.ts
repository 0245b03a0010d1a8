import { managerNames } from '@flotilla/contract/clusters/inputs'
import type { Provider } from '@flotilla/contract/clouds/providers'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { imageOfStack } from '@flotilla/contract/stacks/stack-choices'

/** The settings that a stack determines for its clusters: 'Ubuntu 24.04, Slurm, ARM sizes'. */
export function stackText(
  { osTypes, instanceSizes }: Pick<Provider, 'osTypes' | 'instanceSizes'>,
  { data, edited }: Pick<Stack, 'data' | 'edited'>,
): string {
  const { arch } = imageOfStack({ ...data, edited }, instanceSizes)
  return [
    osTypes.find(({ id }) => id === data.source_os_type)?.name ?? data.source_os_type,
    data.manager === 'none' ? '' : managerNames[data.manager],
    arch && (arch === 'arm64' ? 'ARM sizes' : 'x86 sizes'),
  ]
    .filter(Boolean)
    .join(', ')
}

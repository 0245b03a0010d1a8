import type { Manager } from './inputs'
import { OS_TYPE } from '../limits'
import type { OsType, Provider } from '../clouds/providers'

/** Which packages a system installs. */
export const packagesOf = (osType: string): 'deb' | 'rpm' => (/^(ubuntu|debian)/.test(osType) ? 'deb' : 'rpm')

/** For a new cluster, the best first: supported the longest, and with Slurm in its own packages. */
const best = ['ubuntu-24.04', 'rocky-9', 'debian-12', 'ubuntu-22.04', 'rocky-8']
const rank = ({ id }: OsType) => (best.indexOf(id) + best.length) % best.length

export interface Preselected {
  osType: string
  manager: Manager
  /** Why, for the form. */
  osReason: string
  managerReason: string
}

/**
 * What a new cluster's form starts with: what can be deployed here. The specification's own defaults are those of the API,
 * and may be neither.
 */
export function preselected({
  name,
  osTypes,
  torquePackages,
}: Pick<Provider, 'name' | 'osTypes' | 'torquePackages'>): Preselected {
  const usable = osTypes
    .filter(({ unavailable, endOfLife }) => unavailable === undefined && endOfLife === undefined)
    .toSorted((a, b) => rank(a) - rank(b))
  const forTorque = usable.find(({ id }) => packagesOf(id) === torquePackages)
  const chosen = forTorque ?? usable[0]
  return {
    osType: chosen?.id ?? OS_TYPE,
    manager: forTorque ? 'torque' : 'slurm',
    osReason: chosen
      ? `${chosen.name} is preselected: it is supported${forTorque ? `, ${name} has an image for it, and this site has Torque packages for it` : ` and ${name} has an image for it`}.`
      : '',
    managerReason: forTorque
      ? 'Torque is preselected: this site has packages for it.'
      : torquePackages
        ? `Slurm is preselected: none of ${name}’s operating systems match this site’s Torque packages.`
        : 'Slurm is preselected: this site has no Torque packages.',
  }
}

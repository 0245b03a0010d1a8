import type { Manager } from './inputs'
import { OS_TYPE } from '../limits'
import type { OsType, Provider } from '../clouds/providers'

/** The package format of a system. */
export const packagesOf = (osType: string): 'deb' | 'rpm' => (/^(ubuntu|debian)/.test(osType) ? 'deb' : 'rpm')

/** The best systems for a new cluster, in order: those supported the longest whose own repositories have Slurm. */
const best = ['ubuntu-24.04', 'rocky-9', 'debian-12', 'ubuntu-22.04', 'rocky-8']
const rank = ({ id }: OsType) => (best.indexOf(id) + best.length) % best.length

export interface Preselected {
  osType: string
  manager: Manager
  /** The reasons that the form shows. */
  osReason: string
  managerReason: string
}

/**
 * The initial values of a new cluster's form, which can be deployed here. The specification's defaults apply to the API
 * and may not be deployable.
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

import type { GpuSoftware, Manager } from '@flotilla/contract/clusters/inputs'
import type { TorqueSource } from './input'
import { gpuSoftware as gpuScript } from './scripts/gpu'
import { imageFinish, imageInstall, imageOpen, imageProvision, imageSteps } from './scripts/image'
import { library } from './scripts/library'
import { system } from './scripts/system'
import { torqueHead, noManager } from './scripts/torque'
import { environment } from './shell'

/** What an image is to contain, without secrets, which are passed in the environment. */
export interface ImageInput {
  manager: Manager
  minimal: boolean
  gpuSoftware: GpuSoftware
  vnc: boolean
  torqueSource: TorqueSource | null
  /** The keys of users who may change the machine manually, as lines of authorized_keys. */
  peopleKeys: string[]
}

/** Marks users' keys, so that they are removed before the image is captured. */
export const PEOPLE_MARK = 'flotilla-build'

/** The paths of the scripts within the folder of a build; the machine receives the whole folder `common`. */
export const imageScripts = {
  install: 'scripts/install.sh',
  provision: 'scripts/provision.sh',
  open: 'scripts/open.sh',
  finish: 'scripts/finish.sh',
} as const

const marked = (key: string) => `${key.split(' ').slice(0, 2).join(' ')} ${PEOPLE_MARK}\n`

/** The files that a build copies to its machine, including the scripts that it runs there. */
export const imageFiles = ({ manager, minimal, gpuSoftware, vnc, torqueSource, peopleKeys }: ImageInput) => [
  {
    path: 'common/etc/machine.env',
    data: environment({
      FL_ROLE: 'head',
      FL_MANAGER: manager,
      FL_MINIMAL: minimal ? 'yes' : 'no',
      FL_GPU_SOFTWARE: gpuSoftware,
      FL_GPU_OLD: 'no',
      FL_VNC: vnc ? 'yes' : 'no',
    }),
  },
  { path: 'common/etc/torque.source', data: torqueSource?.file ?? '' },
  { path: 'common/etc/torque.key', data: torqueSource?.key ?? '' },
  {
    path: 'common/etc/torque.packages',
    data: [...(torqueSource?.headPackages ?? []), ...(torqueSource?.nodePackages ?? [])]
      .map((name) => `${name}\n`)
      .join(''),
  },
  { path: 'common/people.keys', data: peopleKeys.map(marked).join('') },
  { path: 'common/lib/lib.sh', data: library },
  { path: 'common/lib/system.sh', data: system },
  { path: 'common/lib/manager.sh', data: manager === 'torque' ? torqueHead : noManager },
  { path: 'common/lib/image.sh', data: imageSteps + gpuScript },
  { path: imageScripts.install, data: imageInstall },
  { path: imageScripts.provision, data: imageProvision },
  { path: imageScripts.open, data: imageOpen },
  { path: imageScripts.finish, data: imageFinish },
]

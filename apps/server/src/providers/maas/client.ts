import * as z from 'zod/mini'
import type { AcmImage, AcmMachine } from '@flotilla/contract/clouds/acm'
import type { CredentialData } from '../fields/credential-data'
import { callMaas, MaasError } from './request'

/** The MAAS operations that the console uses besides deploying. */
export interface MaasClient {
  machines(): Promise<AcmMachine[]>
  images(): Promise<AcmImage[]>
  /**
   * Releases machines by MAAS's own ids: they are powered off and become available to others, and their data is lost.
   */
  release(ids: string[]): Promise<void>
}

const Named = z.object({ name: z.string() })
/** The fields of a machine that are used. */
const Machine = z.object({
  system_id: z.string(),
  hostname: z.string(),
  status_name: z.string(),
  pool: z.nullable(Named),
  zone: z.nullable(Named),
  tag_names: z.array(z.string()),
  cpu_count: z.number(),
  /** MiB. */
  memory: z.number(),
  architecture: z.nullable(z.string()),
  power_state: z.string(),
  owner: z.nullable(z.string()),
})
const BootResource = z.object({
  type: z.string(),
  name: z.string(),
  title: z.optional(z.string()),
  architecture: z.string(),
})

/** Validates a response, because another version of MAAS may send something else. */
export function read<T>(schema: z.ZodMiniType<T>, answer: unknown): T {
  const { success, data } = schema.safeParse(answer)
  if (!success) throw new MaasError('MAAS sent a response that this console cannot read', 502)
  return data
}

export const maasClient = (credential: CredentialData): MaasClient => ({
  async machines() {
    const found = read(z.array(Machine), await callMaas(credential, { method: 'GET', path: 'machines/' }))
    return found.map((machine) => ({
      id: machine.system_id,
      hostname: machine.hostname,
      status: machine.status_name,
      pool: machine.pool?.name ?? '',
      zone: machine.zone?.name ?? '',
      tags: machine.tag_names,
      cores: machine.cpu_count,
      memory: machine.memory / 1024,
      architecture: (machine.architecture ?? '').replace(/\/.*$/, ''),
      power: machine.power_state,
      owner: machine.owner ?? '',
    }))
  },

  async images() {
    const answer = await callMaas(credential, { method: 'GET', path: 'boot-resources/' })
    const images = read(z.array(BootResource), answer)
      // Boot loaders are not systems that can be deployed.
      .filter(({ name }) => !name.startsWith('grub-') && !name.startsWith('pxelinux'))
      .map(({ type, name, title, architecture }) => ({
        id: name,
        name: title || name,
        architecture: architecture.replace(/\/.*$/, ''),
        type,
      }))
    // MAAS lists an image once for each of its kernels.
    return [...new Map(images.map((image) => [`${image.id} ${image.architecture}`, image])).values()]
  },

  async release(ids) {
    const form: [string, string][] = [
      ...ids.map((id): [string, string] => ['machines', id]),
      ['comment', 'released in the console'],
    ]
    await callMaas(credential, { method: 'POST', path: 'machines/?op=release', form })
  },
})

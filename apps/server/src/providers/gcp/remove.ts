import * as z from 'zod/mini'
import type { Driver } from '../provider'
import { unlessNotFound } from '../waiting'
import { type Gcp, isNotFound } from './client'

const Disk = z.object({ users: z._default(z.array(z.string()), []) })
const Machine = z.object({
  disks: z._default(z.array(z.object({ source: z.optional(z.string()), deviceName: z.string() })), []),
})

/** A resource is detached before it is deleted; Google rejects the deletion while other resources depend on it. */
export const makeRemove = (gcp: Gcp): Driver['remove'] => {
  const detach = async (id: string, signal: AbortSignal) => {
    const { users } = Disk.parse(await gcp.get(id, signal))
    for (const user of users) {
      const machine = user.replace(/^.*\/compute\/v1\//, '')
      const { disks } = Machine.parse(await gcp.get(machine, signal))
      for (const { source, deviceName } of disks)
        if (source?.endsWith(`/${id}`))
          await gcp.carryOut(
            'POST',
            `${machine}/detachDisk?deviceName=${encodeURIComponent(deviceName)}`,
            signal,
          )
    }
  }
  return async ({ id, type }, signal) => {
    signal.throwIfAborted()
    const work = async () => {
      if (type === 'google_compute_disk') await detach(id, signal)
      await gcp.carryOut('DELETE', id, signal)
    }
    await unlessNotFound(work(), isNotFound)
  }
}

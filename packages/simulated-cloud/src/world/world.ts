import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CloudResource } from '@flotilla/contract/clusters/cloud'
import { writeDurably } from '@flotilla/system/durable-file'
import { cidrHost } from '../language/addresses'
import type { Values } from '../language/values'
import { isThere } from './mutex'

/** A resource that exists in a simulated cloud, whether or not it is in any state. */
export interface WorldItem {
  id: string
  type: string
  name: string
  kind: CloudResource['kind']
  /**
   * Whether it is a property of another resource, such as a route of a route table: it is deleted with it, and is not
   * found on its own.
   */
  part: boolean
  clusterId: string | null
  region: string
  sizeGb: number | null
  power: 'running' | 'stopped' | null
  /** Secret values are not stored. */
  attributes: Values
  seed: { id: string; privateIp: string; publicIp: string; token: string }
  createdAt: number
}

export interface World {
  get(id: string): Promise<WorldItem | undefined>
  /** The resources of one cluster, or all. */
  list(clusterId?: string | null): Promise<WorldItem[]>
  /** All resources, without reading those again that were read before: current enough for counting. */
  known(): Promise<WorldItem[]>
  /** False if something with this id already exists. */
  add(item: WorldItem): Promise<boolean>
  change(item: WorldItem): Promise<void>
  remove(item: WorldItem): Promise<void>
  /** Assigns a free address of a network within a range, or the given address. */
  allocate(network: string, range: string, address?: string): Promise<string>
}

/** The public network: a range that is assigned to no one. */
export const PUBLIC = '198.18.0.0/15'
/** The first addresses of a range are reserved by the cloud. */
const RESERVED = 4

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 40)

/**
 * A cloud that is stored as one file per resource. Files are written atomically, so that many engines can work at the
 * same time without waiting for each other.
 */
export function openWorld(folder: string): World {
  const items = path.join(folder, 'items')
  const addresses = path.join(folder, 'addresses')
  /** Contains an empty file for each resource of a cluster, so that they are found without reading all resources. */
  const ownersOf = (clusterId: string | null) => path.join(folder, 'clusters', hash(clusterId ?? ''))
  const fileOf = (id: string) => path.join(items, `${hash(id)}.json`)
  const makeFolder = (name: string) => mkdir(name, { recursive: true, mode: 0o700 })

  const read = async (file: string): Promise<WorldItem | undefined> => {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    // The file was written by this code, and atomically.
    return text === undefined ? undefined : (JSON.parse(text) as WorldItem)
  }

  const seen = new Map<string, WorldItem>()

  return {
    async known() {
      const names = (await readdir(items).catch(() => [])).filter((name) => name.endsWith('.json'))
      const found = await Promise.all(
        names.map(async (name) => {
          const item = seen.get(name) ?? (await read(path.join(items, name)))
          if (item) seen.set(name, item)
          return item
        }),
      )
      return found.filter((one) => one !== undefined)
    },
    async get(id) {
      return read(fileOf(id))
    },
    async list(clusterId) {
      const from = clusterId === undefined || clusterId === null ? items : ownersOf(clusterId)
      const names = await readdir(from).catch(() => [])
      const files = names.filter((name) => name.endsWith('.json')).map((name) => path.join(items, name))
      const found = await Promise.all(files.map(read))
      return found.filter((one) => one !== undefined).toSorted((a, b) => a.createdAt - b.createdAt)
    },
    async add(item) {
      const owner = ownersOf(item.clusterId)
      await makeFolder(items)
      await makeFolder(owner)
      await writeFile(path.join(owner, path.basename(fileOf(item.id))), '', { mode: 0o600 })
      return writeDurably(fileOf(item.id), JSON.stringify(item), { keep: true })
    },
    async change(item) {
      seen.delete(path.basename(fileOf(item.id)))
      await writeDurably(fileOf(item.id), JSON.stringify(item))
    },
    async remove(item) {
      await rm(fileOf(item.id), { force: true })
      await rm(path.join(ownersOf(item.clusterId), path.basename(fileOf(item.id))), { force: true })
    },
    async allocate(network, range, address) {
      const taken = path.join(addresses, hash(network))
      await makeFolder(taken)
      const take = async (one: string): Promise<boolean> => {
        try {
          await (await open(path.join(taken, one), 'wx', 0o600)).close()
          return true
        } catch (error) {
          if (!isThere(error)) throw error
          return false
        }
      }
      if (address !== undefined) {
        await take(address)
        return address
      }
      // Addresses are not reused, so that an address always identifies the same machine.
      for (let number = RESERVED + (await readdir(taken)).length; ; number += 1) {
        const one = cidrHost(range, number)
        if (await take(one)) return one
      }
    },
  }
}

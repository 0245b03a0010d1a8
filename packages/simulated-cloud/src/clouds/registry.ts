import { ModuleError } from '../language/values'
import { aws } from './aws'
import { azure } from './azure'
import { builtin } from './builtin'
import { gcp } from './gcp'
import type { Cloud, Kind } from './kind'
import { maas } from './maas'
import { oracle } from './oracle'

/** The clouds by provider id. */
export const clouds = { aws, azure, gcp, oracle, maas, builtin }
export type CloudName = keyof typeof clouds

const names = Object.keys(clouds) as CloudName[]

export function cloudOf(type: string): { name: CloudName; cloud: Cloud; kind: Kind } {
  const name = names.find((one) => type.startsWith(clouds[one].prefix))
  if (!name) throw new ModuleError(`The simulated cloud has no ${type}`)
  const cloud = clouds[name]
  return { name, cloud, kind: cloud.kinds[type] ?? cloud.other }
}

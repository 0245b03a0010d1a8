import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { writeDurably } from '@flotilla/system/durable-file'
import {
  fromJson,
  isObject,
  isSecret,
  isUnknown,
  ModuleError,
  secret,
  unknown,
  type Value,
  type Values,
} from '../language/values'
import type { Change } from './plan'
import type { Seal } from '../state/encryption'

/** Everything that is needed to apply exactly what was planned. */
export interface SavedPlan {
  /** The state's serial and lineage that the plan is based on; the lineage is empty if there was no state. */
  serial: number
  lineage: string
  module: unknown
  variables: Values
  /** The refreshed state. */
  state: string
  changes: Change[]
  destroy: boolean
  clusterId: string | null
}

const File = z.object({
  simulated: z.literal('plan'),
  serial: z.number(),
  lineage: z.string(),
  module: z.unknown(),
  variables: z.unknown(),
  state: z.string(),
  changes: z.unknown(),
  destroy: z.boolean(),
  clusterId: z.nullable(z.string()),
})

/** JSON has neither unknown nor secret values, so they are written as objects that no module can contain. */
function packed(value: Value): unknown {
  if (isUnknown(value)) return { '${unknown}': true }
  if (isSecret(value)) return { '${secret}': packed(value.inner) }
  if (Array.isArray(value)) return value.map(packed)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, packed(one)]))
}

function unpacked(json: unknown): Value {
  const walk = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    if ('${unknown}' in value) return unknown
    if ('${secret}' in value) return secret(walk(value['${secret}'] ?? null))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one)]))
  }
  return walk(fromJson(json))
}

const objectOf = (value: Value): Values => (isObject(value) ? value : {})

export async function writePlan(file: string, plan: SavedPlan, seal: Seal): Promise<void> {
  const changes = plan.changes.map((change) => ({
    ...change,
    before: change.before === null ? null : packed(change.before),
    after: packed(change.after),
  }))
  const text = JSON.stringify({ simulated: 'plan', ...plan, variables: packed(plan.variables), changes })
  await writeDurably(file, JSON.stringify((await seal.close(text)) ?? JSON.parse(text)))
}

export async function readPlan(file: string, seal: Seal): Promise<SavedPlan> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ModuleError(`Failed to load "${file}" as a plan file: no such file`)
  })
  const plan = File.parse(JSON.parse(await seal.open(text)))
  const changes = z.array(z.custom<Change>()).parse(plan.changes)
  return {
    ...plan,
    variables: objectOf(unpacked(plan.variables)),
    // The file was written by this code; only unknown and secret values have another form in it.
    changes: changes.map((change) => ({
      ...change,
      before: change.before === null ? null : objectOf(unpacked(change.before)),
      after: unpacked(change.after),
    })),
  }
}

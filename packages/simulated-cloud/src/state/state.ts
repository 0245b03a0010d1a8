import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import {
  fromJson,
  isObject,
  marks,
  isSecret,
  secret,
  bare,
  type Value,
  type Values,
} from '../language/values'
import type { Seal } from './encryption'

const Name = z.union([z.string(), z.number(), z.null()])
const Json = z.record(z.string(), z.unknown())

/** The state file in the format of the real engine; `private` holds the data that a provider stores for itself. */
const File = z.object({
  version: z.literal(4),
  serial: z.number(),
  lineage: z.string(),
  outputs: z.record(z.string(), z.object({ value: z.unknown(), sensitive: z.optional(z.boolean()) })),
  resources: z.array(
    z.object({
      mode: z.enum(['managed', 'data']),
      type: z.string(),
      name: z.string(),
      instances: z.array(
        z.object({
          index_key: z.optional(Name),
          status: z.optional(z.literal('tainted')),
          attributes: Json,
          sensitive_attributes: z.unknown(),
          dependencies: z.array(z.string()),
          private: z.object({
            config: Json,
            seed: z.nullable(
              z.object({ id: z.string(), privateIp: z.string(), publicIp: z.string(), token: z.string() }),
            ),
          }),
        }),
      ),
    }),
  ),
})

export interface KnownSeed {
  id: string
  privateIp: string
  publicIp: string
  token: string
}

/** An instance in the state. */
export interface Instance {
  mode: 'managed' | 'data'
  type: string
  name: string
  key: string | number | null
  address: string
  /** Secret values are wrapped. */
  attributes: Values
  /** The configuration with which it was last created or changed. */
  config: Values
  /** Blocks that must not be deleted before it. */
  dependencies: string[]
  seed: KnownSeed | null
  /** Whether its creation failed halfway: it will be replaced. */
  tainted: boolean
}

export interface State {
  serial: number
  lineage: string
  instances: Map<string, Instance>
  outputs: Record<string, { value: Value; sensitive: boolean }>
}

export const emptyState = (): State => ({
  serial: 0,
  lineage: randomUUID(),
  instances: new Map(),
  outputs: {},
})

export const addressOf = (block: string, key: string | number | null): string =>
  key === null ? block : `${block}[${JSON.stringify(key)}]`

/** Wraps the values that are marked as secret. */
function wrap(value: Value, sensitive: Value): Value {
  if (sensitive === true) return secret(value)
  if (Array.isArray(value) && Array.isArray(sensitive)) {
    return value.map((one, at) => wrap(one, sensitive[at] ?? false))
  }
  if (!isObject(value) || !isObject(sensitive)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, wrap(one, sensitive[name] ?? false)]),
  )
}

const objectFrom = (json: unknown): Values => {
  const value = fromJson(json)
  return isObject(value) ? value : {}
}

export function stateFrom(text: string): State {
  const file = File.parse(JSON.parse(text))
  const all = file.resources.flatMap(({ mode, type, name, instances }) =>
    instances.map((one): Instance => {
      const key = one.index_key ?? null
      const sensitive = fromJson(one.sensitive_attributes)
      const attributes = wrap(objectFrom(one.attributes), sensitive)
      return {
        mode,
        type,
        name,
        key,
        address: addressOf(mode === 'data' ? `data.${type}.${name}` : `${type}.${name}`, key),
        attributes: isObject(attributes) ? attributes : {},
        config: objectFrom(one.private.config),
        dependencies: one.dependencies,
        seed: one.private.seed,
        tainted: one.status === 'tainted',
      }
    }),
  )
  return {
    serial: file.serial,
    lineage: file.lineage,
    instances: new Map(all.map((one) => [one.address, one])),
    outputs: Object.fromEntries(
      Object.entries(file.outputs).map(([name, { value, sensitive = false }]) => [
        name,
        { value: fromJson(value), sensitive },
      ]),
    ),
  }
}

export function stateText({ serial, lineage, instances, outputs }: State): string {
  const resources = [...instances.values()].map((one) => ({
    mode: one.mode,
    type: one.type,
    name: one.name,
    provider: `provider["simulated/${one.type.slice(0, one.type.indexOf('_'))}"]`,
    instances: [
      {
        ...(one.key !== null && { index_key: one.key }),
        ...(one.tainted && { status: 'tainted' }),
        schema_version: 0,
        attributes: bare(one.attributes),
        sensitive_attributes: marks(one.attributes, isSecret),
        dependencies: one.dependencies,
        private: { config: bare(one.config), seed: one.seed },
      },
    ],
  }))
  const file = { version: 4, terraform_version: 'simulated', serial, lineage, outputs, resources }
  return JSON.stringify(file)
}

/** Null if there is no state. An empty file counts as none, as with the real engine. */
export async function readState(file: string, seal: Seal): Promise<State | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim() === '' ? null : stateFrom(await seal.open(text))
}

/**
 * Writes the state as the real engine does: the file is truncated and then written, so that a kill in between has the
 * same consequences.
 */
export async function writeState(folder: string, name: string, state: State, seal: Seal): Promise<void> {
  const text = stateText(state)
  const sealed = await seal.close(text)
  const { serial, lineage } = state
  const content = sealed ? JSON.stringify({ serial, lineage, ...sealed }, undefined, 2) : text
  const handle = openSync(path.join(folder, name), 'a', 0o600)
  try {
    ftruncateSync(handle, 0)
    writeSync(handle, `${content}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

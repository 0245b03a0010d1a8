import type * as z from 'zod/mini'
import {
  Branding,
  Features,
  RuntimeConfig,
  strictestConfig,
  type StoredChoices,
} from '@flotilla/contract/site/config'
import type { SmallFile } from '../disk/small-file'
import { parseStrictJson } from './strict-json'

/** The values of security settings, keyed by their path, as in `features.ldap`. */
export type SecurityValues = Record<string, unknown>

export type ConfigReading = {
  value: RuntimeConfig
  problems: string[]
  /** The security settings whose value in the file is valid; they become the last good values. */
  good: SecurityValues
  /**
   * The fields that the file sets, as in `branding.name`, even to an invalid value: an admin's choice does not apply.
   */
  setByFile: string[]
}

/** More than anyone reads, and every visitor's browser loads the list. */
const PROBLEMS_MAX = 20

const groups: Record<string, { shape: Record<string, z.ZodMiniType> }> = {
  branding: Branding,
  features: Features,
}
const { features, ...single } = strictestConfig
const strictest: SecurityValues = {
  ...single,
  ...Object.fromEntries(Object.entries(features).map(([name, value]) => [`features.${name}`, value])),
}
const securityPaths = Object.keys(strictest)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const valueAt = (config: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), config)

/**
 * Fields that the file leaves out have an admin's choice or the default. `lastGood` is null on a site that never had a
 * valid file.
 */
export function readConfig(
  file: SmallFile,
  lastGood: SecurityValues | null,
  choices: StoredChoices = {},
): ConfigReading {
  const chosen = RuntimeConfig.parse(choices)
  if (file === 'missing' && lastGood === null) return { value: chosen, problems: [], good: {}, setByFile: [] }
  const json = file === 'missing' ? { problem: MISSING } : objectIn(file)
  if ('problem' in json)
    return {
      ...secured(chosen, securityPaths, [`config.json ${json.problem}`], lastGood ?? {}),
      setByFile: securityPaths,
    }
  const given = json.value
  const whole = merge(choices, given)
  const checked = RuntimeConfig.safeParse(whole)
  const issues = checked.error?.issues ?? []
  const invalid = securityPaths.filter((path) => issues.some((issue) => concerns(issue.path, path)))
  const problems = [
    ...issues.map((issue) => `config.json: ${issue.path.join('.')}: ${issue.message}`),
    ...unknownFields(given).map((path) => `config.json: ${path}: unknown field, ignored`),
  ]
  const value = checked.data ?? RuntimeConfig.parse(goodFields(RuntimeConfig.shape, whole, chosen))
  return { ...secured(value, invalid, problems, lastGood ?? {}), setByFile: pathsIn(given) }
}

/** Merges the file's fields over an admin's choices, group by group. */
const merge = (choices: StoredChoices, given: Record<string, unknown>): Record<string, unknown> => ({
  ...choices,
  ...given,
  ...Object.fromEntries(
    Object.keys(groups)
      .filter((name) => isObject(given[name]))
      .map((name) => [name, { ...(Reflect.get(choices, name) as object), ...(given[name] as object) }]),
  ),
})

/** A group that is not an object counts as an invalid value for each of its fields. */
const pathsIn = (given: Record<string, unknown>): string[] =>
  Object.entries(given).flatMap(([name, value]) => {
    const group = groups[name]
    if (!group) return [name]
    return Object.keys(isObject(value) ? value : group.shape).map((key) => `${name}.${key}`)
  })

const MISSING = 'is missing but existed before. To return to the defaults, save it with the content {}'

function objectIn(
  file: Exclude<SmallFile, 'missing'>,
): { value: Record<string, unknown> } | { problem: string } {
  const json = 'problem' in file ? file : parseStrictJson(file.text)
  if ('problem' in json) return json
  return isObject(json.value) ? { value: json.value } : { problem: 'must contain an object: { ... }' }
}

/** Whether an issue invalidates the setting at `path`: it is at the setting, inside it, or at the group around it. */
const concerns = (issue: PropertyKey[], path: string): boolean =>
  path.split('.').every((name, index) => index >= issue.length || issue[index] === name)

/** Replaces each invalid value with the last good one, or else with the strictest, and reports that. */
function secured(
  value: RuntimeConfig,
  invalid: string[],
  problems: string[],
  lastGood: SecurityValues,
): Omit<ConfigReading, 'setByFile'> {
  const known = invalid.filter((path) => Object.hasOwn(lastGood, path))
  const unknown = invalid.filter((path) => !Object.hasOwn(lastGood, path))
  const replaced = invalid.reduce<object>(
    (config, path) => withValue(config, path, known.includes(path) ? lastGood[path] : strictest[path]),
    value,
  )
  const inForce = (which: string, paths: string[]) =>
    paths.length === 0
      ? []
      : [
          `config.json: in force until this is fixed, ${which}: ${paths
            .map((path) => `${path} ${JSON.stringify(valueAt(replaced, path))}`)
            .join(', ')}`,
        ]
  const valid = securityPaths.filter((path) => !invalid.includes(path))
  const left = problems.length - PROBLEMS_MAX
  return {
    value: RuntimeConfig.parse(replaced),
    problems: [
      ...problems.slice(0, PROBLEMS_MAX),
      ...(left > 0 ? [`config.json: ${left} more problems`] : []),
      ...inForce('the last valid values', known),
      ...inForce('the strictest values, because no valid ones are known', unknown),
    ],
    good: Object.fromEntries(valid.map((path) => [path, valueAt(value, path)])),
  }
}

function withValue(config: object, path: string, value: unknown): object {
  const [name = '', inner] = path.split('.')
  if (inner === undefined) return { ...config, [name]: value }
  return { ...config, [name]: { ...(Reflect.get(config, name) as object), [inner]: value } }
}

/** Otherwise a misspelled name would go unnoticed, and its setting would have the default. */
function unknownFields(given: Record<string, unknown>): string[] {
  return Object.keys(given).flatMap((name) => {
    if (!Object.hasOwn(RuntimeConfig.shape, name)) return [name]
    const [group, inner] = [groups[name], given[name]]
    if (!group || !isObject(inner)) return []
    return Object.keys(inner).flatMap((key) => (Object.hasOwn(group.shape, key) ? [] : [`${name}.${key}`]))
  })
}

/** Parses each field separately, so that an invalid one does not discard the others. */
function goodFields(
  shape: Record<string, z.ZodMiniType>,
  given: unknown,
  defaults: object,
): Record<string, unknown> {
  const fields = Object.entries(shape).map(([key, schema]) => {
    const value: unknown = isObject(given) ? given[key] : undefined
    const field = schema.safeParse(value)
    if (field.success) return [key, field.data]
    const defaultValue: unknown = Reflect.get(defaults, key)
    const group = groups[key]
    return [
      key,
      group && isObject(defaultValue) ? goodFields(group.shape, value, defaultValue) : defaultValue,
    ]
  })
  return Object.fromEntries(fields) as Record<string, unknown>
}

/** The stored last good values that are still valid: another version may have written them. */
export function parseLastGood(stored: unknown): SecurityValues {
  if (!isObject(stored)) return {}
  const known = securityPaths.filter((path) => {
    if (!Object.hasOwn(stored, path)) return false
    return RuntimeConfig.safeParse(withValue({ features: {} }, path, stored[path])).success
  })
  return Object.fromEntries(known.map((path) => [path, stored[path]]))
}

/**
 * The values of the module language: JSON and two more. A value that only the cloud determines is `unknown`; a value
 * that must not be shown is wrapped as secret, at any depth.
 */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value } | Unknown | Secret

/** An error in a module; its message is shown to users. */
export class ModuleError extends Error {}

class Unknown {
  readonly is = 'unknown'
}
class Secret {
  readonly inner: Value
  constructor(inner: Value) {
    this.inner = inner
  }
}

export const unknown: Value = new Unknown()
export const isUnknown = (value: Value | undefined): boolean => value instanceof Unknown
export const isSecret = (value: Value | undefined): value is Secret => value instanceof Secret
export const secret = (value: Value): Value => (isSecret(value) ? value : new Secret(value))

export type Values = { [name: string]: Value }
export const isObject = (value: Value | undefined): value is Values =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Unknown) &&
  !(value instanceof Secret)

/** Unwraps a value at the top level, and returns whether it was secret. */
export function opened(value: Value): { value: Value; wasSecret: boolean } {
  return isSecret(value) ? { value: value.inner, wasSecret: true } : { value, wasSecret: false }
}

const some = (value: Value, is: (one: Value) => boolean): boolean => {
  if (is(value)) return true
  if (isSecret(value)) return some(value.inner, is)
  if (Array.isArray(value)) return value.some((one) => some(one, is))
  return isObject(value) && Object.values(value).some((one) => some(one, is))
}
export const hasUnknown = (value: Value): boolean => some(value, isUnknown)
export const hasSecret = (value: Value): boolean => some(value, isSecret)

/** Unwraps a value at every level. */
export function bare(value: Value): Value {
  if (isSecret(value)) return bare(value.inner)
  if (Array.isArray(value)) return value.map(bare)
  if (isObject(value)) return mapValues(value, bare)
  return value
}

const mapValues = <From, To>(from: { [name: string]: From }, to: (one: From, name: string) => To) =>
  Object.fromEntries(Object.entries(from).map(([name, one]) => [name, to(one, name)]))

/** Describes a value in error messages. */
export function kindOf(value: Value): string {
  if (value === null) return 'null'
  if (isSecret(value)) return kindOf(value.inner)
  if (isUnknown(value)) return 'a value that is not known yet'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : `a ${typeof value}`
}

export function asText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ModuleError(`${kindOf(value)} cannot be part of a string`)
}

export function equal(a: Value, b: Value): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, index) => equal(one, b[index] ?? null))
  }
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a)
    const same = (name: string) => name in b && equal(a[name] ?? null, b[name] ?? null)
    return names.length === Object.keys(b).length && names.every(same)
  }
  return a === b
}

/** Converts JSON from outside, which contains nothing unknown or secret. */
export function fromJson(json: unknown): Value {
  if (json === null || typeof json === 'boolean' || typeof json === 'number' || typeof json === 'string') {
    return json
  }
  if (Array.isArray(json)) return json.map(fromJson)
  if (typeof json === 'object') {
    return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, fromJson(one)]))
  }
  throw new ModuleError('Not valid JSON')
}

/** A tree of marks that shows where a value is unknown, or where it is secret. */
export function marks(value: Value, is: (one: Value) => boolean): Value {
  if (is(value)) return true
  if (isSecret(value)) return marks(value.inner, is)
  if (Array.isArray(value)) return value.map((one) => marks(one, is))
  if (!isObject(value)) return false
  const found = Object.entries(value).map(([name, one]) => [name, marks(one, is)] as const)
  return Object.fromEntries(found.filter(([, mark]) => mark !== false))
}

/**
 * The known part of a value, unwrapped: unknown attributes of objects are omitted, unknown elements of lists are null.
 */
export function knownPart(value: Value): Value {
  if (isSecret(value)) return knownPart(value.inner)
  if (isUnknown(value)) return null
  if (Array.isArray(value)) return value.map(knownPart)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, one]) => !isUnknown(isSecret(one) ? one.inner : one))
  return Object.fromEntries(kept.map(([name, one]) => [name, knownPart(one)]))
}

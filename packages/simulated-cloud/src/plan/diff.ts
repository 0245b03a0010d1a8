import { bare, equal, hasUnknown, isObject, type Value, type Values } from '../language/values'

/** Splits `os_disk[0].storage_account_type` into steps. */
const steps = (path: string): (string | number)[] =>
  path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))

function valueAt(value: Value | undefined, [step, ...rest]: (string | number)[]): Value | undefined {
  if (step === undefined || value === undefined) return value
  if (typeof step === 'number') return valueAt(Array.isArray(value) ? value[step] : undefined, rest)
  return valueAt(isObject(value) ? value[step] : undefined, rest)
}

function withValue(value: Value, [step, ...rest]: (string | number)[], wanted: Value | undefined): Value {
  if (typeof step === 'number' && Array.isArray(value)) {
    return value.map((one, at) => (at === step ? withValue(one, rest, wanted) : one))
  }
  if (typeof step !== 'string' || !isObject(value)) return value
  const { [step]: before, ...others } = value
  if (rest.length > 0)
    return before === undefined ? value : { ...others, [step]: withValue(before, rest, wanted) }
  return wanted === undefined ? others : { ...others, [step]: wanted }
}

/** The new configuration, with the old values of ignored attributes. */
export function ignoring(config: Values, before: Values, paths: Value | undefined): Values {
  if (paths === 'all') return before
  if (!Array.isArray(paths)) return config
  let kept: Value = config
  for (const path of paths) {
    if (typeof path === 'string') kept = withValue(kept, steps(path), valueAt(before, steps(path)))
  }
  return isObject(kept) ? kept : config
}

/** The names of the arguments that differ. */
export function differences(before: Values, config: Values): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(config)])
  return [...names].filter((name) => {
    const [old, wanted] = [before[name], config[name]]
    if (old === undefined || wanted === undefined) return true
    return hasUnknown(wanted) || !equal(bare(old), bare(wanted))
  })
}

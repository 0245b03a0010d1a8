import { isSecret, isUnknown, knownPart, marks, type Value, bare, isObject } from '../language/values'
import type { Action, Change } from './plan'
import type { Instance, State } from '../state/state'

const actions: Record<Action, string[]> = {
  'no-op': ['no-op'],
  create: ['create'],
  read: ['read'],
  update: ['update'],
  delete: ['delete'],
  replace: ['delete', 'create'],
}

const address = ({ address: name, mode, type, name: block, key }: Change | Instance) => ({
  address: name,
  mode,
  type,
  name: block,
  ...(key !== null && { index: key }),
  provider_name: `simulated/${type.slice(0, type.indexOf('_'))}`,
})

/** The output of `show -json` for a plan. */
export const shownPlan = (changes: Change[]) => ({
  format_version: '1.2',
  terraform_version: 'simulated',
  simulated: true,
  resource_changes: changes
    .filter(({ mode, action }) => mode === 'managed' || action === 'read')
    .map((change) => ({
      ...address(change),
      change: {
        actions: actions[change.action],
        before: change.before === null ? null : knownPart(change.before),
        after: change.after === null ? null : knownPart(change.after),
        after_unknown: marks(change.after, isUnknown),
        before_sensitive: change.before === null ? false : marks(change.before, isSecret),
        after_sensitive: marks(change.after, isSecret),
        ...(change.because.length > 0 && { replace_paths: change.because.map((name) => [name]) }),
      },
    })),
})

/** The output of `show -json` for a state. */
export const shownState = (state: State | null) => ({
  format_version: '1.0',
  simulated: true,
  ...(state && {
    terraform_version: 'simulated',
    values: {
      outputs: shownOutputs(state),
      root_module: {
        resources: [...state.instances.values()].map((one) => ({
          ...address(one),
          schema_version: 0,
          values: bare(one.attributes),
          sensitive_values: marks(one.attributes, isSecret),
          depends_on: one.dependencies,
          ...(one.tainted && { tainted: true }),
        })),
      },
    },
  }),
})

/** The type of a value in the notation of the real engine. */
function typeOf(value: Value): unknown {
  if (Array.isArray(value)) return ['tuple', value.map(typeOf)]
  if (isObject(value))
    return ['object', Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typeOf(one)]))]
  if (value === null) return 'dynamic'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

export const shownOutputs = ({ outputs }: State) =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, { value, sensitive }]) => [
      name,
      { sensitive, type: typeOf(bare(value)), value: bare(value) },
    ]),
  )

import { allowsEveryone } from '@flotilla/contract/clusters/ranges'
import { valueAt } from '@flotilla/contract/clouds/field-limits'
import { credentials } from '@flotilla/contract/clouds/credentials'
import { formSteps } from '@flotilla/contract/clouds/providers'
import type { Field, Provider } from '@flotilla/contract/clouds/providers'
import {
  GPU_PARTS,
  PAGE_SIZE_MAX,
  SPECIAL_GPU_SHAPE,
  SPECIAL_GPU_SHAPE_GPUS,
} from '@flotilla/contract/limits'
import { useApiQuery } from '../../../../api/query'
import { Button } from '../../../../ui/button/button'
import { Callout } from '../../../../ui/feedback/callout'
import { Card } from '../../../../ui/layout/card'
import { countText } from '@flotilla/contract/count-text'
import { KeyValue } from '../../../../ui/text/key-value'
import type { CloudValues } from '../values/cloud-values'
import { isShownWith } from '../../../../clouds/field-rules'
import { isGivenNetwork, makesNetwork, missingIn, nodeNames, stepNames, stepOf } from '../values/field-rules'
import type { Step } from '../values/field-rules'
import { NoTorqueInCluster } from './no-torque'
import { sizeText } from '../../../../clouds/sizes/sizes'
import { useStacks } from '../use-stacks'

interface Props {
  provider: Provider
  values: CloudValues
  lacksTorque: boolean
  /** Errors that prevent saving, by field. */
  invalid: readonly (readonly [string, string])[]
  /** Errors that prevent only a deployment, by field. */
  impossible: readonly (readonly [string, string])[]
  onGo: (step: Step, focusError?: boolean) => void
  onSlurm: () => void
}

type Item = { label: string; value: string }

/** Prefixes a field's message with its step, because the message alone does not name the field. */
function linkText(provider: Provider, path: string, text: string): string {
  const step = stepOf(provider, path)
  return `${step === null ? path : stepNames[step]}: ${text}`
}

/** Links to the steps of fields. */
const StepLinks = ({
  provider,
  items,
  onGo,
}: Pick<Props, 'provider' | 'onGo'> & { items: readonly (readonly [string, string])[] }) => (
  <ul className="flex flex-col gap-0.5">
    {items.map(([path, text]) => (
      <li key={path}>
        <button
          type="button"
          className="rounded-mark text-left text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
          onClick={() => onGo(stepOf(provider, path) ?? 'basics', true)}
        >
          {linkText(provider, path, text)}
        </button>
      </li>
    ))}
  </ul>
)

/** The text of a field's value; empty if nothing was chosen. */
function valueText(provider: Provider, field: Field, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : ''
  if (value === 0) return field.zero?.label ?? ''
  if (typeof value === 'number') return `${value}${field.unit ? ` ${field.unit}` : ''}`
  if (field.kind === 'ranges' && Array.isArray(value) && allowsEveryone(value)) return 'Everyone'
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'string' || value === '') return ''
  if (field.kind === 'password') return 'Set'
  if (field.kind === 'textarea') return countText(value.trim().split('\n').length, 'line')
  if (field.kind === 'osType') return provider.osTypes.find(({ id }) => id === value)?.name ?? value
  if (field.kind === 'region')
    return provider.regions.find(({ region_id }) => region_id === value)?.name ?? value
  if (field.kind === 'size') {
    const size = provider.instanceSizes.find(({ instance_id }) => instance_id === value)
    return size ? `${value}: ${sizeText(size)}` : value
  }
  return field.choices?.find((choice) => choice.value === value)?.label ?? value
}

/** '56 GPUs a node (all-1g.5gb)', for a shape whose GPUs are partitioned. */
function partsText({
  instance_id,
  gpu_partition_mode,
}: CloudValues['data']['node']['group'][number]): string {
  const parts = GPU_PARTS[gpu_partition_mode]
  if (instance_id !== SPECIAL_GPU_SHAPE || parts === undefined) return ''
  return `${parts * SPECIAL_GPU_SHAPE_GPUS} GPUs per node (${gpu_partition_mode})`
}

/** The switches of a group that are on: 'Elastic Fabric Adapter', 'Spot machines'. */
const switchTexts = (
  { groupFields }: Provider,
  group: CloudValues['data']['node']['group'][number],
): string[] =>
  groupFields.flatMap(({ kind, path, label }) =>
    kind === 'switch' && valueAt(group, path) === true ? [label] : [],
  )

function ownItems(
  provider: Provider,
  step: Step,
  values: CloudValues,
  names: { credential: string; stack: string },
): Item[] {
  const { name, description, collaborators, ldapCollaborators = [], forEveryone, data } = values
  const people = [...collaborators, ...ldapCollaborators.map((one) => one.name ?? one.dn)]
  if (step === 'basics')
    return [
      { label: 'Name', value: name },
      { label: 'Description', value: description },
      { label: 'Credential', value: names.credential },
      { label: 'Stack', value: names.stack },
      { label: 'Shared with', value: forEveryone ? 'Everyone on this site' : people.join(', ') },
    ]
  if (step === 'nodes')
    return data.node.group.map((group, at) => ({
      label: group.group_node_prefix_label
        ? `Group ${at + 1}, ${group.group_node_prefix_label}`
        : `Group ${at + 1}`,
      value: [
        `${group.count} × ${group.instance_id || 'no size chosen'}`,
        nodeNames(values, at),
        ...switchTexts(provider, group),
        partsText(group),
      ]
        .filter(Boolean)
        .join(', '),
    }))
  if (step === 'advanced') return Object.entries(data.tags).map(([label, value]) => ({ label, value }))
  return []
}

const diskItems = ({ data }: CloudValues): Item[] => [
  ...data.disks.map(({ name, size, type, id }) => ({
    label: `Disk ${name}`,
    value: id || (size > 0 ? `${size} GB${type ? `, ${type}` : ''}` : ''),
  })),
  ...data.mounts.map(({ path, source }) => ({ label: path, value: source })),
]

/** The network that is created for the cluster, or a note that its machines stay in theirs. */
function networkItem(provider: Provider, { data }: CloudValues): Item {
  const value = makesNetwork(provider)
    ? 'Created just for this cluster'
    : 'The machines stay in their current networks'
  return { label: 'Network', value: isGivenNetwork(data.network) ? '' : value }
}

/** All values, step by step, and what is still missing. */
export function Summary({ provider, values, lacksTorque, invalid, impossible, onGo, onSlurm }: Props) {
  const list = useApiQuery(credentials.list, { query: { limit: PAGE_SIZE_MAX } })
  const credential = list.data?.find(({ id }) => id === values.credential_id)?.name ?? values.credential_id
  const stack = useStacks(provider.id).find(({ id }) => id === values.stack_id)?.name ?? values.stack_id ?? ''
  const missing = [...missingIn(provider, values)]
  const isRendered = (field: Field): boolean => {
    return isShownWith(field, values, provider)
  }
  return (
    <div className="flex flex-col gap-4">
      {invalid.length > 0 && (
        <Callout tone="red" title="Some fields are invalid">
          <StepLinks provider={provider} items={invalid} onGo={onGo} />
        </Callout>
      )}
      {missing.length > 0 && (
        <Callout tone="amber" title="Incomplete: you can save it, but not deploy it yet">
          <StepLinks provider={provider} items={missing} onGo={onGo} />
        </Callout>
      )}
      {impossible.length > 0 && (
        <Callout tone="amber" title={`Not possible on ${provider.name}: you can save it, but not deploy it`}>
          <StepLinks provider={provider} items={impossible} onGo={onGo} />
        </Callout>
      )}
      {lacksTorque && <NoTorqueInCluster onSlurm={onSlurm} />}
      {formSteps.map((step) => {
        const items = [
          ...ownItems(provider, step, values, { credential, stack }),
          ...(step === 'network' ? [networkItem(provider, values)] : []),
          ...provider.clusterFields
            .filter((field) => field.step === step && isRendered(field))
            .map((field) => ({
              label: field.label,
              value: valueText(provider, field, valueAt(values, field.path)),
            })),
          ...(step === 'head' ? diskItems(values) : []),
        ].filter(({ value }) => value !== '')
        return (
          <Card
            key={step}
            title={stepNames[step]}
            actions={
              <Button
                variant="ghost"
                className="-my-1.5 -mr-2"
                onClick={() => onGo(step)}
                aria-label={`Edit ${stepNames[step]}`}
              >
                Edit
              </Button>
            }
          >
            {items.length > 0 ? <KeyValue items={items} /> : <p className="text-ink-3">Nothing selected.</p>}
          </Card>
        )
      })}
    </div>
  )
}

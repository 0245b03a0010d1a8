import type { Provider } from '@flotilla/contract/clouds/providers'
import { lossesOfOptions } from '@flotilla/contract/clusters/impossible/machines'
import { Copy, Plus, Trash2 } from 'lucide-react'
import { useFieldArray, useWatch } from 'react-hook-form'
import { Button, IconButton } from '../../../../ui/button/button'
import { Callout } from '../../../../ui/feedback/callout'
import { newGroup } from '../values/cloud-values'
import type { CloudForm } from '../values/cloud-values'
import { FieldSet } from '../../../../clouds/field-set'
import { GROUPS, nodeNames } from '../values/field-rules'

const MOST = 20

/** Node groups that can be added, duplicated and removed. */
export function GroupList({ form, provider }: { form: CloudForm; provider: Provider }) {
  const { fields, append, insert, remove } = useFieldArray({ control: form.control, name: GROUPS })
  const full = fields.length >= MOST ? `A cluster can have at most ${MOST} groups` : null
  return (
    <section aria-label="Node groups" className="flex flex-col gap-3">
      {fields.length === 0 && (
        <p className="text-body text-ink-2">
          No groups. The cluster has only its head node, which doesn’t run jobs.
        </p>
      )}
      {fields.map(({ id }, at) => (
        <section
          key={id}
          aria-label={`Group ${at + 1}`}
          className="rounded-card border border-line-1 bg-surface-1"
        >
          <header className="flex items-center gap-2 border-b border-line-1 py-1.5 pr-1.5 pl-4">
            <h3 className="text-body font-semibold">Group {at + 1}</h3>
            <Names form={form} at={at} />
            <span className="ml-auto flex">
              <IconButton
                label={`Duplicate group ${at + 1}`}
                icon={Copy}
                disabledReason={full}
                onClick={() => insert(at + 1, form.getValues(`${GROUPS}.${at}`))}
              />
              <IconButton label={`Remove group ${at + 1}`} icon={Trash2} onClick={() => remove(at)} />
            </span>
          </header>
          <div className="flex flex-col gap-4 p-4">
            <FieldSet
              of="cluster"
              form={form}
              provider={provider}
              fields={provider.groupFields}
              prefix={`${GROUPS}.${at}.`}
            />
            <Losses {...{ form, provider, at }} />
          </div>
        </section>
      ))}
      <div>
        <Button icon={Plus} disabledReason={full} onClick={() => append(newGroup())}>
          Add a group
        </Button>
      </div>
    </section>
  )
}

/** Warns that an option disables a feature of the group's size, such as InfiniBand on spot machines. */
function Losses({ form, provider, at }: { form: CloudForm; provider: Provider; at: number }) {
  const group = useWatch({ control: form.control, name: `${GROUPS}.${at}` })
  return lossesOfOptions(provider, group).map(([path, text]) => (
    <Callout
      key={path}
      tone="amber"
      title={provider.groupFields.find((field) => field.path === path)?.label ?? path}
    >
      {text}
    </Callout>
  ))
}

/** The names of a group's nodes. */
function Names({ form, at }: { form: CloudForm; at: number }) {
  useWatch({ control: form.control, name: [GROUPS, 'info.node_prefix'] })
  return <span className="truncate font-mono text-label text-ink-3">{nodeNames(form.getValues(), at)}</span>
}

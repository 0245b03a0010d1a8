import type { LdapCollaborators as Saved } from '@flotilla/contract/ldap-entry'
import { useController, type FieldValues } from 'react-hook-form'
import type * as z from 'zod/mini'
import type { BoundProps } from '../forms/fields/fields'
import { FieldError } from '../ui/form/field'
import { LdapCollaborators, useHasLdap } from './ldap-collaborators'

type Props<Values extends FieldValues, Output> = Pick<BoundProps<Values, Output>, 'form' | 'name'>

/** The LDAP collaborators in a form, saved with it. Not shown on sites without LDAP servers. */
export function LdapCollaboratorsField<Values extends FieldValues, Output>({
  form,
  name,
}: Props<Values, Output>) {
  const { field, fieldState } = useController({ control: form.control, name })
  const value: z.input<typeof Saved> = field.value ?? []
  // A file may name only the DN.
  const shown = value.map((one) => ({ kind: 'person' as const, name: one.dn, ...one }))
  const hasLdap = useHasLdap(shown)
  if (!hasLdap) return null
  return (
    <div className="flex flex-col gap-1.5">
      <LdapCollaborators
        collaborators={shown}
        hint="They get access when you save."
        onAdd={({ detail: _detail, ...added }) => field.onChange([...value, added])}
        onRemove={({ serverId, dn }) =>
          field.onChange(value.filter((one) => one.serverId !== serverId || one.dn !== dn))
        }
      />
      {fieldState.error?.message && <FieldError id={`${name}-error`}>{fieldState.error.message}</FieldError>}
    </div>
  )
}

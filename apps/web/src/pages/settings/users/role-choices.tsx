import { useId } from 'react'
import { roleNames } from '../../../account/role-badges'
import { Checkbox } from '../../../ui/form/checkbox'
import { FieldError } from '../../../ui/form/field'
import { givenRoles, toggleRole, type GivenRole } from './user-rules'

const hints: Record<GivenRole, string> = {
  admin: 'Everything, including site settings.',
  instructor: 'Stacks, workshops, courses and apps.',
  user: 'Their own clusters, jobs and files.',
}

interface Props {
  held: readonly GivenRole[]
  onChange: (held: GivenRole[]) => void
  /** Why the admin role cannot be removed, or null. */
  adminLocked: string | null
  error?: string | undefined
}

export function RoleChoices({ held, onChange, adminLocked, error }: Props) {
  const errorId = useId()
  return (
    <fieldset aria-describedby={error ? errorId : undefined} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-body font-medium">Roles</legend>
      {givenRoles.map((role) => {
        const locked = role === 'admin' ? adminLocked : null
        return (
          <Checkbox
            key={role}
            label={roleNames[role]}
            hint={locked ?? hints[role]}
            checked={held.includes(role)}
            disabled={locked !== null}
            onChange={() => onChange(toggleRole(held, role))}
          />
        )
      })}
      {error && <FieldError id={errorId}>{error}</FieldError>}
    </fieldset>
  )
}

import type { Field, Provider } from '@flotilla/contract/clouds/providers'
import { ListTree } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { createPortal } from 'react-dom'
import { useWatch } from 'react-hook-form'
import { IconButton } from '../../ui/button/button'
import { fieldsOf, text, useCredential, useRegion } from '../form-place'
import type { AnyForm } from '../form-place'

const AccountDialog = lazy(() =>
  import('./account-dialog').then((module) => ({ default: module.AccountDialog })),
)

interface Props {
  form: AnyForm
  provider: Provider
  of: 'cluster' | 'stack'
  field: Field
  value: string
  onChoose: (id: string) => void
}

/** Next to a field whose ids can also be chosen from the account. */
export function AccountBrowse({ form, provider, of, field, value, onChoose }: Props) {
  const [open, setOpen] = useState(false)
  const credential = useCredential(form)
  const region = useRegion({ form, provider, of })
  const around: unknown = useWatch({ control: form.control, name: field.within ?? 'provider' })
  const holder = fieldsOf({ provider, of }).find(({ path }) => path === field.within)
  const missing = credential === '' ? 'Choose a credential first' : 'Choose a region first'
  const isMissing = credential === '' || (region === '' && provider.regions.length > 0)
  return (
    <>
      <IconButton
        label={`Choose the ${field.label} from the account`}
        icon={ListTree}
        variant="secondary"
        disabledReason={isMissing ? missing : null}
        onClick={() => setOpen(true)}
      />
      {open &&
        // Outside the surrounding form: Enter in the search must not submit it.
        createPortal(
          <Suspense fallback={null}>
            <AccountDialog
              query={{ credential, region, field: field.path }}
              label={field.label}
              value={value}
              within={holder ? { label: holder.label, value: text(around) } : null}
              onChoose={onChoose}
              onClose={() => setOpen(false)}
            />
          </Suspense>,
          document.body,
        )}
    </>
  )
}

import { ListTree } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../../ui/button/button'
import type { AccountQuery } from './use-account-choices'

const AccountDialog = lazy(() =>
  import('./account-dialog').then((module) => ({ default: module.AccountDialog })),
)

interface Props {
  query: AccountQuery
  label: string
  value: string
  /** The enclosing choice, such as the VPC of a subnet. */
  within?: { label: string; value: string } | null
  zone?: string
  /** Why nothing can be listed yet. */
  missing?: string | null
  onChoose: (id: string) => void
}

/** Opens a list of the cloud account's resources for a field. */
export function BrowseButton({
  query,
  label,
  value,
  within = null,
  zone = '',
  missing = null,
  onChoose,
}: Props) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <IconButton
        label={`Choose the ${label} from the account`}
        icon={ListTree}
        variant="secondary"
        disabledReason={missing}
        onClick={() => setOpen(true)}
      />
      {open &&
        // Outside the surrounding form: Enter in the search must not submit it.
        createPortal(
          <Suspense fallback={null}>
            <AccountDialog
              {...{ query, label, value, within, zone, onChoose }}
              onClose={() => setOpen(false)}
            />
          </Suspense>,
          document.body,
        )}
    </>
  )
}

import { desktops } from '@flotilla/contract/desktops/desktops'
import { useState } from 'react'
import { useApiQuery } from '../api/query'
import { Button } from '../ui/button/button'
import { Field } from '../ui/form/field'
import { PasswordInput } from '../ui/form/password-input'
import { CopyText } from '../ui/text/copy-text'

/** Asks for the desktop's password, which the cluster's page shows to its owner. */
export function DesktopPassword({ onPassword }: { onPassword: (password: string) => void }) {
  const [password, setPassword] = useState('')
  return (
    <form
      className="flex w-full max-w-80 flex-col gap-3 text-left"
      onSubmit={(event) => {
        event.preventDefault()
        onPassword(password)
      }}
    >
      <Field
        label="Desktop password"
        hint="The owner of the desktop can find it on the cluster’s desktop page."
      >
        {(aria) => (
          <PasswordInput
            {...aria}
            autoFocus
            autoComplete="off"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <Button variant="primary" type="submit">
        Connect
      </Button>
    </form>
  )
}

/** The desktop's password, fetched only when its owner clicks to see it. */
export function ShownPassword({ desktopId }: { desktopId: string }) {
  const [isShown, setIsShown] = useState(false)
  const query = useApiQuery(desktops.password, { id: desktopId }, { enabled: isShown })
  if (query.data) return <CopyText label="desktop password" text={query.data.password} />
  return (
    <Button busy={isShown && query.isPending} onClick={() => setIsShown(true)}>
      Show desktop password
    </Button>
  )
}

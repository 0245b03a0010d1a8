import { useConfig } from '../../api/config'
import { checkSavedSession, logout } from '../../login/session'
import { PlainButton } from '../../ui/button/plain-button'
import { WholePage } from '../frame/whole-page'

/** An unreachable server is not a logout. */
export default function UnreachableCard() {
  const { idleTimer } = useConfig()
  return (
    <WholePage
      title="The server cannot be reached"
      action={{ label: 'Try again', onClick: () => void checkSavedSession(idleTimer * 1000) }}
      beside={
        <PlainButton variant="ghost" onClick={logout}>
          Log out on this device
        </PlainButton>
      }
    >
      <p>
        You are still logged in, but your session could not be checked. Check your connection and try again.
      </p>
    </WholePage>
  )
}

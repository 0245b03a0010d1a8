import { mayAccess } from '@flotilla/contract/access'
import { users } from '@flotilla/contract/people/users'
import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { download } from '../../../../api/download'
import { showError } from '../../../../api/errors'
import { useUser } from '../../../../session/user'
import { Button } from '../../../../ui/button/button'
import { Card } from '../../../../ui/layout/card'
import { CopyText } from '../../../../ui/text/copy-text'
import { sshCommand } from './ssh-command'

interface Props {
  head: { host: string; port: number }
  /** The account that is used, such as 'with your own account'. */
  account: string
  /** The account's name on the cluster, if it is not the username. */
  login?: string | null
  /** Shown with the command. */
  connect: string
  before?: ReactNode
  children?: ReactNode
}

/** Step-by-step instructions to log in to a head node with the user's own key. */
export function SshSteps({ head, account, login, connect, before, children }: Props) {
  const { username, role } = useUser()
  const file = `${username}.pem`
  const save = () => download(users.downloadSshKey, { query: { fromClusterView: 'true' } }, file)
  return (
    <Card
      title="How to connect"
      description={`To ${head.host}${head.port === 22 ? '' : `, port ${head.port}`}, ${account}.`}
      actions={
        mayAccess(users.downloadSshKey.access, role) && (
          <Button icon={KeyRound} onClick={() => void save().catch(showError)}>
            Download your key
          </Button>
        )
      }
    >
      {before && <div className="mb-3">{before}</div>}
      <ol className="flex list-decimal flex-col gap-2 pl-5 text-body text-ink-2 marker:text-ink-3">
        <li>
          Make the key readable only by you:
          <br />
          <CopyText label="command" text={`chmod 600 ${file}`} />
        </li>
        <li>
          {connect}:
          <br />
          <CopyText wrap label="SSH command" text={sshCommand(head, login ?? username)} />
        </li>
      </ol>
      {children && <div className="mt-3 text-label text-ink-3">{children}</div>}
    </Card>
  )
}

import { users, type User } from '@flotilla/contract/people/users'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { download } from '../api/download'
import { Button } from '../ui/button/button'
import { Callout } from '../ui/feedback/callout'
import { Card } from '../ui/layout/card'
import { CopyText } from '../ui/text/copy-text'
import { OwnPublicKey } from './own-public-key'

/** The key is created on the first download and stays the same, so that everything set up with it keeps working. */
export function SshKeyPanel({ username, unixAccount }: Pick<User, 'username' | 'unixAccount'>) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const file = `${username}.pem`

  const save = async () => {
    setBusy(true)
    setFailure(null)
    try {
      await download(users.downloadSshKey, {}, file)
    } catch (error) {
      setFailure(toApiError(error).message)
    }
    setBusy(false)
  }

  return (
    <Card
      title="SSH key"
      description="Your key for the clusters you have access to. Keep the file private: anyone who has it can log in as you."
      actions={
        <Button icon={KeyRound} busy={busy} onClick={() => void save()}>
          Download {file}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        {failure && (
          <Callout tone="red" title={failure} alert>
            The key was not downloaded. Try again.
          </Callout>
        )}
        <div className="text-body text-ink-2">
          Your public key, for <code>~/.ssh/authorized_keys</code> of your account{' '}
          <code>{unixAccount ?? username}</code> on attached clusters:
          <OwnPublicKey />
        </div>
        <ol className="flex list-decimal flex-col gap-2 pl-5 text-body text-ink-2 marker:text-ink-3">
          <li>
            Make the file readable only by you; SSH rejects it otherwise:
            <br />
            <CopyText label="command" text={`chmod 600 ${file}`} />
          </li>
          <li>
            Connect. The account and address are on the cluster’s page:
            <br />
            <CopyText label="command" text={`ssh -i ${file} ACCOUNT@ADDRESS`} />
          </li>
        </ol>
      </div>
    </Card>
  )
}

import { isAdmin } from '@flotilla/contract/access'
import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { messages } from '@flotilla/contract/messages'
import { Upload } from 'lucide-react'
import { useWatch } from 'react-hook-form'
import { useApiMutation } from '../../../../api/query'
import { sendForm } from '../../../../account/send-form'
import { TextField, TextareaField } from '../../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../../forms/form'
import { useZodForm } from '../../../../forms/use-zod-form'
import { useUser } from '../../../../session/user'
import { Card } from '../../../../ui/layout/card'
import { notices } from '../../../../ui/feedback/notices-store'

const empty = { targetUsername: '', sshKey: '' }

/** Adds a public key to an account on the cluster. */
export function UploadKey({ cluster }: { cluster: Cluster }) {
  const me = useUser()
  const form = useZodForm(clusters.uploadSshKey.body, { defaults: empty })
  const account = useWatch({ control: form.control, name: 'targetUsername' })
  const upload = useApiMutation(clusters.uploadSshKey, {
    // Another user's account or cluster requires admin scope.
    admin: isAdmin(me) && (cluster.owner !== me.username || account.trim() !== me.username),
    success: messages.sshKeyUploaded,
    invalidates: [clusters.activities],
    onSuccess: () => form.reset(empty),
  })
  // The console's own machine needs no key.
  const isHere = cluster.provider === 'local' && cluster.data.head === null
  if (!cluster.mine || isHere) return null
  return (
    <Card title="Add a key" description="Let a public key log in to an account on this cluster.">
      <Form
        form={form}
        onSubmit={(body) =>
          sendForm(
            form,
            upload.mutateAsync({ id: cluster.id, body }).catch((error: unknown) => {
              notices.error(messages.sshKeyUploadFailed)
              throw error
            }),
          )
        }
      >
        <TextField
          form={form}
          name="targetUsername"
          label="Account"
          autoComplete="off"
          spellCheck={false}
          mono
        />
        <TextareaField
          form={form}
          name="sshKey"
          label="Public key"
          hint="One line that starts with ssh-ed25519, ssh-rsa or ecdsa."
          rows={3}
          spellCheck={false}
          mono
        />
        <div>
          <SubmitButton form={form} variant="secondary" icon={Upload}>
            Upload key
          </SubmitButton>
        </div>
      </Form>
    </Card>
  )
}

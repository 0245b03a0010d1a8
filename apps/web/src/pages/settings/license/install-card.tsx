import { license, LicenseUpload, type LicenseSource } from '@flotilla/contract/site/license'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { sendForm } from '../../../account/send-form'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { TextareaField } from '../../../forms/fields/fields'
import { FileButton } from '../../../forms/file-button'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Card } from '../../../ui/layout/card'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { RelativeTime } from '../../../ui/text/relative-time'
import { SkeletonText } from '../../../ui/feedback/skeleton'

const affected = [license.view, license.source]

/** Installs an uploaded or pasted license, unless the server's environment specifies a license file. */
export function InstallCard() {
  const source = useApiQuery(license.source, {})
  return (
    <Card
      title="Install a license"
      description="It takes effect immediately. An invalid or expired license is rejected, with the reason."
    >
      <Async data={source} skeleton={<SkeletonText lines={5} />}>
        {(found) =>
          found.source === 'file' ? (
            <Callout tone="gray" title="The license is set by LICENSE_FILE">
              A variable in the server’s environment names its file. Replace the file there; it takes effect
              immediately.
            </Callout>
          ) : (
            <Upload source={found} />
          )
        }
      </Async>
    </Card>
  )
}

function Upload({ source: { hasServerKey, uploadedBy, uploadedAt } }: { source: LicenseSource }) {
  const form = useZodForm(LicenseUpload, { defaults: { license: '', publicKey: '' } })
  const [removing, setRemoving] = useState(false)
  const upload = useApiMutation(license.upload, {
    success: 'License installed',
    invalidates: affected,
    onSuccess: () => form.reset({ license: '', publicKey: '' }),
  })
  const read = async (file: File | undefined) => {
    if (file) form.setValue('license', await file.text(), { shouldDirty: true, shouldTouch: true })
  }
  return (
    <>
      <Form form={form} onSubmit={(body) => sendForm(form, upload.mutateAsync({ body }))}>
        <TextareaField
          form={form}
          name="license"
          label="License"
          mono
          rows={6}
          spellCheck={false}
          placeholder={'{\n  "terms": "…",\n  "signature": "…"\n}'}
          hint="The content of the license file."
        />
        <div>
          <FileButton
            icon={FileUp}
            inputLabel="License file"
            accept=".json,application/json"
            onFiles={([file]) => void read(file)}
          >
            Choose a file
          </FileButton>
        </div>
        {!hasServerKey && (
          <TextareaField
            form={form}
            name="publicKey"
            label="Issuer’s public key"
            mono
            rows={3}
            spellCheck={false}
            placeholder="-----BEGIN PUBLIC KEY-----"
          />
        )}
        <div className="flex flex-wrap items-center gap-2">
          <SubmitButton form={form}>Install license</SubmitButton>
          {uploadedAt !== null && <Button onClick={() => setRemoving(true)}>Remove license</Button>}
          {uploadedAt !== null && (
            <span className="text-label text-ink-3">
              Installed by {uploadedBy} <RelativeTime at={uploadedAt} />
            </span>
          )}
        </div>
      </Form>
      {removing && <RemoveDialog onClose={() => setRemoving(false)} />}
    </>
  )
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const remove = useApiMutation(license.remove, {
    success: 'License removed',
    invalidates: affected,
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Remove the license?"
      confirmLabel="Remove license"
      // A failure opens the ERROR dialog.
      onConfirm={() => remove.mutateAsync({}).catch(() => {})}
    >
      The site returns to community use: people who register are logged in without confirming their address.
    </ConfirmDialog>
  )
}

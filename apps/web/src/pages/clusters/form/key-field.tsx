import { FileKey } from 'lucide-react'
import { FormField } from '../../../forms/fields/fields'
import { FileButton } from '../../../forms/file-button'
import { useFileDrop } from '../../../forms/use-file-drop'
import { cx } from '../../../ui/text/cx'
import { SecretTextarea } from '../../../ui/form/secret-textarea'
import type { ClusterFormState } from './form-state'

const LARGEST = 20_000

/** A private key: pasted, dropped or chosen. It is never shown again. */
export function KeyField({ form, keyStored }: { form: ClusterFormState; keyStored: boolean }) {
  const take = async (chosen: File | undefined) => {
    if (!chosen) return
    if (chosen.size > LARGEST) {
      form.setError('data.head.privateKey', { message: `${chosen.name} is too large to be a key` })
      return
    }
    form.setValue('data.head.privateKey', await chosen.text(), { shouldDirty: true, shouldValidate: true })
  }
  const { over, listeners } = useFileDrop(([chosen]) => void take(chosen))
  return (
    <FormField
      form={form}
      name="data.head.privateKey"
      label="Private key"
      optional={keyStored}
      hint={
        keyStored
          ? 'A key is stored. Leave this empty to keep it.'
          : 'Without a passphrase. You can drop its file here.'
      }
    >
      {(field, aria) => (
        <div
          {...listeners}
          className={cx(
            'flex flex-col gap-2 rounded-control',
            over && 'outline-2 outline-offset-2 outline-accent',
          )}
        >
          <SecretTextarea
            {...aria}
            {...field}
            value={typeof field.value === 'string' ? field.value : ''}
            rows={5}
            placeholder={keyStored ? '••••••••' : '-----BEGIN OPENSSH PRIVATE KEY-----'}
          />
          <div>
            <FileButton icon={FileKey} onFiles={([chosen]) => void take(chosen)}>
              Choose a file
            </FileButton>
          </div>
        </div>
      )}
    </FormField>
  )
}

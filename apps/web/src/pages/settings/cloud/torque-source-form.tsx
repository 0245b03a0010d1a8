import { settings } from '@flotilla/contract/site/settings'
import { TorqueSource, type TorqueSetting } from '@flotilla/contract/site/torque-source'
import { useId, useState } from 'react'
import type * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { TextareaField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { TagsField } from '../../../forms/fields/tags-field'
import { useZodForm } from '../../../forms/use-zod-form'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { RelativeTime } from '../../../ui/text/relative-time'
import { SkeletonText } from '../../../ui/feedback/skeleton'

/** Sets the source of Torque packages, which no operating system provides. */
export function TorqueSourceForm() {
  const setting = useApiQuery(settings.torqueSource, {})
  return (
    <Card
      title="Torque package source"
      description="Where cluster and stack machines install Torque from. Without a source, Torque clusters can be deployed only from stack images that include it."
    >
      <Async data={setting} skeleton={<SkeletonText lines={8} />}>
        {({ source }) => <Source current={source} />}
      </Async>
    </Card>
  )
}

/** The field values while no source is set. */
const nothing: z.output<typeof TorqueSource> = { file: '', key: '', headPackages: [], nodePackages: [] }

function Source({ current }: { current: TorqueSetting['source'] }) {
  const { setAt, ...values } = current ?? { ...nothing, setAt: null }
  const form = useZodForm(TorqueSource, { defaults: values, values })
  const save = useApiMutation(settings.setTorqueSource, {
    success: 'Package source saved',
    invalidates: [settings.torqueSource],
  })
  const formId = useId()
  return (
    <div className="flex flex-col gap-4">
      <Form id={formId} form={form} onSubmit={(body) => sendForm(form, save.mutateAsync({ body }))}>
        <div className="grid gap-4 lg:grid-cols-2">
          <TextareaField
            form={form}
            name="file"
            label="Source file"
            hint="The contents of a .list file for Debian and Ubuntu (with signed-by=/etc/apt/keyrings/flotilla-torque.asc for the public key), or of a .repo file for Rocky and RHEL. Do not include passwords: everyone on the machines can read it."
            mono
            rows={7}
            spellCheck={false}
            placeholder="deb [signed-by=/etc/apt/keyrings/flotilla-torque.asc] https://repo.example.org/torque stable main"
          />
          <TextareaField
            form={form}
            name="key"
            label="Public key"
            hint="The key that signs the packages. Leave empty if the file specifies one. AWS cannot start machines with a long key: omit subkeys, or put Torque into a stack."
            optional
            mono
            rows={7}
            spellCheck={false}
            placeholder="-----BEGIN PGP PUBLIC KEY BLOCK-----"
          />
          <TagsField
            form={form}
            name="headPackages"
            label="Head node packages"
            hint="Must provide pbs_server, a scheduler and the commands."
            noun="package"
            placeholder="torque-server"
          />
          <TagsField
            form={form}
            name="nodePackages"
            label="Node packages"
            hint="Must provide pbs_mom."
            noun="package"
            placeholder="torque-mom"
          />
        </div>
        <p className="text-label text-ink-3">
          {setAt === null ? (
            'No source is set.'
          ) : (
            <>
              Set <RelativeTime at={setAt} />.
            </>
          )}{' '}
          Running machines are not changed.
        </p>
      </Form>
      {/* Outside the form, because submitting a dialog's form inside it would submit it too. */}
      <div className="flex flex-wrap gap-2">
        <SubmitButton form={form} formId={formId}>
          Save source
        </SubmitButton>
        {setAt !== null && <Remove onRemoved={() => form.reset(nothing)} />}
      </div>
    </div>
  )
}

function Remove({ onRemoved }: { onRemoved: () => void }) {
  const [confirming, setConfirming] = useState(false)
  const remove = useApiMutation(settings.removeTorqueSource, {
    success: 'Package source removed',
    invalidates: [settings.torqueSource],
    onSuccess: () => {
      setConfirming(false)
      onRemoved()
    },
  })
  return (
    <>
      <Button onClick={() => setConfirming(true)}>Remove source</Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Remove the Torque package source?"
        confirmLabel="Remove source"
        // A failure opens the ERROR dialog.
        onConfirm={() => remove.mutateAsync({}).catch(() => {})}
      >
        Torque clusters can then be deployed only from stack images that include it. Running clusters are not
        affected, but cannot get new nodes unless their image includes Torque.
      </ConfirmDialog>
    </>
  )
}

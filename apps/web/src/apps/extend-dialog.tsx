import { APP_TIME_MAX_MINUTES } from '@flotilla/contract/apps/apps'
import { appSessions, type AppSession } from '@flotilla/contract/apps/sessions'
import { useId } from 'react'
import { sendForm } from '../account/send-form'
import { useApiMutation } from '../api/query'
import { NumberField } from '../forms/fields/fields'
import { Form, SubmitButton } from '../forms/form'
import { useZodForm } from '../forms/use-zod-form'
import { Button } from '../ui/button/button'
import { Dialog } from '../ui/overlay/dialog'

const AN_HOUR = 60

/** Gives a session more time, where the cluster's resource manager can. */
export function ExtendDialog({ session, onClose }: { session: AppSession; onClose: () => void }) {
  const formId = useId()
  const form = useZodForm(appSessions.extend.body, { defaults: { minutes: AN_HOUR } })
  const extend = useApiMutation(appSessions.extend, {
    success: 'Session extended',
    invalidates: [appSessions.list],
    onSuccess: onClose,
  })
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={`Extend ${session.app.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            Extend
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={(body) => sendForm(form, extend.mutateAsync({ id: session.id, body }))}
      >
        <NumberField
          form={form}
          name="minutes"
          label="More time (minutes)"
          min={1}
          max={APP_TIME_MAX_MINUTES}
        />
      </Form>
    </Dialog>
  )
}

import { countText } from '@flotilla/contract/count-text'
import { MESSAGE_MAX, type Seat, type Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { useId } from 'react'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { TextareaField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'

const Fields = z.object({
  text: z.string().check(z.trim(), z.minLength(1, 'Enter a message'), z.maxLength(MESSAGE_MAX)),
})

interface Props {
  training: Training
  /** The recipients; null for all participants. */
  seats: readonly Seat[] | null
  /** Called after the message was sent. */
  onDone?: (() => void) | undefined
  onClose: () => void
}

export function MessageDialog({ training, seats, onDone, onClose }: Props) {
  const formId = useId()
  const form = useZodForm(Fields, { defaults: { text: '' } })
  const send = useApiMutation(trainings.sendMessage, {
    admin: useIsAdmin(),
    success: 'Message sent',
    invalidates: [trainings.messages],
    onSuccess: () => {
      onClose()
      onDone?.()
    },
  })
  const userEmails = seats?.flatMap(({ participantEmail }) => participantEmail ?? [])
  const to =
    seats === null
      ? 'everyone'
      : seats.length === 1
        ? (seats[0]?.fullName ?? '')
        : countText(seats.length, 'participant')
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={`Message to ${to}`}
      description="It appears on their screen immediately and stays on their workshop page."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            Send
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={({ text }) =>
          sendForm(form, send.mutateAsync({ id: training.id, body: { text, userEmails } }))
        }
      >
        <TextareaField form={form} name="text" label="Message" rows={4} />
      </Form>
    </Dialog>
  )
}

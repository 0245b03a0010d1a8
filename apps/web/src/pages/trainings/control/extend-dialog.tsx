import { countText } from '@flotilla/contract/count-text'
import type { Seat, Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { useId } from 'react'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { NumberField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'

const MINUTES = 'Enter a number of minutes from 1 to 1440'
const Fields = z.object({
  minutes: z.number(MINUTES).check(z.int(MINUTES), z.minimum(1, MINUTES), z.maximum(1440, MINUTES)),
})

interface Props {
  training: Training
  /** The seats to extend; null for the whole workshop. */
  seats: readonly Seat[] | null
  /** Called after the time was extended. */
  onDone?: (() => void) | undefined
  onClose: () => void
}

export function ExtendDialog({ training, seats, onDone, onClose }: Props) {
  const formId = useId()
  const form = useZodForm(Fields, { defaults: { minutes: 15 } })
  const extend = useApiMutation(trainings.extend, {
    admin: useIsAdmin(),
    success: 'Session extended',
    invalidates: [trainings.view, trainings.seats, trainings.list],
    onSuccess: () => {
      onClose()
      onDone?.()
    },
  })
  const userEmails = seats?.flatMap(({ participantEmail }) => participantEmail ?? [])
  const whom =
    seats === null
      ? training.name
      : seats.length === 1
        ? `${seats[0]?.fullName}’s session`
        : countText(seats.length, 'session')
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={`Extend ${whom}`}
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
        onSubmit={({ minutes }) =>
          sendForm(form, extend.mutateAsync({ id: training.id, body: { minutes, userEmails } }))
        }
      >
        <NumberField form={form} name="minutes" label="Minutes" min={1} />
      </Form>
    </Dialog>
  )
}

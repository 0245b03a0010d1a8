import { announcements, type Announcement } from '@flotilla/contract/site/announcement'
import { dashboard } from '@flotilla/contract/clusters/dashboard'
import { ui } from '@flotilla/contract/site/ui'
import { useState } from 'react'
import { sendForm } from '../../account/send-form'
import { useApiMutation } from '../../api/query'
import { DateTimeField } from '../../forms/fields/date-time-field'
import { TextareaField } from '../../forms/fields/fields'
import { Form, SubmitButton } from '../../forms/form'
import { useZodForm } from '../../forms/use-zod-form'
import { Button } from '../../ui/button/button'
import { Dialog } from '../../ui/overlay/dialog'

const DAY_MS = 24 * 60 * 60_000
const invalidates = [announcements.view, dashboard.view, ui.settings]

interface Props {
  current: Announcement | null
  onClose: () => void
}

export function AnnouncementDialog({ current, onClose }: Props) {
  const [defaults] = useState(() => ({
    text: current?.text ?? '',
    endsAt: current?.endsAt ?? Date.now() + DAY_MS,
  }))
  const form = useZodForm(announcements.set.body, { defaults })
  const post = useApiMutation(announcements.set, { success: 'Announcement posted', invalidates })
  const remove = useApiMutation(announcements.remove, { success: 'Announcement removed', invalidates })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Announcement"
      description="Everyone sees it at the top of every page until it ends, including guests on the login page."
    >
      <Form form={form} onSubmit={(body) => sendForm(form, post.mutateAsync({ body }).then(onClose))}>
        <TextareaField form={form} name="text" label="Text" rows={3} />
        <DateTimeField form={form} name="endsAt" label="Ends" />
        <div className="flex flex-wrap justify-end gap-2">
          {current && (
            <Button onClick={() => void remove.mutateAsync({}).then(onClose)} busy={remove.isPending}>
              Remove
            </Button>
          )}
          <SubmitButton form={form}>{current ? 'Replace' : 'Post'}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

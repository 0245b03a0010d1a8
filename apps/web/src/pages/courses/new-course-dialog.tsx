import { courses } from '@flotilla/contract/courses/courses'
import { CourseInput } from '@flotilla/contract/courses/entity'
import { useId } from 'react'
import * as z from 'zod/mini'
import { sendForm } from '../../account/send-form'
import { useApiMutation } from '../../api/query'
import { TextField, TextareaField } from '../../forms/fields/fields'
import { Form, SubmitButton } from '../../forms/form'
import { useZodForm } from '../../forms/use-zod-form'
import { paths, useGo } from '../../paths'
import { Button } from '../../ui/button/button'
import { Dialog } from '../../ui/overlay/dialog'

const Fields = z.pick(CourseInput, { name: true, description: true })

export function NewCourseDialog({ onClose }: { onClose: () => void }) {
  const formId = useId()
  const go = useGo()
  const form = useZodForm(Fields, { defaults: { name: '', description: '' } })
  const create = useApiMutation(courses.create, {
    invalidates: [courses.list],
    onSuccess: ({ id }) => go(paths.course(id)),
  })
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title="New course"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            Create course
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={(values) => sendForm(form, create.mutateAsync({ body: values }))}
      >
        <TextField form={form} name="name" label="Name" autoComplete="off" />
        <TextareaField form={form} name="description" label="Description" optional rows={3} />
      </Form>
    </Dialog>
  )
}

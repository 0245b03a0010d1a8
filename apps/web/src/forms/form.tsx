import { useFormState } from 'react-hook-form'
import type { FieldValues } from 'react-hook-form'
import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../ui/button/button'
import { Callout } from '../ui/feedback/callout'
import { cx } from '../ui/text/cx'
import type { ZodForm } from './use-zod-form'

interface FormProps<Input extends FieldValues, Output> {
  form: ZodForm<Input, Output>
  /** Called with the parsed values; the button is busy until it resolves. */
  onSubmit: (values: Output) => unknown
  /** For a submit button outside the form, such as a dialog's footer. */
  id?: string
  className?: string
  children: ReactNode
}

export function Form<Input extends FieldValues, Output>({
  form,
  onSubmit,
  id,
  className,
  children,
}: FormProps<Input, Output>) {
  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) => {
        // A form inside a dialog must not also submit the surrounding form.
        event.stopPropagation()
        void form.handleSubmit((values) => onSubmit(values))(event)
      }}
      className={cx('flex flex-col gap-4', className)}
    >
      <FormMessage form={form} />
      {children}
    </form>
  )
}

/** Server errors that belong to no field. */
export function FormMessage<Input extends FieldValues, Output>({ form }: { form: ZodForm<Input, Output> }) {
  const { errors } = useFormState({ control: form.control })
  const message = errors.root?.['server']?.message ?? errors.root?.message
  if (!message) return null
  return (
    <Callout tone="red" alert>
      <p className="whitespace-pre-line">{message}</p>
    </Callout>
  )
}

interface SubmitButtonProps<Input extends FieldValues, Output> extends Omit<
  ComponentProps<typeof Button>,
  'form' | 'type'
> {
  form: ZodForm<Input, Output>
  /** Disables the button until the form is valid; otherwise, clicking it shows the errors. */
  requireValid?: boolean
  /** The ID of the <Form> when the button is outside it, such as in a dialog's footer. */
  formId?: string
}

export function SubmitButton<Input extends FieldValues, Output>(props: SubmitButtonProps<Input, Output>) {
  const { form, requireValid = false, formId, busy = false, disabled = false, ...rest } = props
  const { isValid, isSubmitting } = useFormState({ control: form.control })
  return (
    <Button
      variant="primary"
      {...rest}
      type="submit"
      form={formId}
      busy={isSubmitting || busy}
      disabled={disabled || (requireValid && !isValid)}
    />
  )
}

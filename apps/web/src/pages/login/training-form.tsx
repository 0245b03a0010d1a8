import { Email } from '@flotilla/contract/email'
import * as z from 'zod/mini'
import { GuestField } from '../../guest/guest-field'
import { bySchema } from '../../guest/by-schema'
import { useFields } from '../../guest/use-fields'
import { useSearchParam } from '../../paths'
import { Button } from '../../ui/button/button'

const required = (text: string) => z.string().check(z.trim(), z.minLength(1, text))
const TrainingLogin = z.object({
  fullName: required('Enter your full name'),
  email: Email,
  sessionCode: required('Enter the session code'),
})

export default function TrainingForm({ intro }: { intro?: string }) {
  const form = useFields(bySchema(TrainingLogin), {
    fullName: '',
    email: '',
    sessionCode: useSearchParam('code') ?? '',
  })
  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => event.preventDefault()}>
      {intro && <p className="text-body text-ink-2">{intro}</p>}
      <GuestField label="Full Name" field={form.field('fullName')} autoComplete="name" />
      <GuestField label="Email" type="email" field={form.field('email')} autoComplete="email" />
      <GuestField
        label="Workshop Session Code"
        field={form.field('sessionCode')}
        mono
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Button
        type="submit"
        variant="primary"
        size="l"
        className="mt-1"
        disabledReason="Workshops are not available on this site yet"
      >
        Login to Workshop Session
      </Button>
    </form>
  )
}

import { twoStepRuleFor, type TwoStepSettings } from '@flotilla/contract/site/two-step'
import { useState } from 'react'
import { Field } from '../../../ui/form/field'
import { Input } from '../../../ui/form/input'

/** Shows which rule applies to an email address, because the effect of several rules is easily misread. */
export function CheckAddress({ rules }: { rules: readonly TwoStepSettings[] }) {
  const [email, setEmail] = useState('')
  const isAddress = /^[^@\s]+@[^@\s]+$/.test(email)
  const rule = isAddress ? twoStepRuleFor(rules, email) : undefined
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
      <Field label="Check an address" className="w-72 max-w-full">
        {(aria) => (
          <Input
            {...aria}
            type="email"
            placeholder="ada@example.org"
            autoComplete="off"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
      <p role="status" className="min-h-8 py-1.5 text-body text-ink-2">
        {isAddress && (rule ? `Must enter a code (rule “${rule.name}”).` : 'Logs in without a code.')}
      </p>
    </div>
  )
}

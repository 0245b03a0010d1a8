import { credentials, type Credential } from '@flotilla/contract/clouds/credentials'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { PlugZap } from 'lucide-react'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { toApiError } from '@flotilla/client/api-error'
import { useApiMutation } from '../../../api/query'
import { applyFieldErrors } from '../../../forms/field-errors'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Field } from '../../../ui/form/field'
import { Select } from '../../../ui/form/input'
import { dataOf, type CredentialForm } from '../credential-values'
import { TestResult } from './test-result'

interface Props {
  form: CredentialForm
  provider: Provider
  stored: Credential | null
  region: string
  onRegion: (region: string) => void
  /** The subject of the last completed test, or null if there was none. */
  tested: string | null
  onTested: (what: string | null) => void
}

/** Identifies what a test was run with, to detect that its result is outdated. */
export const subjectOf = (values: unknown, region: string): string => JSON.stringify([values, region])

/** Scrolls the result into view, because the button above it may be at the bottom of the screen. */
const intoView = (answer: HTMLElement | null) => answer?.scrollIntoView({ block: 'nearest' })

/** Tests the values in the form before they are saved. */
export function TestPanel({ form, provider, stored, region, onRegion, tested, onTested }: Props) {
  const [failed, setFailed] = useState<string | null>(null)
  const test = useApiMutation(credentials.test, { admin: true })
  const now = subjectOf(useWatch({ control: form.control, name: ['data', 'removed'] }), region)

  const run = async () => {
    onTested(null)
    setFailed(null)
    if (!(await form.trigger('data'))) return
    const subject = subjectOf(form.getValues(['data', 'removed']), region)
    const data = dataOf(form.getValues(), provider.authentications)
    try {
      await test.mutateAsync({
        body: {
          ...(stored ? { id: stored.id } : { provider: provider.id }),
          data,
          ...(region && { region }),
        },
      })
      onTested(subject)
    } catch (error) {
      const { fields, message } = toApiError(error)
      if (Object.keys(fields).length > 0) applyFieldErrors(form, fields, message)
      else setFailed(message)
    }
  }

  return (
    <section aria-label="Test" className="flex flex-col gap-3 border-t border-line-1 pt-4">
      <div className="flex flex-wrap items-end gap-3">
        {provider.regions.length > 0 && (
          <Field label="Region to test in" className="min-w-48 flex-1">
            {(aria) => (
              <Select {...aria} value={region} onChange={({ target }) => onRegion(target.value)}>
                {provider.regions.map(({ name, region_id }) => (
                  <option key={region_id} value={region_id}>
                    {name === region_id ? name : `${name} (${region_id})`}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <Button icon={PlugZap} busy={test.isPending} onClick={() => void run()}>
          Test
        </Button>
      </div>
      {failed !== null && (
        <div ref={intoView} className="scroll-mb-5">
          <Callout tone="red" title={failed} alert />
        </div>
      )}
      {failed === null && tested === now && test.data && (
        <div ref={intoView} className="scroll-mb-5">
          <TestResult result={test.data} />
        </div>
      )}
      {failed === null && tested !== null && tested !== now && (
        <p className="text-body text-ink-3">The values have changed since the test.</p>
      )}
      {failed === null && tested === null && !test.isPending && (
        <p className="text-body text-ink-3">
          Saving only checks that nothing is missing. The test asks {provider.name} which account this is and
          which permissions are missing.
        </p>
      )}
    </section>
  )
}

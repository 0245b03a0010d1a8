import { settings, type SiteConfig } from '@flotilla/contract/site/settings'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { useApiQuery } from '../../../api/query'
import { CheckboxField, NumberField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { TagsField } from '../../../forms/fields/tags-field'
import { useZodForm } from '../../../forms/use-zod-form'
import { Async } from '../../../ui/feedback/async'
import { Card } from '../../../ui/layout/card'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { lockOf } from '../set-by'
import { useSaveConfig } from '../use-save-config'

const MINUTES_MAX = 7 * 24 * 60
const MINUTES = `Enter a number of minutes from 0 to ${MINUTES_MAX}`
const RegistrationFields = z.object({
  register: z.boolean(),
  allowedEmailDomains: z.array(z.string()),
  /** Minutes in the form, seconds in config.json. */
  idleTimer: z.number(MINUTES).check(z.minimum(0, MINUTES), z.maximum(MINUTES_MAX, MINUTES)),
})

/** Settings for registration and for the idle timeout of sessions. */
export function RegistrationForm() {
  const config = useApiQuery(settings.config, {})
  return (
    <Card title="Registration and sessions">
      <Async data={config} skeleton={<SkeletonText lines={6} />}>
        {(current) => <Fields config={current} />}
      </Async>
    </Card>
  )
}

function Fields({ config }: { config: SiteConfig }) {
  const { register, allowedEmailDomains, idleTimer } = config.values
  const values = { register, allowedEmailDomains: allowedEmailDomains ?? [], idleTimer: idleTimer / 60 }
  const form = useZodForm(RegistrationFields, { defaults: values, values })
  const { save } = useSaveConfig('Saved')
  const lock = (path: string, hint: string) => lockOf(config, path, hint)
  const domains = lock(
    'allowedEmailDomains',
    'Only addresses in these domains can register. List subdomains separately. Leave empty to allow any address. Existing accounts and accounts that admins create are not affected.',
  )
  return (
    <Form
      form={form}
      onSubmit={(given) =>
        sendForm(
          form,
          save({
            register: given.register,
            idleTimer: Math.round(given.idleTimer * 60),
            // An empty list means any domain, because the switch already turns registration off.
            ...(!domains.disabled && {
              allowedEmailDomains: given.allowedEmailDomains.length > 0 ? given.allowedEmailDomains : null,
            }),
          }),
        )
      }
    >
      <CheckboxField
        form={form}
        name="register"
        label="People can create their own accounts"
        {...lock('register', 'When off, only admins create accounts, and LDAP users log in as before.')}
      />
      {domains.disabled ? (
        <div className="text-body">
          <p className="font-medium">Allowed email domains</p>
          <p>{allowedEmailDomains === null ? 'Any' : allowedEmailDomains.join(', ') || 'None'}</p>
          <p className="text-label text-ink-3">{domains.hint}</p>
        </div>
      ) : (
        <TagsField
          form={form}
          name="allowedEmailDomains"
          label="Allowed email domains"
          optional
          noun="domain"
          placeholder="example.org"
          hint={domains.hint}
        />
      )}
      <NumberField
        form={form}
        name="idleTimer"
        label="Idle timer (minutes)"
        min={0}
        max={MINUTES_MAX}
        step="any"
        className="max-w-60"
        {...lock(
          'idleTimer',
          'People are logged out after this long without activity. Enter 0 to turn it off.',
        )}
      />
      <SubmitButton form={form} className="self-start">
        Save
      </SubmitButton>
    </Form>
  )
}

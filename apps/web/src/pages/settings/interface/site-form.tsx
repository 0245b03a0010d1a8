import type { SiteConfig } from '@flotilla/contract/site/settings'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { useConfig } from '../../../api/config'
import { CheckboxField, NumberField, TextField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { Card } from '../../../ui/layout/card'
import { lockOf } from '../set-by'
import { useSaveConfig } from '../use-save-config'

const INTERVAL = 'Enter a number from 1 to 600'
const SiteFields = z.object({
  server: z.pipe(
    z.string(),
    z.transform((text) => (text.trim() === '' ? null : text.trim())),
  ),
  /** Seconds in the form, milliseconds in config.json. */
  updateInterval: z.number(INTERVAL).check(z.minimum(1, INTERVAL), z.maximum(600, INTERVAL)),
  features: z.object({ workshops: z.boolean(), marketplace: z.boolean(), ldap: z.boolean() }),
})

/** The site's address, update interval and enabled features. */
export function SiteForm({ config }: { config: SiteConfig }) {
  const { server: inUse } = useConfig()
  const { server, updateInterval, features } = config.values
  const values = { server: server ?? '', updateInterval: updateInterval / 1000, features }
  const form = useZodForm(SiteFields, { defaults: values, values })
  const { save } = useSaveConfig('Site settings saved')
  const lock = (path: string, hint: string) => lockOf(config, path, hint)
  return (
    <Card title="Address and features">
      <Form
        form={form}
        onSubmit={(given) =>
          sendForm(form, save({ ...given, updateInterval: Math.round(given.updateInterval * 1000) }))
        }
        className="max-w-[560px]"
      >
        <TextField
          form={form}
          name="server"
          label="Public address"
          optional
          placeholder={inUse}
          {...lock('server', 'Used for links in emails, such as https://hpc.example.org.')}
        />
        <NumberField
          form={form}
          name="updateInterval"
          label="Update interval (seconds)"
          min={1}
          max={600}
          {...lock('updateInterval', 'How often pages refresh while live updates are not available.')}
        />
        <CheckboxField
          form={form}
          name="features.workshops"
          label="Workshops"
          {...lock('features.workshops', 'The workshop menu item and login.')}
        />
        <CheckboxField
          form={form}
          name="features.marketplace"
          label="Marketplace"
          {...lock('features.marketplace', 'The catalog of prebuilt clusters in the Cluster Manager.')}
        />
        <CheckboxField
          form={form}
          name="features.ldap"
          label="LDAP login"
          {...lock('features.ldap', 'When off, no one can log in with a directory account.')}
        />
        <SubmitButton form={form} className="self-start">
          Save
        </SubmitButton>
      </Form>
    </Card>
  )
}

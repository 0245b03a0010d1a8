import { settings, type SiteConfig } from '@flotilla/contract/site/settings'
import { useState } from 'react'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { TextField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { Card } from '../../../ui/layout/card'
import { lockOf } from '../set-by'
import { useSaveConfig } from '../use-save-config'
import { BrandingFields, brandingFieldsOf } from './branding-fields'
import { BrandingPreview } from './branding-preview'
import { ColorField } from './color-field'
import { LogoField, type ChosenLogo } from './logo-field'

/** The site's name, logo, colors and links, with a preview of unsaved changes. */
export function BrandingForm({ config }: { config: SiteConfig }) {
  const values = brandingFieldsOf(config.values)
  const form = useZodForm(BrandingFields, { defaults: values, values })
  const { save } = useSaveConfig('Branding saved')
  const upload = useApiMutation(settings.setLogo)
  const remove = useApiMutation(settings.removeLogo)
  const [logo, setLogo] = useState<ChosenLogo>('keep')
  const [logoError, setLogoError] = useState<string | null>(null)

  const saveLogo = async (): Promise<boolean> => {
    try {
      if (logo === 'remove') await remove.mutateAsync({})
      else if (logo !== 'keep') await upload.mutateAsync({ bytes: logo.bytes })
      return true
    } catch (error) {
      setLogoError(error instanceof Error ? error.message : 'The logo was not saved')
      return false
    }
  }
  const shown = form.watch()
  const lock = (path: string, hint?: string) => lockOf(config, path, hint)
  return (
    <Card
      title="Branding"
      description="What everyone sees in the navigation, on the login page and in the browser’s tab. The preview shows your changes before you save them."
    >
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Form
          form={form}
          onSubmit={async (body) => {
            setLogoError(null)
            if (!(await saveLogo())) return
            await sendForm(
              form,
              save(body).then((saved) => {
                form.reset(brandingFieldsOf(saved.values), { keepDirtyValues: false })
                setLogo('keep')
              }),
            )
          }}
        >
          <TextField form={form} name="branding.name" label="Name" {...lock('branding.name')} />
          <LogoField
            current={config.values.branding.logo}
            chosen={logo}
            onChoose={(next) => {
              setLogoError(null)
              setLogo(next)
            }}
            error={logoError ?? undefined}
            {...lock('branding.logo')}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <ColorField
              form={form}
              name="branding.accent"
              label="Accent color"
              {...lock('branding.accent', 'Adjusted automatically if its contrast is too low.')}
            />
            <ColorField
              form={form}
              name="branding.accentDark"
              label="Accent color, dark theme"
              {...lock('branding.accentDark', 'Leave empty to use the accent color.')}
            />
          </div>
          <TextField
            form={form}
            name="trainingMenuTitle"
            label="Training menu title"
            {...lock('trainingMenuTitle', 'The name of the workshop menu item and login tab.')}
          />
          <TextField
            form={form}
            name="branding.copyright"
            label="Copyright"
            {...lock('branding.copyright')}
          />
          <TextField
            form={form}
            name="branding.contactLink"
            label="Contact link"
            {...lock('branding.contactLink', 'Begins with https://, mailto: or /.')}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              form={form}
              name="branding.freeTrialLink"
              label="Free trial link"
              optional
              {...lock('branding.freeTrialLink', 'Below the login form.')}
            />
            <TextField
              form={form}
              name="branding.quickStartLink"
              label="Quick start link"
              optional
              {...lock('branding.quickStartLink', 'Shown if there is no free trial link.')}
            />
          </div>
          <SubmitButton form={form} className="self-start">
            Save branding
          </SubmitButton>
        </Form>
        <BrandingPreview
          branding={shown.branding}
          logo={logo === 'keep' ? config.values.branding.logo : logo === 'remove' ? null : logo.url}
          trainingMenuTitle={shown.trainingMenuTitle}
        />
      </div>
    </Card>
  )
}

import { INTRO_MAX } from '@flotilla/contract/limits'
import type { SiteConfig } from '@flotilla/contract/site/settings'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { TextareaField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { IntroText } from '../../../guest/intro'
import { sanitizeHtml } from '../../../guest/sanitize-html'
import { Button } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { lockOf } from '../set-by'
import { useSaveConfig } from '../use-save-config'

const IntroFields = z.object({
  introHtml: z.string().check(z.maxLength(INTRO_MAX, `Enter at most ${INTRO_MAX} characters`)),
})

/** Edits the text beside the login form and on the welcome page. */
export function IntroForm({ config }: { config: SiteConfig }) {
  const values = { introHtml: config.introHtml }
  const form = useZodForm(IntroFields, { defaults: values, values })
  const { save } = useSaveConfig('Text saved')
  const showSaved = ({ introHtml }: SiteConfig) => form.reset({ introHtml }, { keepDirtyValues: false })
  const lock = lockOf(
    config,
    'introHtml',
    'HTML. Text, headings, lists, links and pictures are kept; scripts and styles are removed.',
  )
  return (
    <Card title="Login page text" description="Shown beside the login form and on the welcome page.">
      <div className="grid gap-6 lg:grid-cols-2">
        <Form form={form} onSubmit={(body) => sendForm(form, save(body).then(showSaved))}>
          <TextareaField
            form={form}
            name="introHtml"
            label="Text"
            mono
            rows={12}
            spellCheck={false}
            {...lock}
          />
          <div className="flex flex-wrap gap-2">
            <SubmitButton form={form} disabled={lock.disabled}>
              Save text
            </SubmitButton>
            <Button
              disabled={lock.disabled}
              onClick={() => void sendForm(form, save({ introHtml: null }).then(showSaved))}
            >
              Use the built-in text
            </Button>
          </div>
        </Form>
        <section
          aria-label="Preview of the text"
          className="max-h-[420px] self-start overflow-auto rounded-card border border-line-1 bg-surface-1 p-4"
        >
          <IntroText>{sanitizeHtml(form.watch('introHtml'))}</IntroText>
        </section>
      </div>
    </Card>
  )
}

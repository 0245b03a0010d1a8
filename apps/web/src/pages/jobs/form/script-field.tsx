import { scriptNotes } from '@flotilla/contract/jobs/directives'
import { JOB_DEFAULTS, scriptProblem } from '@flotilla/contract/jobs/jobs'
import { FileUp, LayoutTemplate } from 'lucide-react'
import { useController, useWatch } from 'react-hook-form'
import { CodeEditor } from '../../../editor/code-editor'
import { languageOf } from '../../../editor/language'
import { FileButton } from '../../../forms/file-button'
import { Button } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { FieldError } from '../../../ui/form/field'
import { Menu } from '../../../ui/overlay/menu'
import { templates, type Template } from '../../../submit/templates'
import type { JobFormState } from './job-form'
import { ScriptNotes } from './script-notes'

interface Props {
  form: JobFormState
  onTemplate: (template: Template) => void
  onSave: () => void
}

export function ScriptField({ form, onTemplate, onSave }: Props) {
  const { field, fieldState } = useController({ control: form.control, name: 'data.script' })
  const script = field.value
  // The script is validated while the user types, but not when the page opens.
  const problem =
    (fieldState.isDirty || fieldState.isTouched ? scriptProblem(script) : null) ?? fieldState.error?.message
  const open = async (file: File | undefined) => {
    if (file) form.setValue('data.script', await file.text(), { shouldDirty: true, shouldTouch: true })
  }
  return (
    <Card
      title="Script"
      actions={
        <div className="-my-1.5 flex flex-wrap gap-1">
          <FileButton
            variant="ghost"
            icon={FileUp}
            inputLabel="Script file"
            onFiles={([file]) => void open(file)}
          >
            Open file
          </FileButton>
          <Menu
            label="Start from a template"
            trigger={
              <Button variant="ghost" icon={LayoutTemplate}>
                Start from a template
              </Button>
            }
            items={templates.map((template) => ({
              label: template.label,
              onSelect: () => onTemplate(template),
            }))}
          />
        </div>
      }
    >
      <CodeEditor
        label="Script"
        value={script}
        onChange={field.onChange}
        onBlur={field.onBlur}
        onSave={onSave}
        language={languageOf('', script) ?? 'shell'}
        problem={problem}
        className="h-[max(16rem,calc(100dvh-30rem))]"
      />
      <div className="mt-1.5 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        {problem ? <FieldError id="script-problem">{problem}</FieldError> : <About script={script} />}
        {script.includes('\r\n') && (
          <Button
            onClick={() =>
              form.setValue('data.script', script.replaceAll('\r\n', '\n'), {
                shouldDirty: true,
                shouldValidate: true,
              })
            }
          >
            Convert line endings
          </Button>
        )}
        <p className="ml-auto text-label text-ink-3 max-sm:hidden">Press Esc, then Tab to leave the editor</p>
      </div>
      <Directives form={form} script={script} />
    </Card>
  )
}

/** The script's directives that the form overrides, shown while the user types and before a cluster is chosen. */
function Directives({ form, script }: { form: JobFormState; script: string }) {
  const [name, data] = useWatch({ control: form.control, name: ['name', 'data'] })
  const notes = scriptNotes({ name, data: { ...JOB_DEFAULTS, array: '', ...data } }, script)
  return <ScriptNotes label="Directives in the script" notes={notes} />
}

function About({ script }: { script: string }) {
  const interpreter = /^#!\s*(.+)/.exec(script)?.[1]?.trim()
  const lines = script.replace(/\n$/, '').split('\n').length
  return (
    <p className="text-label text-ink-3">
      {lines} {lines === 1 ? 'line' : 'lines'} ·{' '}
      {interpreter ? (
        <>
          runs with <code className="font-mono">{interpreter}</code>
        </>
      ) : (
        <>
          no #! line, runs with <code className="font-mono">/bin/bash</code>
        </>
      )}
    </p>
  )
}

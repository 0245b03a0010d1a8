import { scriptProblem } from '@flotilla/contract/jobs/jobs'
import { stacks } from '@flotilla/contract/stacks/stacks'
import { FilePen, FileUp, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { send } from '../../../api/call'
import { showError } from '../../../api/errors'
import { CodeEditor } from '../../../editor/code-editor'
import { FileButton } from '../../../forms/file-button'
import { Button, IconButton } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { FieldError } from '../../../ui/form/field'
import { sizeText } from '../../../ui/text/size-text'
import type { DataField, DataFiles, Script, ScriptField, StackFiles } from './stack-files'

interface Props {
  title: string
  description: string
  /** Null for an unsaved stack. */
  stackId: string | null
  script: ScriptField
  data: DataField
  files: StackFiles
  problems: Readonly<Record<string, string>>
  onChange: (change: Partial<StackFiles>) => void
}

/** The script of one role and its data files. */
export function FilesCard(props: Props) {
  const { title, description, stackId, script, data, files, problems, onChange } = props
  return (
    <Card title={title} description={description}>
      <div className="flex flex-col gap-4">
        <ScriptPart
          label={`${title} script`}
          stackId={stackId}
          field={script}
          script={files[script]}
          problem={problems[script]}
          onChange={(next) => onChange({ [script]: next })}
        />
        <DataPart
          label={title}
          files={files[data]}
          problem={problems[data]}
          onChange={(next) => onChange({ [data]: next })}
        />
      </div>
    </Card>
  )
}

interface ScriptProps {
  label: string
  stackId: string | null
  field: ScriptField
  script: Script
  problem: string | undefined
  onChange: (script: Script) => void
}

const newScript = '#!/bin/sh\nset -e\n'

function ScriptPart({ label, stackId, field, script, problem, onChange }: ScriptProps) {
  const { stored, typed } = script
  const open = async (file: File | undefined) => {
    if (file) onChange({ ...script, typed: { name: file.name, text: await file.text() } })
  }
  const edit = async () => {
    if (!stackId || !stored) return
    const response = await send(stacks.file, { id: stackId, field, name: stored.name }, {})
    onChange({ ...script, typed: { name: stored.name, text: await response.text() } })
  }
  const wrong = problem ?? (typed && typed.text.trim() !== '' ? scriptProblem(typed.text) : null)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1">
        <p className="mr-auto text-body">
          {typed ? (
            <span className="font-mono text-label">{typed.name}</span>
          ) : stored ? (
            <>
              <span className="font-mono text-label">{stored.name}</span>{' '}
              <span className="text-label text-ink-3">{sizeText(stored.size)}</span>
            </>
          ) : (
            <span className="text-ink-2">No script</span>
          )}
        </p>
        {stored && !typed && (
          <Button variant="ghost" icon={FilePen} onClick={() => void edit().catch(showError)}>
            Edit
          </Button>
        )}
        {!stored && !typed && (
          <Button
            variant="ghost"
            icon={FilePen}
            onClick={() => onChange({ ...script, typed: { name: `${field}.sh`, text: newScript } })}
          >
            Write script
          </Button>
        )}
        <FileButton
          variant="ghost"
          icon={FileUp}
          inputLabel={`${label} file`}
          onFiles={([file]) => void open(file)}
        >
          Choose a file
        </FileButton>
        {(stored || typed) && (
          <Button variant="ghost" icon={X} onClick={() => onChange({ stored: null, typed: null })}>
            Remove script
          </Button>
        )}
      </div>
      {typed && (
        <CodeEditor
          label={label}
          value={typed.text}
          onChange={(text) => onChange({ ...script, typed: { ...typed, text } })}
          language="shell"
          problem={wrong ?? undefined}
          className="h-64"
        />
      )}
      {wrong && <FieldError id={`${field}-problem`}>{wrong}</FieldError>}
    </div>
  )
}

interface DataProps {
  label: string
  files: DataFiles
  problem: string | undefined
  onChange: (files: DataFiles) => void
}

function DataPart({ label, files, problem, onChange }: DataProps) {
  const { stored, added } = files
  const [refused, setRefused] = useState<string | null>(null)
  const wrong = refused ?? problem
  const add = (chosen: File[]) => {
    const existing = new Set([...stored, ...added].map(({ name }) => name))
    const twice = chosen.filter(({ name }) => existing.has(name)).map(({ name }) => name)
    setRefused(twice.length > 0 ? `${twice.join(', ')} already exists. Remove it first` : null)
    onChange({ stored, added: [...added, ...chosen.filter(({ name }) => !existing.has(name))] })
  }
  const rows = [
    ...stored.map(({ name, size }) => ({
      name,
      size,
      isNew: false,
      remove: () => onChange({ added, stored: stored.filter((file) => file.name !== name) }),
    })),
    ...added.map(({ name, size }) => ({
      name,
      size,
      isNew: true,
      remove: () => onChange({ stored, added: added.filter((file) => file.name !== name) }),
    })),
  ]
  return (
    <div className="flex flex-col gap-1 border-t border-line-1 pt-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-body text-ink-2">
          Data files are in the script’s working folder while it runs, and are removed from the image
          afterward.
        </p>
        <FileButton icon={Plus} inputLabel={`Data files of ${label}`} multiple onFiles={add}>
          Add data files
        </FileButton>
      </div>
      {rows.length > 0 && (
        <ul aria-label={`Data files of ${label}`} className="flex flex-col">
          {rows.map(({ name, size, isNew, remove }) => (
            <li key={`${isNew} ${name}`} className="flex min-h-8 items-center gap-3">
              <span className="min-w-0 flex-1 truncate font-mono text-label">{name}</span>
              <span className="text-label text-ink-3">
                {sizeText(size)}
                {isNew && ', new'}
              </span>
              <IconButton
                label={`Remove ${name}`}
                icon={X}
                onClick={() => {
                  setRefused(null)
                  remove()
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {wrong && (
        <div role="alert">
          <FieldError id={`${label}-data-problem`}>{wrong}</FieldError>
        </div>
      )}
    </div>
  )
}

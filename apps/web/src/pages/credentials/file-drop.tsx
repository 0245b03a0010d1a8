import type { ProviderId } from '@flotilla/contract/site/config'
import { FileKey } from 'lucide-react'
import { useState } from 'react'
import { FileButton } from '../../forms/file-button'
import { useFileDrop } from '../../forms/use-file-drop'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { cx } from '../../ui/text/cx'
import { Field } from '../../ui/form/field'
import { Textarea } from '../../ui/form/input'
import { notesOn, parseFiles } from './parse/files'
import type { Found, Parsed } from './parse/found'

/** Maximum file size in bytes. No credential file is this large. */
const LARGEST = 100_000

interface Props {
  /** The only provider to accept, for a stored credential, which keeps its provider; null accepts all. */
  only: ProviderId | null
  nameOf: (provider: ProviderId) => string
  onFound: (found: Found) => void
}

/** Reads the clouds' credential files in the browser and fills in the form. */
export function FileDrop({ only, nameOf, onFound }: Props) {
  const [text, setText] = useState('')
  const [parsed, setParsed] = useState<Parsed | null>(null)
  const [used, setUsed] = useState<Found | null>(null)

  const take = (found: Found) => {
    setUsed(found)
    setParsed(null)
    onFound(found)
  }
  const read = (texts: readonly string[]) => {
    const result = parseFiles(texts)
    const accepted = result.found.filter(({ provider }) => only === null || provider === only)
    const otherProviders = result.found.length - accepted.length
    const problems = [
      ...result.problems,
      ...(otherProviders > 0 && accepted.length === 0
        ? [`This file is for ${nameOf(result.found[0]?.provider ?? 'aws')}. Create a new credential for it.`]
        : []),
    ]
    setUsed(null)
    setParsed({ found: accepted, problems })
    const [first] = accepted
    if (first && accepted.length === 1) take(first)
    return accepted.length > 0
  }
  const readFiles = async (files: readonly File[]) => {
    if (files.length === 0) return
    const tooLarge = files.find(({ size }) => size > LARGEST)
    if (tooLarge)
      setParsed({ found: [], problems: [`${tooLarge.name} is too large to be a credential file.`] })
    else read(await Promise.all(files.map((file) => file.text())))
  }
  const { over, listeners } = useFileDrop((files) => void readFiles(files))

  return (
    <div
      {...listeners}
      className={cx(
        'flex flex-col gap-3 rounded-card border border-dashed p-3 transition-colors',
        over ? 'border-accent bg-accent-soft' : 'border-line-2 bg-surface-1',
      )}
    >
      <Field
        label="Credential file"
        optional
        hint="Drop, paste or choose the cloud’s own file. It is read in your browser. Only the values in the form are sent."
      >
        {(aria) => (
          <div className="flex flex-wrap items-start gap-2">
            <div className="min-w-48 flex-1">
              <Textarea
                {...aria}
                mono
                rows={2}
                value={text}
                spellCheck={false}
                autoComplete="off"
                placeholder="Paste it here"
                onChange={({ target: { value } }) => {
                  // The parsed text, which may hold secrets, is in the form now, so it is cleared here.
                  if (value.trim() === '') setParsed(null)
                  setText(value.trim() !== '' && read([value]) ? '' : value)
                }}
              />
            </div>
            <FileButton icon={FileKey} multiple onFiles={(files) => void readFiles(files)}>
              Choose files
            </FileButton>
          </div>
        )}
      </Field>
      {parsed?.problems.map((problem) => (
        <Callout key={problem} tone="amber" alert>
          {problem}
        </Callout>
      ))}
      {parsed && parsed.found.length > 1 && <Choice found={parsed.found} nameOf={nameOf} onChoose={take} />}
      {used && <Used found={used} nameOf={nameOf} />}
    </div>
  )
}

interface ChoiceProps {
  found: readonly Found[]
  nameOf: Props['nameOf']
  onChoose: (found: Found) => void
}

function Choice({ found, nameOf, onChoose }: ChoiceProps) {
  return (
    <div role="group" aria-label="Credentials found" className="flex flex-col gap-2">
      <p className="text-body font-medium">Several credentials found. Choose one:</p>
      <div className="flex flex-wrap gap-2">
        {found.map((one) => (
          <Button key={`${one.provider} ${one.label}`} onClick={() => onChoose(one)}>
            {one.label ?? nameOf(one.provider)}
          </Button>
        ))}
      </div>
    </div>
  )
}

function Used({ found, nameOf }: { found: Found; nameOf: Props['nameOf'] }) {
  const notes = notesOn(found)
  const from = found.label === null ? '' : ` (${found.label})`
  return (
    <div role="status">
      <Callout
        tone={notes.length > 0 ? 'amber' : 'green'}
        title={`Filled in for ${nameOf(found.provider)}${from}`}
      >
        {notes.length > 0 && (
          <ul className="flex flex-col gap-1">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
      </Callout>
    </div>
  )
}

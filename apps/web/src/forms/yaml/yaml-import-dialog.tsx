import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { useFileDrop } from '../use-file-drop'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { cx } from '../../ui/text/cx'
import { Dialog } from '../../ui/overlay/dialog'
import { Field } from '../../ui/form/field'
import { Textarea } from '../../ui/form/input'
import type { Problem, ReadFile } from './yaml-file'

interface Props<Values> {
  /** The noun for the file's content, such as 'cluster'. */
  noun: string
  title: string
  /** The beginning of such a file. */
  example: string
  parse: (text: string) => ReadFile<Values>
  onRead: (values: Values) => void
  onClose: () => void
}

const LARGEST = 200_000

/** Reads something from pasted text or a file. Nothing is saved yet. */
export function YamlImportDialog<Values>({ noun, title, example, parse, onRead, onClose }: Props<Values>) {
  const file = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const read = (from: string) => {
    const found = parse(from)
    if ('values' in found) onRead(found.values)
    else setProblems(found.problems)
  }
  const take = async (chosen: File | undefined) => {
    if (!chosen) return
    if (chosen.size > LARGEST)
      return setProblems([{ line: null, text: `${chosen.name} is too large to be a ${noun}` }])
    const content = await chosen.text()
    setText(content)
    read(content)
  }
  const { over, listeners } = useFileDrop(([chosen]) => void take(chosen))
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={title}
      description="Opens the form with the values from the file. Missing fields get their defaults."
      footer={
        <>
          <Button icon={FileUp} onClick={() => file.current?.click()} className="mr-auto">
            Choose a file
          </Button>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="primary"
            disabledReason={text.trim() ? null : 'Paste or choose a file first'}
            onClick={() => read(text)}
          >
            Open in form
          </Button>
        </>
      }
    >
      <div
        {...listeners}
        className={cx(
          'flex flex-col gap-3 rounded-control',
          over && 'outline-2 outline-offset-2 outline-accent',
        )}
      >
        {problems.length > 0 && (
          <Callout tone="red" alert title="This file has errors">
            <ul className="flex max-h-40 flex-col gap-0.5 overflow-y-auto">
              {problems.map((problem) => (
                <li key={`${problem.line} ${problem.text}`}>
                  {problem.line !== null && <strong className="font-medium">Line {problem.line}: </strong>}
                  {problem.text}
                </li>
              ))}
            </ul>
          </Callout>
        )}
        <Field label="YAML" hint="You can also drop a file here.">
          {(aria) => (
            <Textarea
              {...aria}
              mono
              rows={14}
              spellCheck={false}
              value={text}
              placeholder={example}
              onChange={({ target }) => {
                setText(target.value)
                setProblems([])
              }}
            />
          )}
        </Field>
        <input
          ref={file}
          type="file"
          accept=".yaml,.yml,application/yaml"
          className="hidden"
          aria-hidden
          tabIndex={-1}
          onChange={({ target }) => void take(target.files?.[0])}
        />
      </div>
    </Dialog>
  )
}
